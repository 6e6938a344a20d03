"""Flows across modules: built, run in the sandbox, selected.

`scenarios` builds flows, `state_queries` adds queries after the act, `explore` runs and selects them, `flow_kills` runs
them on mutants, `loopback` starts servers.
"""
