"""Generates mutants: small faults in the code of a module, for the engine and the gate alike.

`sites` finds the places, `operators` the changes, `equivalence` drops those no test could notice, `catalog` collects
and samples them. Plain syntax-tree work: imports nothing of the sandbox, the gate or the engine.
"""
