"""What people call punctuation, for the names of tests (B-04)."""

from __future__ import annotations

from itertools import groupby

_MOST_SYMBOLS = 3
_SYMBOLS = {
    "!": "exclamation_mark",
    '"': "double_quote",
    "#": "hash",
    "$": "dollar",
    "%": "percent",
    "&": "ampersand",
    "'": "quote",
    "(": "open_parenthesis",
    ")": "closed_parenthesis",
    "*": "star",
    "+": "plus",
    ",": "comma",
    "-": "minus",
    ".": "dot",
    "/": "slash",
    ":": "colon",
    ";": "semicolon",
    "<": "less_than",
    "=": "equals",
    ">": "greater_than",
    "?": "question_mark",
    "@": "at",
    "[": "open_bracket",
    "\\": "backslash",
    "]": "closed_bracket",
    "^": "caret",
    "_": "underscore",
    "`": "backtick",
    "{": "open_brace",
    "|": "bar",
    "}": "closed_brace",
    "~": "tilde",
}


def symbols_in_words(text: str) -> str:
    """`slash`, `open_brackets`, `minus_dot`; `symbols` where there are many."""
    if not text.isascii():
        return "non_ascii_text"
    runs = [(mark, sum(1 for _ in same)) for mark, same in groupby("".join(text.split()))]
    names = [_SYMBOLS.get(mark, "") for mark, _ in runs]
    if len(runs) > _MOST_SYMBOLS or not all(names):
        return "symbols"
    many = ["es" if name.endswith(("h", "s")) else "s" for name in names]
    return "_".join(
        name + (more if count > 1 else "") for name, more, (_, count) in zip(names, many, runs, strict=True)
    )
