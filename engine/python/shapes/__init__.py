"""Shapes of values: what the code does with them, read from its source and unified where they stand for one kind.

`shape` is the model; `reader` reads statements; `expressions`, `operators`, `conditions` and `calls` read what they are
made of; `graphs` recognises graphs by how code walks through them,
`text_uses` says what is looked for in texts. The folder `domain` makes domains from shapes.
"""
