"""Agents: what plans, specifies, writes and analyses tests, with or without a language model.

`contract/` is what every agent has in common, `embedded/` has the agents without a model, `llm/` those with one,
`model/` calls the model's endpoint, `guardrails/` limits what model-written code may do, `prompts/` has the prompts.
It must not import `app`, `cli`, `graph`, `mcp` or `analysis`.
"""
