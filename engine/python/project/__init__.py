"""The layout of a project: its modules, source roots and files, and what an exploration depends on.

`layout` finds modules and their import names, `source_roots` reads project files, `project_files` walks the tree,
`exploration_digest` computes cache keys, `import_errors` explains failed imports. Imports only `model` of the engine.
"""
