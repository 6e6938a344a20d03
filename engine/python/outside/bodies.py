"""Reads the bodies that a callable runs: their calls with keywords, constants, handled exceptions."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

from ....utils.python_names import dotted_name, last_name
from ....utils.python_source import parse_or_none
from ..model.model import CallableFacts, ModuleFacts
from ..usage.project_index import ProjectIndex
from .uses import reachable

Definition = ast.FunctionDef | ast.AsyncFunctionDef


@dataclass(frozen=True, slots=True)
class Bodies:
    """The definitions of a callable and of those of the project that it calls."""

    definitions: tuple[Definition, ...]

    def nodes(self) -> Iterator[ast.AST]:
        """All nodes, in order of appearance."""
        for definition in self.definitions:
            yield from ast.walk(definition)

    def calls(self) -> Iterator[ast.Call]:
        """All calls."""
        return (node for node in self.nodes() if isinstance(node, ast.Call))

    def called(self) -> frozenset[str]:
        """Last names of all that is called."""
        return frozenset(last_name(node.func) for node in self.calls())

    def attributes(self) -> frozenset[str]:
        """Names of all attributes that are read or called."""
        return frozenset(node.attr for node in self.nodes() if isinstance(node, ast.Attribute))

    def constants(self) -> frozenset[object]:
        """All constants but docstrings."""
        texts = {ast.get_docstring(definition, clean=False) for definition in self.definitions}
        found = [node.value for node in self.nodes() if isinstance(node, ast.Constant)]
        return frozenset(value for value in found if value not in texts)

    def handled(self) -> frozenset[str]:
        """Dotted names of the exceptions that are caught."""
        kinds = [node.type for node in self.nodes() if isinstance(node, ast.ExceptHandler) and node.type is not None]
        each = [part for kind in kinds for part in (kind.elts if isinstance(kind, ast.Tuple) else [kind])]
        return frozenset(dotted_name(kind) for kind in each)


def bodies_of(facts: ModuleFacts, one: CallableFacts, index: ProjectIndex) -> Bodies:
    """Reads the bodies that a call of `one` may run."""
    found: dict[tuple[str, int], Definition] = {}
    for where, item in reachable(facts, one, index):
        first, last = item.lines
        for node in _definitions(index.source_of(where)):
            if first <= node.lineno <= last and node.name in (item.name, "__init__"):
                found.setdefault((where.module, node.lineno), node)
    return Bodies(tuple(found.values()))


@lru_cache(maxsize=16)
def _definitions(source: str) -> tuple[Definition, ...]:
    tree = parse_or_none(source)
    return tuple(node for node in ast.walk(tree) if isinstance(node, Definition)) if tree is not None else ()
