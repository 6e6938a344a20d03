"""Decides what a test can assert of an observation, and which findings become tests.

`oracle` derives expectations, `comparison` compares observations with other runs and documents, `defects` reports
contradictions, `normal_form` rewrites findings, `finding_selection` and `suite_size` choose, `case_tables` groups cases
into parametrised tests. Imports facts, usage, source and model; never search, mutants, explore or write.
"""
