"""Reads YAML as nodes with line numbers; tags construct nothing and aliases are not expanded."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import yaml

_LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
YamlNode = yaml.Node


@dataclass(frozen=True, slots=True)
class YamlError:
    """Where a text is not YAML; lines and columns count from 1, 0 for the whole text."""

    line: int
    column: int
    message: str


def read_documents(source: str) -> list[yaml.Node] | YamlError:
    """Parses the documents of a text as nodes with positions."""
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
