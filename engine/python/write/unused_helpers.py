"""Finds what only removed tests used: functions, fixtures, classes and constants at the top of a test file."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterator

from ....utils.python_source import parse_or_none


def left_behind(before: str, after: str) -> list[ast.stmt]:
    """Return the statements of a file that something used before tests were cut out, and nothing uses now.

    What nothing used before either, such as a fixture for all tests, is left alone.
    """
    earlier, now = parse_or_none(before), parse_or_none(after)
    if earlier is None or now is None:
        return []
    needed = set(_uses(earlier.body))
    body, found = list(now.body), list[ast.stmt]()
    while True:
        used = _uses(body)
        unused = [node for node in body if (name := _defined(node)) and name in needed and not used[name]]
        if not unused:
            return found
        found += unused
        body = [node for node in body if node not in unused]  # what only they used is unused now, too


def _uses(body: list[ast.stmt]) -> Counter[str]:
    """Count the statements in which each name occurs, that of its own definition left out."""
    return Counter(name for node in body for name in set(_names(node)) - {_defined(node)})


def _names(node: ast.AST) -> Iterator[str]:
    for inner in ast.walk(node):
        if isinstance(inner, ast.Name):
            yield inner.id
        elif isinstance(inner, ast.arg):
            yield inner.arg  # a fixture
        elif isinstance(inner, ast.Constant) and isinstance(inner.value, str):
            yield inner.value  # one that is asked for by its name


def _defined(node: ast.stmt) -> str:
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        return "" if node.name.lower().startswith("test") else node.name
    if isinstance(node, ast.Assign) and len(node.targets) == 1 and isinstance(node.targets[0], ast.Name):
        name = node.targets[0].id
        return "" if name in ("pytestmark", "pytest_plugins") else name
    return ""
