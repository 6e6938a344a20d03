"""Finds where a test file holds a test, by the test's node id."""

from __future__ import annotations

import ast
from collections.abc import Mapping

Places = Mapping[str, tuple[int, int]]
"""First and last line of functions by their qualified names (`TestCart::test_add`), decorators included."""


def function_places(text: str) -> Places:
    """The places of a file's functions and of its classes' methods; none for text that is no Python."""
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError):
        return {}
    found = _functions(tree.body)
    for node in tree.body:
        if isinstance(node, ast.ClassDef):
            found |= {f"{node.name}::{name}": place for name, place in _functions(node.body).items()}
    return found


def place_of(nodeid: str, places: Places) -> tuple[int, int] | None:
    """The lines of a test; rows of a parametrised test share those of its function. None when they are not known."""
    return places.get(nodeid.partition("::")[2].partition("[")[0])


def _functions(body: list[ast.stmt]) -> dict[str, tuple[int, int]]:
    return {
        node.name: (min([node.lineno, *(decorator.lineno for decorator in node.decorator_list)]), node.end_lineno or 0)
        for node in body
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
    }
