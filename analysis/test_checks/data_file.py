"""Checks that JSON, TOML and YAML parse and that no mapping repeats a key."""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

import yaml

_LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
YamlNode = yaml.Node
_MAX_DEPTH = 500
_NESTED_ITEMS = re.compile(r"(?:[-?] ){100}")


@dataclass(frozen=True, slots=True)
class YamlError:
    """Where a text is not YAML; lines and columns count from 1, 0 for the whole text."""

    line: int
    column: int
    message: str


def read_documents(source: str) -> list[yaml.Node] | YamlError:
    """Parses the documents of a text as nodes with positions."""
    if _is_deep(source):
        return YamlError(0, 0, "nested too deeply")
    try:
        return [node for node in yaml.compose_all(source, Loader=_LOADER) if node is not None]
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        message = error.problem or error.context or str(error)
        return YamlError(mark.line + 1 if mark else 0, mark.column + 1 if mark else 0, message)
    except yaml.YAMLError as error:
        return YamlError(0, 0, " ".join(str(error).split()))
    except RecursionError:
        return YamlError(0, 0, "nested too deeply")


def _is_deep(source: str) -> bool:
    """Whether collections are nested so deeply that libyaml, whose time grows with the square of it, would hang."""
    # Only then: the events of a text cost as much as its nodes.
    if source.count("[") + source.count("{") <= _MAX_DEPTH and not _NESTED_ITEMS.search(source):
        return False
    depth = 0
    with suppress(yaml.YAMLError):
        for event in yaml.parse(source, Loader=_LOADER):
            depth += isinstance(event, yaml.CollectionStartEvent) - isinstance(event, yaml.CollectionEndEvent)
            if depth > _MAX_DEPTH:
                return True
    return False


def entries(node: yaml.Node | None) -> Iterator[tuple[str, yaml.Node, yaml.Node]]:
    """Yields the entries of a mapping with plain keys: name, key, value."""
    for key, value in node.value if isinstance(node, yaml.MappingNode) else ():
        if isinstance(key, yaml.ScalarNode):
            yield key.value, key, value


def items(node: yaml.Node | None) -> list[yaml.Node]:
    """The items of a sequence; none for anything else."""
    return list(node.value) if isinstance(node, yaml.SequenceNode) else []


def value_of(node: yaml.Node | None, name: str) -> yaml.Node | None:
    """The value of a key in a mapping, or None."""
    return next((value for item, _, value in entries(node) if item == name), None)


def scalar(node: yaml.Node | None) -> str:
    """A plain value as written, else an empty text."""
    return str(node.value) if isinstance(node, yaml.ScalarNode) else ""


def line_of(node: yaml.Node) -> int:
    """The line a node begins in, from 1."""
    return node.start_mark.line + 1


def all_nodes(roots: list[yaml.Node]) -> Iterator[yaml.Node]:
    """Yields every node once, however often aliases refer to it."""
    pending, seen = list(roots), set()
    while pending:
        node = pending.pop()
        if id(node) in seen:
            continue
        seen.add(id(node))
        yield node
        if isinstance(node, yaml.MappingNode):
            pending += [part for pair in node.value for part in pair]
        elif isinstance(node, yaml.SequenceNode):
            pending += node.value


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
    except (RecursionError, ValueError) as error:
        return _error(0, 0, f"not readable: {error}")
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


def plain_value(node: yaml.Node, most: int = 20_000) -> Any:
    """The value of a node: mappings, lists, texts, numbers, truth values. Raises ValueError for more values than that.

    Args:
        most: aliases may make a short text a value without an end in sight.
    """
    return _plain(node, [most])


def _plain(node: yaml.Node, left: list[int]) -> Any:
    left[0] -= 1
    if left[0] < 0:
        raise ValueError("too many values")
    if isinstance(node, yaml.SequenceNode):
        return [_plain(one, left) for one in node.value]
    if isinstance(node, yaml.MappingNode):
        return {str(key.value): _plain(value, left) for key, value in node.value}
    kind = str(node.tag).rpartition(":")[2]
    text = str(node.value)
    if kind == "null":
        return None
    if kind == "bool":
        return text.lower() in ("true", "yes", "on")
    with suppress(ValueError):
        return int(text) if kind == "int" else float(text) if kind == "float" else text
    return text
