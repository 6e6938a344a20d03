"""Searches for trials that kill mutants of the module.

`kill_search` runs the search, `mutant_worker_client` talks to the worker, `asserted_facets` decides whether a test
would detect a difference; `module_instances` and `mutant_values` generate trials for surviving mutants.
Imports search and judge; never explore or write.
"""
