"""Finds the lines of a module that tests of some of its functions are judged by."""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterator

from ...utils.python_source import parse_or_none


def lines_asked_for(source: str, symbols: Collection[str]) -> frozenset[int] | None:
    """The lines of functions and classes by their qualified names, and of the private functions beside them.

    What other public functions do is not what was asked for; private ones may do a part of it. None where the source
    is not Python or has none of the names.
    """
    tree = parse_or_none(source)
    found = dict(_definitions(tree)) if tree is not None else {}
    if not any(name in symbols for name in found):
        return None
    private = {name for name in found if "." not in name and name.startswith("_")}
    chosen = [node for name, node in found.items() if name in symbols or name in private]
    lines = set[int]()
    for node in chosen:
        first = min([node.lineno, *(decorator.lineno for decorator in node.decorator_list)])
        lines.update(range(first, (node.end_lineno or node.lineno) + 1))
    return frozenset(lines)


def _definitions(
    tree: ast.AST, owner: str = ""
) -> Iterator[tuple[str, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef]]:
    """Functions, classes and methods by qualified names; also those in branches of the module (`if`, `try`)."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            yield f"{owner}{node.name}", node
            if isinstance(node, ast.ClassDef):
                yield from _definitions(node, f"{owner}{node.name}.")
        elif isinstance(node, ast.If | ast.Try):
            yield from _definitions(node, owner)
