"""Counts the checks of each test from its source; a test without any can only fail when the code raises."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from ...utils.python_names import last_name
from ...utils.python_source import parse_python

_CHECKING = re.compile(r"(assert|expect|verify|check|should|raises|warns|fail|match|approx|snapshot)", re.IGNORECASE)


Strength = Literal["none", "weak", "exact"]


@dataclass(frozen=True, slots=True)
class AssertionProfile:
    """How many checks a test has, and how strong they are.

    Attributes:
        count: checks in its body, and in helpers of the file that it uses.
        strength: `none`: it can only fail when the code raises. `weak`: it only checks that something exists, is true
            or of a type. `exact`: it compares with a value, or expects an exception or a warning.
    """

    count: int
    strength: Strength


def assertion_profiles(source: str) -> dict[int, AssertionProfile]:
    """Profiles each test of a file, keyed by its first line (of its first decorator, if it has one).

    An `assert`, a `raise`, and any call or block named like a check (`assertEqual`, `pytest.raises`, `check_total`)
    count as one, also in helpers of the file that the test calls or fixtures that it takes.

    Raises:
        SyntaxError: the file is not Python.
    """
    return {_first_line(node): checks for _, node, checks in _profiled_tests(source)}


def _first_line(node: _Function) -> int:
    return min([node.lineno, *(decorator.lineno for decorator in node.decorator_list)])


def _profiled_tests(source: str) -> Iterator[tuple[str, _Function, AssertionProfile]]:
    tree = parse_python(source)
    functions = {node.name: node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)}
    for name, node in _tests(tree.body, ""):
        yield name, node, _profile(_exactness(node, functions, set()))


def tests_without_checks(source: str) -> frozenset[str]:
    """Tests that assert nothing, as `function` or `Class::method`. Raises SyntaxError."""
    return frozenset(name for name, _, checks in _profiled_tests(source) if checks.strength == "none")


_Function = ast.FunctionDef | ast.AsyncFunctionDef
# Calls that only check that something exists, is true or of a type.
_WEAK_CALLS = frozenset(
    {"assertTrue", "assertFalse", "assertIsNotNone", "assertIsInstance", "assertNotEqual", "assertIsNot", "assertNotIn"}
)
_PLAIN_QUESTIONS = frozenset({"isinstance", "hasattr", "callable", "issubclass", "len", "bool"})


def _tests(body: list[ast.stmt], holder: str) -> Iterator[tuple[str, _Function]]:
    for node in body:
        if isinstance(node, ast.ClassDef):
            yield from _tests(node.body, f"{holder}{node.name}::")
        elif isinstance(node, _Function) and node.name.startswith("test"):
            yield f"{holder}{node.name}", node


def _profile(found: list[bool]) -> AssertionProfile:
    """Builds a profile from the checks, True for each exact one."""
    return AssertionProfile(len(found), "exact" if any(found) else "weak" if found else "none")


def _exactness(function: _Function, functions: dict[str, _Function], seen: set[str]) -> list[bool]:
    seen.add(function.name)
    used = {argument.arg for argument in [*function.args.args, *function.args.kwonlyargs]}
    found = []
    asserted = {id(part) for node in ast.walk(function) if isinstance(node, ast.Assert) for part in ast.walk(node.test)}
    for node in ast.walk(function):
        if isinstance(node, ast.Assert):
            found.append(not _is_weak(node.test))
        elif isinstance(node, ast.Raise):
            found.append(True)
        elif isinstance(node, ast.Call):
            name = last_name(node.func)
            used.add(name)
            if name in _WEAK_CALLS:
                # assertTrue(a == b) compares all the same.
                found.append(name in ("assertTrue", "assertFalse") and bool(node.args) and not _is_weak(node.args[0]))
            elif _CHECKING.search(name) and name not in functions and id(node) not in asserted:
                found.append(True)
    for name in sorted(used):
        if name in functions and name not in seen:
            inner = _exactness(functions[name], functions, seen)
            found += inner or ([True] if _CHECKING.search(name) else [])
    return found


def _is_weak(test: ast.expr) -> bool:
    """Whether an asserted expression says little: a bare value, `is not None`, `isinstance(…)`, a length above 0."""
    if isinstance(test, ast.BoolOp):
        return all(_is_weak(value) for value in test.values)
    if isinstance(test, ast.UnaryOp):
        return _is_weak(test.operand)
    if isinstance(test, ast.Compare):
        operator, right = test.ops[0], test.comparators[0]
        if isinstance(operator, ast.IsNot | ast.NotEq | ast.NotIn):
            return True
        return isinstance(operator, ast.Gt | ast.GtE) and isinstance(right, ast.Constant) and right.value in (0, 1)
    if isinstance(test, ast.Call):
        return getattr(test.func, "id", "") in _PLAIN_QUESTIONS
    return isinstance(test, ast.Name | ast.Attribute | ast.Constant | ast.NamedExpr)
