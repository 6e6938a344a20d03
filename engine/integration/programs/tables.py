"""Tables that programs read: the columns that an argument may name, and another version of a table to compare with."""

from __future__ import annotations

import csv
import io
import json
import re

from .arguments import ProgramArgument

SEPARATORS = {"csv": ",", "tsv": "\t"}
"""What parts the cells of a line, by the ending of a file's name."""
_COLUMN = re.compile(r"\b(?:columns?|fields?|headers?)\b", re.IGNORECASE)
_OF_FEW = re.compile(r"true|false|yes|no|on|off|none|null|nan|[a-z]", re.IGNORECASE)
_NO_NAME = re.compile(r"\b(?:number|index|width|count|separator|delimiter)\b", re.IGNORECASE)


def names_column(argument: ProgramArgument) -> bool:
    """Whether the value of an argument is the name of a column, by its own name and its help text."""
    words = f"{argument.name} {argument.help}".replace("_", " ").replace("-", " ")
    plain = argument.kind == "text" and not argument.choices and not argument.examples and argument.count == 1
    return plain and bool(_COLUMN.search(words)) and not _NO_NAME.search(words)


def table_in_format(text: str, separator: str, ending: str) -> str:
    """Return the table of a text in another format: `csv`, `tsv`, or `json` as a list of objects."""
    head, *rows = [*csv.reader(io.StringIO(text), delimiter=separator)] or [[]]
    if ending == "json":
        return json.dumps([dict(zip(head, row, strict=False)) for row in rows], indent=2) + "\n"
    return _written([head, *rows], SEPARATORS[ending])


def _written(rows: list[list[str]], separator: str) -> str:
    written = io.StringIO()
    csv.writer(written, delimiter=separator, lineterminator="\n").writerows(rows)
    return written.getvalue()


def altered_table(text: str, separator: str) -> str:
    """Return another version of a table: its first row has another cell, and its second row is gone.

    The cell is of the kind that it was, so that the table stays valid. A table with one row gets another row.
    """
    head, *rows = [*csv.reader(io.StringIO(text), delimiter=separator)] or [[]]
    if len(rows) >= 2:
        made = [head, _with_another_cell(rows[0]), *rows[2:]]
    else:
        made = [head, *rows, [_another(cell) or cell for cell in rows[0]] if rows else ["date"] * max(len(head), 1)]
    return _written(made, separator)


def _with_another_cell(row: list[str]) -> list[str]:
    """Return a row whose last number or text is another one."""
    for at in reversed(range(len(row))):
        other = _another(row[at])
        if other:
            return [*row[:at], other, *row[at + 1 :]]
    return row


def _another(cell: str) -> str:
    """Return another number or text of the same form; nothing for a date, a word for true or false and the like."""
    number = re.fullmatch(r"(\d{1,9})(\.\d+)?", cell)
    if number:
        return str(int(number[1]) + 1).zfill(len(number[1])) + (number[2] or "")
    return f"{cell}s" if cell[:1].isalpha() and not _OF_FEW.fullmatch(cell) else ""
