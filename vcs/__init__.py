"""Reads from git what has changed since a commit and maps it to functions.

`git` runs git with fixed arguments, `comparison` lists changed files, `symbols` compares sources by syntax tree,
`changed_code` combines them into plain data for the planner. It imports `core` and `utils` only.
"""
