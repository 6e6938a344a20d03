"""Which of the statements before an expression it needs, so that a trial arranges nothing it does not use."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from .scoping import bound_names, loaded_names


def needed_statements(before: Sequence[ast.stmt], act: ast.AST) -> list[ast.stmt]:
    """Those of `before`, in order, that bind a name the act reads, directly or through others, or change its object."""
    wanted = set(loaded_names(act))
    kept: list[ast.stmt] = []
    for node in reversed(before):
        if not _touches(node, wanted):
            continue
        kept.append(node)
        wanted.update(loaded_names(node))
    return kept[::-1]


def _touches(node: ast.stmt, wanted: set[str]) -> bool:
    if bound_names([node]) & wanted:
        return True
    if isinstance(node, ast.Assign):
        return any(base_name(target) in wanted for target in node.targets)
    if isinstance(node, ast.AugAssign):
        return base_name(node.target) in wanted
    if isinstance(node, ast.Delete):
        return any(base_name(target) in wanted for target in node.targets)
    if isinstance(node, ast.Expr) and isinstance(node.value, ast.Call | ast.Await):
        call = node.value.value if isinstance(node.value, ast.Await) else node.value
        if isinstance(call, ast.Call):
            return base_name(call.func) in wanted or any(base_name(one) in wanted for one in call.args)
    if isinstance(node, ast.For | ast.With | ast.While | ast.If | ast.Try):
        return any(_touches(one, wanted) for one in ast.iter_child_nodes(node) if isinstance(one, ast.stmt))
    return False


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
