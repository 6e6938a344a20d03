"""How the project itself uses a module: its tests, call sites, examples and documents, as trials.

`usage` finds the uses, `steps` splits test code, `slicing` and `scoping` make statements run on their own, `harvest`
collects arguments, `project_index` looks up classes. Imports `model`, `source`, `project` and `facts`.
"""
