"""Decides which tests are kept: runs them in the sandbox, gives verdicts, measures coverage and mutants.

`verify` examines suites under varied conditions; `runner` starts the real test runners; `mutation` measures kills;
`evidence` computes what each test adds; `model` is plain data. Imports `sandbox` and `mutation`, never `engine`.
"""
