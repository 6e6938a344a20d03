"""Decides what a test can assert of an observation, and which findings become tests.

`oracle` derives expectations, `stability` drops what differs between runs, `documented_behaviour` and `defects` compare
with documents, `normal_form` rewrites findings, `finding_selection` and `suite_size` choose, `case_tables` groups cases
into parametrised tests. Imports facts, usage, source and model; never search, mutants, explore or write.
"""
