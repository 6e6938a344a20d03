"""Runs pytest and unittest in the sandbox and reads what they recorded."""
