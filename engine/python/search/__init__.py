"""Proposes trials, runs them in the sandbox and selects those that become tests.

`initial_trials` derives trials from source alone, `source_proposer` adds mutations guided by observations,
`trial_search` decides what runs next, `observer` and `parallel_observers` talk to the worker, `trial_selection` and
`assertable_selection` choose the tests. Imports judge, inputs, usage, project, facts, source and model; never mutants,
explore or write.
"""
