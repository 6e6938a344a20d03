"""Explores one module, from the first trial to confirmed findings.

`explore` runs the search, also without optional imports, `confirm` repeats the selected trials under other conditions.
Imports every other package of the engine but write.
"""
