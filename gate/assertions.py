"""Tests that check nothing: they can only fail when the code raises (B-11)."""

from __future__ import annotations

import ast
import re

from ..utils.python_source import parse_python

_CHECKING = re.compile(r"(assert|expect|verify|check|should|raises|warns|fail|match|approx|snapshot)", re.IGNORECASE)


def tests_without_checks(source: str) -> frozenset[str]:
    """Functions of a test file that assert nothing, as `function` or `Class::method`.

    An `assert`, a `raise`, and any call or block named like a check (`assertEqual`, `pytest.raises`, `check_total`)
    count as one, also in helpers of the file that the test calls or fixtures that it takes.

    Raises:
        SyntaxError: the file is not Python.
    """
    tree = parse_python(source)
    functions = {node.name: node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)}
    found: set[str] = set()
    _collect(tree.body, "", functions, found)
    return frozenset(found)


_Function = ast.FunctionDef | ast.AsyncFunctionDef


def _collect(body: list[ast.stmt], holder: str, functions: dict[str, _Function], found: set[str]) -> None:
    for node in body:
        if isinstance(node, ast.ClassDef):
            _collect(node.body, f"{holder}{node.name}::", functions, found)
        elif isinstance(node, _Function) and node.name.startswith("test") and not _checks(node, functions, set()):
            found.add(f"{holder}{node.name}")


def _checks(function: _Function, functions: dict[str, _Function], seen: set[str]) -> bool:
    seen.add(function.name)
    used = {argument.arg for argument in [*function.args.args, *function.args.kwonlyargs]}
    for node in ast.walk(function):
        if isinstance(node, ast.Assert | ast.Raise):
            return True
        if isinstance(node, ast.Call):
            name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
            if _CHECKING.search(name):
                return True
            used.add(name)
    return any(name in functions and name not in seen and _checks(functions[name], functions, seen) for name in used)
