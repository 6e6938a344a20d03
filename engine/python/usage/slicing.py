"""Slices the statements before an expression down to those that it depends on."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from ....utils.python_names import bound_outside_patterns, last_name, loaded_names
from .scoping import NameScope

# Functions of the standard library that change their first argument.
_FUNCTIONS_THAT_CHANGE = frozenset(
    "heappush heappop heapify insort insort_left insort_right shuffle setattr delattr next setitem delitem".split()
)
_MAXIMUM_BEFORE = 60


def needed_statements(before: Sequence[ast.stmt], act: ast.AST) -> list[ast.stmt]:
    """Selects the statements that bind a name the act reads, directly or through others, or that change its object."""
    wanted = set(loaded_names(act))
    kept: list[ast.stmt] = []
    before = before[-_MAXIMUM_BEFORE:]
    for index in range(len(before) - 1, -1, -1):
        node = before[index]
        changes = _changed_name(node) in wanted and _is_variable(node, before[:index])
        if changes or bound_outside_patterns([node]) & wanted:
            kept.append(node)
            wanted.update(loaded_names(node))
    return kept[::-1]


def _changed_name(node: ast.stmt) -> str | None:
    """The variable whose object a statement changes, or None; for a block the first one inside it."""
    if isinstance(node, ast.Assign | ast.Delete):
        return base_name(node.targets[0])
    if isinstance(node, ast.AugAssign):
        return base_name(node.target)
    if isinstance(node, ast.Expr):
        call = node.value.value if isinstance(node.value, ast.Await) else node.value
        if isinstance(call, ast.Call):
            if last_name(call.func) in _FUNCTIONS_THAT_CHANGE and call.args:
                return base_name(call.args[0])
            # Any method may change its object.
            return base_name(call.func) if isinstance(call.func, ast.Attribute) else None
    if isinstance(node, ast.For | ast.While | ast.With | ast.If | ast.Try):
        inner = (one for one in ast.iter_child_nodes(node) if isinstance(one, ast.stmt))
        return next((name for one in inner if (name := _changed_name(one)) is not None), None)
    return None


def _is_variable(node: ast.stmt, before: Sequence[ast.stmt]) -> bool:
    """Whether the changed name was bound before: it is a variable, not a function or module."""
    name = _changed_name(node)
    return any(
        name in bound_outside_patterns([one]) for one in before if not isinstance(one, ast.Import | ast.ImportFrom)
    )


def base_name(node: ast.AST) -> str | None:
    """The name at the bottom of `name.attribute[index]`."""
    while isinstance(node, ast.Attribute | ast.Subscript | ast.Call):
        node = node.func if isinstance(node, ast.Call) else node.value
    return node.id if isinstance(node, ast.Name) else None


def source_of(node: ast.AST) -> str | None:
    """The node as source text; None where this Python cannot write it (nested quotes in an f-string)."""
    try:
        return ast.unparse(node)
    except (ValueError, RecursionError):
        return None


def standalone(
    needed: Sequence[ast.stmt], act: ast.expr, scope: NameScope
) -> tuple[list[ast.stmt], ast.Expr, tuple[str, ...], str] | None:
    """Resolves module prefixes in statements and an act, and writes them as source text.

    Returns:
        The arranging statements, the act, and the text of both; None where they cannot be written.
    """
    statements = [*needed, ast.fix_missing_locations(ast.copy_location(ast.Expr(value=act), act))]
    *arranged, last = (ast.fix_missing_locations(scope.plain(statement)) for statement in statements)
    texts = tuple(text for statement in arranged if (text := source_of(statement)) is not None)
    act_text = source_of(last.value) if isinstance(last, ast.Expr) else None
    if act_text is None or len(texts) != len(arranged) or not isinstance(last, ast.Expr):
        return None
    return arranged, last, texts, act_text
