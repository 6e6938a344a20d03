"""Searches a project's code and documents for `get_codebase_context`.

`files.py` lists files and `chunks.py` cuts them into passages; `index.py` ranks passages by words, `vectors.py` by
embeddings where a model is set. Imports nothing of `mcp` or `agents`.
"""
