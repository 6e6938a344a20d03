"""Proposes trials and runs them in the sandbox.

`initial_trials` derives trials from source alone, `source_proposer` adds mutations guided by observations,
`trial_search` decides what runs next, `observer` and `parallel_observers` talk to the worker. Imports judge, inputs,
usage, project, facts, source and model; never selection, mutants, explore or write.
"""
