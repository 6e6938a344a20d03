"""Facts that are read from a module's source without running it.

`analyse` is the entry: it combines `class_facts`, `callables`, `bodies` and `docstrings` into `ModuleFacts`. Others
derive from facts: `type_inference`, `exception_names`, `import_names`, `optional_imports`. Imports `model`, `source`,
`project`.
"""
