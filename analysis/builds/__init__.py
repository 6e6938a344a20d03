"""Detects and runs a project's own build or type check.

`detect` finds the steps, `run` builds their commands, executes them in the sandbox and parses what compilers print.
Nothing here runs outside of the sandbox.
"""
