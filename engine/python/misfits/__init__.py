"""Judges inputs that no test may show, whatever came of them.

`unfit` is the entry: it says which trials that nobody wrote are out, and only for what is certain. `named_kinds`
compares what is passed with what names say where nothing else is known, `mixed_kinds` the arguments that play the same
part; `odd_moments` finds dates far from today, `missing_content` objects that were made of nothing. `forbidden_calls`
finds objects that are built against their documents, `foreign_texts` samples of formats that nobody passes here.
"""
