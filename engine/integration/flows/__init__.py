"""Flows across modules: staged, run in the sandbox, selected."""
