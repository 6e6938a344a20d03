"""Composes the integration spec from flows and program runs, and renders it as a test file.

`compose` writes the spec, `program_cases` its cases of programs, `render` the test file.
"""
