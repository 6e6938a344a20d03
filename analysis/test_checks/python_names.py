"""Names in Python source: which are bound, which are used, which are bound by an import."""

from __future__ import annotations

import ast
import builtins
from collections.abc import Iterable, Iterator

BUILTINS = frozenset(dir(builtins)) | {"__name__", "__file__"}


def bound_names(tree: ast.AST) -> set[str]:
    """Every name that a tree binds anywhere: assignments, loops, imports, definitions, parameters, patterns."""
    found: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store | ast.Del):
            found.add(node.id)
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            found.add(node.name)
        elif isinstance(node, ast.arg):
            found.add(node.arg)
        elif isinstance(node, ast.Import | ast.ImportFrom):
            found |= imported_names(node)
        elif isinstance(node, ast.ExceptHandler | ast.MatchAs | ast.MatchStar) and node.name:
            found.add(node.name)
        elif isinstance(node, ast.MatchMapping) and node.rest:
            found.add(node.rest)
    return found


def imported_names(node: ast.Import | ast.ImportFrom) -> set[str]:
    """The names one import statement binds; `*` for a star import."""
    if isinstance(node, ast.ImportFrom):
        return {alias.asname or alias.name for alias in node.names}
    return {alias.asname or alias.name.partition(".")[0] for alias in node.names}


def used_names(tree: ast.AST) -> set[str]:
    """Every name that a tree reads."""
    return {node.id for node in ast.walk(tree) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load)}


def mentioned(trees: Iterable[ast.AST]) -> Iterator[str]:
    """Every name and attribute that the trees mention."""
    for tree in trees:
        for node in ast.walk(tree):
            if isinstance(node, ast.Name):
                yield node.id
            elif isinstance(node, ast.Attribute):
                yield node.attr


def dotted(node: ast.AST) -> str:
    """`a.b.c` for a chain of attributes on a name, else an empty text."""
    parts: list[str] = []
    while isinstance(node, ast.Attribute):
        parts.append(node.attr)
        node = node.value
    return ".".join([node.id, *reversed(parts)]) if isinstance(node, ast.Name) else ""
