"""Rules for test specs and test code, used by the validation tools.

`spec_rules` dispatches the quality rules of specs (`spec_python`, `spec_values`), `pytest_file`,
`unittest_file`, `locust_file`, `maestro_file` and `javascript_file` check test files, `bodies`, `assertions`,
`file_rules` and `fixtures` hold the rules they share. Everything is read from source; nothing is imported or
run.
"""
