"""Explores one module, from the first trial to confirmed findings.

`explore` runs the search, `fallbacks` repeats it without optional imports, `confirm` repeats the selected trials under
other conditions. Imports every other package of the engine but write.
"""
