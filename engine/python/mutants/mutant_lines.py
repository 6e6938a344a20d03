"""Determines which lines detect a mutant: its own, or code that uses what its line defines at import."""

from __future__ import annotations

import ast
from collections.abc import Iterable
from dataclasses import dataclass

from ....mutation.model import Mutant
from ....utils.python_names import mentioned_names, names_of
from ....utils.python_source import parse_python
from ..model.model import Arc

_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)


class ImportTimeUses:
    """Finds the lines of functions that use what a line of the module defines at import.

    Raises:
        SyntaxError: the source is not Python.
    """

    def __init__(self, source: bytes) -> None:
        tree = parse_python(source)
        self._bodies: list[_Part] = []
        self._statements: list[_Part] = []
        self._heads: list[_Part] = []
        for node in ast.walk(tree):
            if isinstance(node, _FUNCTIONS):
                lines = range(node.body[0].lineno, _end(node) + 1)
                read = _names(node.body)
                self._bodies.append(_Part(lines, frozenset({node.name}), read))
                first = min([node.lineno, *(decorator.lineno for decorator in node.decorator_list)])
                self._heads.append(_Part(range(first, node.body[0].lineno), frozenset({node.name}), read))
        for node in _outside_functions(tree):
            self._statements.append(_Part(range(node.lineno, _end(node) + 1), _bound(node), _names([node])))
        self._own = {name for statement in self._statements for name in statement.bound}

    def lines(self, line: int) -> frozenset[int]:
        """Returns lines of bodies that use the line's definitions, directly or through other names; empty if
        unknown."""
        heads = [head for head in self._heads if line in head.lines]
        if heads:
            return frozenset(at for body in self._bodies if body.bound & heads[0].bound for at in body.lines)
        names = self._names_bound_by(line)
        # Follow the names through other statements at import until no further name is found.
        while True:
            more = names.union(*(statement.bound for statement in self._statements if statement.read & names))
            if more == names:
                break
            names = more
        return frozenset(at for body in self._bodies if body.read & names for at in body.lines)

    def _names_bound_by(self, line: int) -> frozenset[str]:
        """Returns names that a line binds or fills at import; a call fills the names that the called function uses."""
        inside = [body for body in self._bodies if line in body.lines]
        if inside:
            return inside[-1].read & self._own
        found = [statement for statement in self._statements if line in statement.lines]
        bound = frozenset[str]().union(*(one.bound for one in found))
        if bound or not found:
            return bound
        read = found[-1].read
        return (read & self._own).union(*(body.read & self._own for body in self._bodies if body.bound & read))


@dataclass(frozen=True, slots=True)
class _Part:
    """A part of the module: the names it binds and the names it reads."""

    lines: range
    bound: frozenset[str]
    read: frozenset[str]


def lines_of(arcs: Iterable[Arc]) -> frozenset[int]:
    """Returns the lines that arcs run."""
    return frozenset(line for arc in arcs for line in arc if line > 0)


def is_within(mutant: Mutant, lines: frozenset[int]) -> bool:
    """Whether a mutant's line is among the lines."""
    return not lines.isdisjoint(mutant.lines)


def _outside_functions(tree: ast.Module) -> list[ast.stmt]:
    """Returns the statements that run at import, including those in class bodies and branches."""
    found: list[ast.stmt] = []
    waiting: list[ast.AST] = [tree]
    while waiting:
        for child in ast.iter_child_nodes(waiting.pop()):
            if isinstance(child, ast.stmt) and not isinstance(child, _FUNCTIONS):
                found.append(child)
                waiting.append(child)
    return found


def _bound(node: ast.stmt) -> frozenset[str]:
    if isinstance(node, ast.ClassDef):
        return frozenset()
    targets = node.targets if isinstance(node, ast.Assign) else [getattr(node, "target", None)]
    return frozenset(name for target in targets if isinstance(target, ast.AST) for name in names_of(target))


def _names(nodes: Iterable[ast.AST]) -> frozenset[str]:
    return frozenset(mentioned_names(nodes))


def _end(node: ast.stmt) -> int:
    return node.end_lineno or node.lineno
