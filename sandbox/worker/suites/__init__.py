"""Runs pytest and unittest in the target's interpreter and records every test as data.

Programs: `run_pytest` and `run_unittest`. Imports the standard library, the test runner, coverage, and modules of the
worker only.
"""
