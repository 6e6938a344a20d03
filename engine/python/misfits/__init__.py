"""Judges inputs that no test may show, whatever came of them.

`unfit` is the entry: it says which trials are out. `named_kinds` compares what is passed with what names say,
`mixed_kinds` the arguments that play the same part, `forbidden_calls` finds objects that are built against their
documents.
"""
