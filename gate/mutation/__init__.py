"""Measuring suites by mutants: which of them the tests notice (B-01, B-11)."""
