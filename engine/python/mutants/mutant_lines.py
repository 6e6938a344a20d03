"""Which trials may notice a mutant: those that run its line, or code that uses what its line makes at import."""

from __future__ import annotations

import ast
from collections.abc import Iterable
from dataclasses import dataclass

from ....mutation.model import Mutant
from ....utils.python_source import parse_python
from ..model.model import Arc

_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)


class ImportTimeUses:
    """Finds the lines of functions that use what a line of the module makes when it is imported.

    Raises:
        SyntaxError: the source is no Python.
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
                first = min([node.lineno, *(one.lineno for one in node.decorator_list)])
                self._heads.append(_Part(range(first, node.body[0].lineno), frozenset({node.name}), read))
        for node in _outside_functions(tree):
            self._statements.append(_Part(range(node.lineno, _end(node) + 1), _bound(node), _names([node])))
        self._own = {name for one in self._statements for name in one.made}

    def lines(self, line: int) -> frozenset[int]:
        """Lines of the bodies that use it, directly or through other names; empty where that is not known."""
        heads = [one for one in self._heads if line in one.lines]
        if heads:
            return frozenset(at for one in self._bodies if one.made & heads[0].made for at in one.lines)
        names = self._made_by(line)
        while True:
            more = names.union(*(one.made for one in self._statements if one.read & names))
            if more == names:
                break
            names = more
        return frozenset(at for one in self._bodies if one.read & names for at in one.lines)

    def _made_by(self, line: int) -> frozenset[str]:
        """The names that a line binds or fills at import: a call fills what the called function uses."""
        inside = [one for one in self._bodies if line in one.lines]
        if inside:
            return inside[-1].read & self._own
        found = [one for one in self._statements if line in one.lines]
        made = frozenset[str]().union(*(one.made for one in found))
        if made or not found:
            return made
        read = found[-1].read
        return (read & self._own).union(*(one.read & self._own for one in self._bodies if one.made & read))


@dataclass(frozen=True, slots=True)
class _Part:
    """A piece of the module: what it binds and what it reads."""

    lines: range
    made: frozenset[str]
    read: frozenset[str]


def lines_of(arcs: Iterable[Arc]) -> frozenset[int]:
    """The lines that arcs run."""
    return frozenset(line for arc in arcs for line in arc if line > 0)


def is_within(mutant: Mutant, lines: frozenset[int]) -> bool:
    """Whether a mutant's place is among lines."""
    return not lines.isdisjoint(mutant.lines)


def _outside_functions(tree: ast.Module) -> list[ast.stmt]:
    """Statements that run at import, those of class bodies and branches with them."""
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
    return frozenset(
        one.id
        for target in targets
        if isinstance(target, ast.AST)
        for one in ast.walk(target)
        if isinstance(one, ast.Name)
    )


def _names(nodes: Iterable[ast.AST]) -> frozenset[str]:
    walked = [one for node in nodes for one in ast.walk(node)]
    names = {one.id for one in walked if isinstance(one, ast.Name)}
    return frozenset(names | {one.attr for one in walked if isinstance(one, ast.Attribute)})


def _end(node: ast.stmt) -> int:
    return node.end_lineno or node.lineno
