"""Composes the integration spec from flows and program runs, and renders it as a test file.

`compose` writes the spec and the test file, `program_cases` the cases of programs.
"""
