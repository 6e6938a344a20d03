"""Detects and runs a project's own build or type check.

`detect` finds the steps, `run` executes them in the sandbox (`sandbox_program` builds the command), `error_output`
parses what compilers print, `steps` holds the data types. Nothing here runs outside of the sandbox.
"""
