"""Composes a spec from findings and renders it as a test file.

`compose` builds the spec with names from `case_namer` and tables from `assign_tables`; `render` and its dialects for
pytest and unittest write the file; `repair` changes specs and files after validation. Imports judge,
facts, source and model; never search, mutants or explore.
"""
