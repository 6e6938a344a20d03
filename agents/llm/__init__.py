"""Agents that ask a model: their prompts, the forms of their answers, and what the answers become."""
