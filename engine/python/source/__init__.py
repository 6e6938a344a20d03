"""Python source text: reading and rewriting statements and expressions.

`annotations` parses type hints, `literals` replaces literals, `import_block` renders imports, `case_shapes` splits
cases into shape and values, `titles` words case names, `polish` rewrites source for readers. Imports only `model`.
"""
