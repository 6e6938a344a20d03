"""Facts that are read from a module's source without running it.

`analyse` is the entry: it combines `definitions`, `bodies` and `docstrings` into `ModuleFacts`. Others derive from
facts: `type_inference`, `names`, `optional_imports`. Imports `model`, `source`, `project`.
"""
