"""Which of the statements before an expression it needs, so that a trial arranges nothing it does not use."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from ....utils.python_names import bound_outside_patterns, last_name, loaded_names

_FUNCTIONS_THAT_CHANGE = frozenset(
    "heappush heappop heapify insort insort_left insort_right shuffle setattr delattr next setitem delitem".split()
)


_MAXIMUM_BEFORE = 60


def needed_statements(before: Sequence[ast.stmt], act: ast.AST) -> list[ast.stmt]:
    """Those of `before`, in order, that bind a name the act reads, directly or through others, or change its object."""
    wanted = set(loaded_names(act))
    kept: list[ast.stmt] = []
    before = before[-_MAXIMUM_BEFORE:]
    for index in range(len(before) - 1, -1, -1):
        node = before[index]
        if _binds(node, wanted) or (_changes(node, wanted) and _is_variable(node, before[:index])):
            kept.append(node)
            wanted.update(loaded_names(node))
    return kept[::-1]


def _binds(node: ast.stmt, wanted: set[str]) -> bool:
    return bool(bound_outside_patterns([node]) & wanted)


def _changes(node: ast.stmt, wanted: set[str]) -> bool:
    """Whether the statement changes the object of a wanted name."""
    return _changed_name(node) in wanted


def _changed_name(node: ast.stmt) -> str | None:
    if isinstance(node, ast.Assign | ast.Delete):
        return base_name(node.targets[0])
    if isinstance(node, ast.AugAssign):
        return base_name(node.target)
    if isinstance(node, ast.Expr):
        call = node.value.value if isinstance(node.value, ast.Await) else node.value
        if isinstance(call, ast.Call):
            name = last_name(call.func)
            if name in _FUNCTIONS_THAT_CHANGE and call.args:
                return base_name(call.args[0])
            return base_name(call.func) if isinstance(call.func, ast.Attribute) else None
    if isinstance(node, ast.For | ast.While | ast.With | ast.If | ast.Try):
        inner = (one for one in ast.iter_child_nodes(node) if isinstance(one, ast.stmt))
        return next((name for one in inner if (name := _changed_name(one)) is not None), None)
    return None


def _is_variable(node: ast.stmt, before: Sequence[ast.stmt]) -> bool:
    """Whether what the statement changes was bound before: a variable, no function or module."""
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
