"""Tries mutants in forks of a process that has imported the project.

Programs: `run_tests` (which tests notice a mutant) and `compare_trials` (which trials behave differently on it).
Imports the standard library, the test runners of the target, and modules of the worker only.
"""
