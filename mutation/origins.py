"""Traces where the names of a module come from, as far as its text proves it: from an import, or as a logger."""

from __future__ import annotations

import ast

LOGGER = "logging.Logger"
_SAME = {"typing_extensions": "typing"}
"""Modules that hold for older interpreters what others hold, and are imported in their place."""


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
        return [(one.asname or one.name.partition(".")[0], _module(one)) for one in node.names]
    if isinstance(node, ast.ImportFrom):
        place = "" if node.level else f"{_SAME.get(str(node.module), node.module)}."
        return [(one.asname or one.name, place and place + one.name) for one in node.names]
    if isinstance(node, ast.arg):
        return [(node.arg, "")]
    name = getattr(node, "rest" if isinstance(node, ast.MatchMapping) else "name", None)
    return [(name, "")] if isinstance(name, str) and not isinstance(node, ast.alias) else []


def _module(one: ast.alias) -> str:
    name = one.name if one.asname else one.name.partition(".")[0]
    return _SAME.get(name, name)
