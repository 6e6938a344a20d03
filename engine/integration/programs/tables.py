"""Tables that programs read: the columns that an argument may name, and another version of a table to compare with."""

from __future__ import annotations

import re

from .arguments import ProgramArgument

SEPARATORS = {"csv": ",", "tsv": "\t"}
"""What parts the cells of a line, by the ending of a file's name."""
_COLUMN = re.compile(r"\b(?:columns?|fields?|headers?)\b", re.IGNORECASE)
_NO_NAME = re.compile(r"\b(?:number|index|width|count|separator|delimiter)\b", re.IGNORECASE)


def names_column(argument: ProgramArgument) -> bool:
    """Whether the value of an argument is the name of a column, by its own name and its help text."""
    words = f"{argument.name} {argument.help}".replace("_", " ").replace("-", " ")
    plain = argument.kind == "text" and not argument.choices and not argument.examples and argument.count == 1
    return plain and bool(_COLUMN.search(words)) and not _NO_NAME.search(words)


def altered_table(text: str, separator: str) -> str:
    """Return another version of a table: its first row has another last cell, and its second row is gone.

    A table with one row or none gets another row.
    """
    head, *rows = text.splitlines()
    if len(rows) < 2:
        return "\n".join([head, *rows, separator.join(["date"] * len(head.split(separator)))]) + "\n"
    start, parted, last = rows[0].rpartition(separator)
    cell = str(int(last) + 1) if re.fullmatch(r"\d{1,9}", last) else f"{last}s"
    return "\n".join([head, f"{start}{parted}{cell}", *rows[2:]]) + "\n"
