"""Finds the lines of an API's handlers, so that evidence points at source code."""

from __future__ import annotations

import ast
from dataclasses import replace
from pathlib import Path

from ....utils.python_source import parse_python
from ...repository.python_routes import python_facts
from ..model.model import Api, Operation


def handler_lines(api: Api, root: Path) -> Api:
    """Add the lines of handlers in the API's file; lines that are known are kept. Blocks."""
    file = root / api.path
    if not api.path.endswith(".py") or not file.is_file():
        return api
    try:
        text = file.read_text(encoding="utf-8")
        tree = parse_python(text)
    except (OSError, UnicodeDecodeError, SyntaxError, ValueError, RecursionError):
        return api
    ends = {
        node.lineno: node.end_lineno or node.lineno
        for node in ast.walk(tree)
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
    }
    places = {(route.method, route.path.rstrip("/")): route.line for route in python_facts(api.path, text).routes}
    return replace(api, operations=tuple(_placed(operation, api.path, places, ends) for operation in api.operations))


def _placed(operation: Operation, path: str, places: dict[tuple[str, str], int], ends: dict[int, int]) -> Operation:
    if operation.lines != (1, 1) or operation.source != path:
        return operation
    line = places.get((operation.method, operation.path.rstrip("/")))
    if line is None:
        return operation
    return replace(operation, lines=(line, ends.get(line, line)))
