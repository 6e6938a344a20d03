"""The command line: Typer commands over `testwright.app`, their options, progress, messages and exit codes.

Commands import what they work with when they run, since help must not wait for graphs and models. `github/` holds the
GitHub Action. Nothing imports this package except `main.py`.
"""
