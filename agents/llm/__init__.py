"""Agents that ask a language model, one module for each role, with the forms of their answers.

Main modules: `model_agent` (base of all), `prompt` (loads prompts), one `*_agent` per role, one `*_answer` per form.
They use `embedded/` for exploration and rendering, and `guardrails/` to check what a model wrote.
"""
