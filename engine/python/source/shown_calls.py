"""Finds the calls whose result the rest of an expression only shows: `f(x)` of `repr(f(x))` and of `f(x).to_text()`."""

from __future__ import annotations

import ast
from collections.abc import Iterator

_SHOWING = frozenset("repr str list tuple set dict sorted bytes".split())


def shown_calls(node: ast.expr | None) -> Iterator[ast.Call]:
    """Generates the call that an expression is, and the calls whose result it only shows, outer before inner."""
    while isinstance(node, ast.Call):
        yield node
        if node.keywords:
            return
        if isinstance(node.func, ast.Name) and node.func.id in _SHOWING and len(node.args) == 1:
            node = node.args[0]
        elif isinstance(node.func, ast.Attribute) and not node.args:
            node = node.func.value
        else:
            return


def represented(node: ast.expr | None) -> ast.expr | None:
    """The x of `repr(x)`; None for any other expression."""
    is_one = isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "repr"
    return node.args[0] if is_one and isinstance(node, ast.Call) and len(node.args) == 1 else None
