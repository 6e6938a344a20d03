"""Plain data of the integration engine: components, flows, programs, servers.

`components` has seams, edges and targets; `flow_case` the cases of the spec; `programs` and `servers` find what can
run; `program_runs` has runs and their results; `wide_arcs` maps arcs of several files.
"""
