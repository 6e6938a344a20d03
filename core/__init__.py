"""Shared vocabulary of all packages: errors and exit codes, events, outcomes, usage and budgets, the version.

It must not import any other package of testwright.
"""
