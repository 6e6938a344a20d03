"""Plain data of the integration engine: components, flows, programs, servers.

`components` has seams, edges, targets and the cases of the spec; `programs` and `servers` find what can run, with runs
and their results; `wide_arcs` maps arcs of several files.
"""
