"""The layout of a project: its modules, source roots and files, and what an exploration depends on.

`layout` finds modules and their import names, `source_roots` walks the tree and reads project files,
`exploration_digest` computes cache keys, `import_errors` explains failed imports. Imports only `model` of the engine.
"""
