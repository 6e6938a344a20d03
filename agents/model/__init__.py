"""Asks a language model at any OpenAI-compatible endpoint, within the run's budget.

`chat` is the interface for agents; `run_chat` implements it with `sender`, `endpoint`, `structured`, `abilities` and
`prices`. Nothing here is about tests: it must not import `embedded/`, `llm/` or `guardrails/`.
"""
