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


def column_names(name: str, text: str) -> list[str]:
    """Return the columns of a table, or the keys of the first record of a file of JSON or YAML; empty for others."""
    ending = name.rpartition(".")[2]
    if ending in SEPARATORS:
        return text.partition("\n")[0].split(SEPARATORS[ending])
    if ending in ("yaml", "yml"):
        first = re.match(r"- (?:\w+:.*\n(?:  .*\n)*)+", text)
        return re.findall(r"^[- ] (\w+):", first[0], re.MULTILINE) if first is not None else []
    return list(next(iter(records_in(text)), {}))


def records_in(text: str) -> list[dict[str, object]]:
    """Return the records of a text of JSON: objects of a list or of lines, and the properties of GeoJSON."""
    found = [one.get("properties") if one.get("type") == "Feature" else one for one in _objects_in(text)]
    return [record for record in found if isinstance(record, dict)]


def as_lines(text: str) -> str:
    """Return the objects of a text of JSON with one in each line; empty where it holds no list of them."""
    objects = _objects_in(text)
    return "".join(f"{json.dumps(one)}\n" for one in objects)


def _objects_in(text: str) -> list[dict[str, object]]:
    try:
        value = json.loads(text)
    except ValueError:
        try:
            value = [json.loads(line) for line in text.splitlines() if line.strip()]
        except ValueError:
            return []
    whole = value.get("features") if isinstance(value, dict) else value
    return [one for one in whole if isinstance(one, dict)] if isinstance(whole, list) else []


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
