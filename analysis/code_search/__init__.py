"""Searches a project's code and documents for `get_codebase_context`.

`chunks` lists files and cuts them into passages; `index` ranks passages by words, `vectors` by embeddings where a model
is set. Imports nothing of `mcp` or `agents`.
"""
