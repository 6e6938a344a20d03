"""Measures suites by mutants: which of them the tests kill."""
