"""Finds the mutation sites of a module: every node that runs, with its ancestors, its text and the origins of names."""

from __future__ import annotations

import ast
import importlib.util
from collections.abc import Iterator
from dataclasses import dataclass

_NEVER_RUN: dict[type[ast.AST], tuple[str, ...]] = {
    ast.arg: ("annotation",),
    ast.AnnAssign: ("annotation",),
    ast.FunctionDef: ("returns",),
    ast.AsyncFunctionDef: ("returns",),
}
_HEADS = (ast.stmt, ast.ExceptHandler)
SNIPPET = 200
LOGGER = "logging.Logger"
_SAME = {"typing_extensions": "typing"}
"""Modules that hold for older interpreters what others hold, and are imported in their place."""


@dataclass(frozen=True, slots=True)
class Site:
    """A node and its ancestors, the module first."""

    node: ast.AST
    above: tuple[ast.AST, ...]

    @property
    def parent(self) -> ast.AST:
        """The node right above."""
        return self.above[-1]

    @property
    def head(self) -> ast.AST:
        """The statement or except clause whose first line coverage counts for this node."""
        if isinstance(self.node, _HEADS):
            return self.node
        return next(node for node in reversed(self.above) if isinstance(node, _HEADS))


def sites_of(tree: ast.Module) -> Iterator[Site]:
    """Every place, in the order of the tree.

    Left out: annotations, docstrings and other bare constants, the list of public names in `__all__`, which is a
    declaration as they are, and what stands inside f-strings, whose positions interpreters before 3.12 do not know.
    """
    waiting: list[Site] = [Site(child, (tree,)) for child in reversed(tree.body)]
    while waiting:
        site = waiting.pop()
        node = site.node
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            continue
        if site.parent is tree and _declares_names(node):
            continue
        yield site
        if not isinstance(node, ast.JoinedStr):
            above = (*site.above, node)
            waiting += [Site(child, above) for child in reversed(_running_children(node))]


def _declares_names(node: ast.AST) -> bool:
    """Whether a statement sets `__all__`, or adds to it."""
    targets = node.targets if isinstance(node, ast.Assign) else [getattr(node, "target", None)]
    return any(isinstance(target, ast.Name) and target.id == "__all__" for target in targets)


def _running_children(node: ast.AST) -> list[ast.AST]:
    left_out = _NEVER_RUN.get(type(node), ())
    children: list[ast.AST] = []
    for name, value in ast.iter_fields(node):
        if name in left_out or name == "type_params":
            continue
        found = value if isinstance(value, list) else [value]
        children += [child for child in found if isinstance(child, ast.AST) and not isinstance(child, ast.expr_context)]
    return children


class SourceText:
    """The decoded source as UTF-8, which is what the columns of a syntax tree count in.

    Raises:
        SyntaxError: the file's encoding is unknown or does not fit.
    """

    def __init__(self, source: bytes) -> None:
        try:
            self.text = importlib.util.decode_source(source)
        except UnicodeDecodeError as error:
            raise SyntaxError(str(error)) from error
        self.data = self.text.encode("utf-8")
        self._starts = [0]
        for line in self.data.split(b"\n"):
            self._starts.append(self._starts[-1] + len(line) + 1)

    def span(self, node: ast.AST) -> tuple[int, int]:
        """Where a node's own text begins and ends."""
        first, last = getattr(node, "lineno"), getattr(node, "end_lineno")  # noqa: B009 - not every AST has a place
        return (
            self._starts[first - 1] + getattr(node, "col_offset"),  # noqa: B009
            self._starts[last - 1] + getattr(node, "end_col_offset"),  # noqa: B009
        )

    def part(self, start: int, end: int) -> str:
        """The text between two places."""
        return self.data[start:end].decode("utf-8")

    def line_at(self, place: int) -> int:
        """The line of a place, counted from 1."""
        return self.data.count(b"\n", 0, place) + 1

    def line(self, number: int) -> str:
        """One line."""
        return self.data[self._starts[number - 1] : self._starts[number]].decode("utf-8").rstrip("\n")

    def snippets(self, start: int, end: int, replacement: str) -> tuple[str, str]:
        """The lines around a change without and with it, stripped and shortened."""
        first = self.data.rfind(b"\n", 0, start) + 1
        found = self.data.find(b"\n", end)
        last = len(self.data) if found < 0 else found
        before = self.part(first, last)
        after = self.part(first, start) + replacement + self.part(end, last)
        return before.strip()[:SNIPPET], after.strip()[:SNIPPET]


class ImportOrigins:
    """What a module's names stand for.

    A name that is bound in several ways anywhere in the module, be it as a parameter, stands for nothing known.
    """

    def __init__(self, tree: ast.Module) -> None:
        self._known: dict[str, str] = {}
        nodes = list(ast.walk(tree))
        for node in nodes:
            for name, origin in _bound(node):
                self._bind(name, origin)
        stored = [node for node in nodes if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load)]
        loggers = {target for node in nodes for target in self._loggers(node)}
        for node in stored:
            self._bind(node.id, LOGGER if node in loggers else "")

    def of(self, node: ast.AST) -> str:
        """The dotted origin of a name or an attribute, such as `functools.cache`; empty where it is not proven."""
        if isinstance(node, ast.Name):
            return self._known.get(node.id, "")
        value = self.of(node.value) if isinstance(node, ast.Attribute) else ""
        return f"{value}.{node.attr}" if value and isinstance(node, ast.Attribute) else ""

    def is_bound(self, name: str) -> bool:
        """Whether the module binds a name anywhere, so that it may not be the built-in one."""
        return name in self._known

    def _bind(self, name: str, origin: str) -> None:
        self._known[name] = origin if self._known.get(name, origin) == origin else ""

    def _loggers(self, node: ast.AST) -> list[ast.expr]:
        """The names that a statement assigns what `logging.getLogger` gives."""
        if not isinstance(node, ast.Assign | ast.AnnAssign) or not isinstance(node.value, ast.Call):
            return []
        if self.of(node.value.func) != "logging.getLogger":
            return []
        return node.targets if isinstance(node, ast.Assign) else [node.target]


def _bound(node: ast.AST) -> list[tuple[str, str]]:
    """The names that a node binds other than by assignment, each with its origin."""
    if isinstance(node, ast.Import):
        return [(alias.asname or alias.name.partition(".")[0], _module(alias)) for alias in node.names]
    if isinstance(node, ast.ImportFrom):
        place = "" if node.level else f"{_SAME.get(str(node.module), node.module)}."
        return [(alias.asname or alias.name, place and place + alias.name) for alias in node.names]
    if isinstance(node, ast.arg):
        return [(node.arg, "")]
    name = getattr(node, "rest" if isinstance(node, ast.MatchMapping) else "name", None)
    return [(name, "")] if isinstance(name, str) and not isinstance(node, ast.alias) else []


def _module(alias: ast.alias) -> str:
    name = alias.name if alias.asname else alias.name.partition(".")[0]
    return _SAME.get(name, name)
