"""Small helpers without state of their own, for all layers above: schemas, redaction, parsing, formatting.

Imports nothing of ours but `core` and `schemas`.
"""
