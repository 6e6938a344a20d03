"""Shared vocabulary of all packages: errors and exit codes, events, outcomes, usage and budgets, the version;
and what each needs to let work go on beside other work.

It must not import any other package of testwright.
"""
