"""Checks that JSON, TOML and YAML parse and that no mapping repeats a key."""

from __future__ import annotations

import json
import tomllib
from typing import Any

from .yaml_lines import YamlError, all_nodes, entries, line_of, read_documents

DataIssue = dict[str, Any]


def json_error(text: str) -> DataIssue | None:
    """The error of a text that is not JSON, else None."""
    try:
        json.loads(text)
    except json.JSONDecodeError as error:
        return _error(error.lineno, error.colno, error.msg)
    except (RecursionError, ValueError) as error:
        return _error(0, 0, f"not readable: {error}")
    return None


def toml_error(text: str) -> DataIssue | None:
    """The error of a text that is not TOML, else None."""
    try:
        tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        place = str(error).rpartition("(at line ")[2].rstrip(")").split(", column ")
        line, column = (int(item) if item.isdigit() else 0 for item in [*place, "0", "0"][:2])
        return _error(line, column, str(error).partition(" (at ")[0])
    except RecursionError as error:
        return _error(0, 0, f"nested too deeply: {error}")
    return None


def yaml_error(text: str) -> DataIssue | None:
    """The error of a text that is not YAML, else None."""
    found = read_documents(text)
    return _error(found.line, found.column, found.message) if isinstance(found, YamlError) else None


def data_issues(text: str, language: str) -> list[DataIssue]:
    """Lists the issues of JSON or YAML, each with `line`, `column`, `rule` and `message`.

    JSON is read for repeated keys as YAML, of which it is a part, once it is known to be JSON.
    """
    broken = json_error(text) if language == "json" else yaml_error(text)
    if broken is not None:
        return [{**broken, "rule": "invalid-syntax"}]
    documents = read_documents(text)
    found: list[DataIssue] = []
    for node in all_nodes(documents) if isinstance(documents, list) else ():
        first: dict[str, int] = {}
        for name, key, _ in entries(node):
            if name in first and name != "<<":
                message = f"the key {name!r} stands in line {first[name]} already, and only one of them counts"
                column = key.start_mark.column + 1
                found.append({**_error(line_of(key), column, message), "rule": "repeated-key"})
            first.setdefault(name, line_of(key))
    return sorted(found, key=lambda item: (item["line"], item["column"]))


def _error(line: int, column: int, message: str) -> DataIssue:
    return {"line": line, "column": column, "message": message}
