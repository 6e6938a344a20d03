"""Renders unittest tests: a TestCase for each subject, a method for each case."""

from __future__ import annotations

import ast
from dataclasses import replace

from ....utils.python_source import parse_expression
from ..model.spec_case import CAPTURE, FORGET_PRINTED, Case, SpecExpectation
from ..source.polish import polish
from .render_body import ActWrapper, body_lines, helper_imports, pattern
from .render_pytest import docstring, is_flat

# assertAlmostEqual rounds to seven places: numbers outside this range need a tolerance of their own.
_SMALLEST, _LARGEST = 1e-3, 1e6
_TOLERANCE = 1e-6


class UnittestDialect:
    """The dialect of unittest; `imports` collects the imports it needs."""

    def __init__(self) -> None:
        self.imports: set[str] = {"import unittest"}

    def fixture(self, name: str) -> list[str]:
        """`tmp_path` as a temporary folder that is removed after the test."""
        if name != "tmp_path":
            return []
        self.imports.update(("import pathlib", "import tempfile"))
        return [
            "folder = tempfile.TemporaryDirectory()",
            "self.addCleanup(folder.cleanup)",
            "tmp_path = pathlib.Path(folder.name)",
        ]

    def check(self, one: SpecExpectation, actual: str) -> list[str]:
        """The assertion method with the most specific failure message."""
        value = polish(one.value) if one.value is not None else "None"
        if one.kind == "approx":
            return self._approximate(one, actual, value)
        if one.kind == "is":
            return [f"self.assertIsNone({actual})" if value == "None" else f"self.assertIs({actual}, {value})"]
        forms = {
            "equals": f"self.assertEqual({actual}, {value})",
            "is_instance": f"self.assertIsInstance({actual}, {value})",
            "length": f"self.assertEqual(len({actual}), {value})",
            "holds": f"self.assertTrue({actual})",
        }
        return [forms[one.kind]]

    def raising(self, one: SpecExpectation) -> str:
        """`self.assertRaises(…)` or `self.assertRaisesRegex(…)`."""
        return self._expected("self.assertRaises", one)

    def code(self) -> str:
        """The code of the exception that `assertRaises` caught."""
        return "raised.exception.code"

    def warning(self, demands: list[SpecExpectation]) -> ActWrapper:
        """`self.assertWarns(…)` or `self.assertWarnsRegex(…)`; several warnings are recorded, because nested checks
        would swallow them."""
        if len(demands) == 1:
            return ActWrapper((self._expected("self.assertWarns", demands[0]),))
        self.imports.add("import warnings")
        checks: list[str] = []
        for demand in demands:
            said = f" and {polish(repr(demand.match))} in str(one.message)" if demand.match else ""
            checks.append(f"self.assertTrue(any(one.category is {demand.exception}{said} for one in caught))")
        return ActWrapper(
            ("warnings.catch_warnings(record=True) as caught",), ('warnings.simplefilter("always")',), tuple(checks)
        )

    def capturing(self, *, output: bool, errors: bool) -> list[str]:
        """Standard output goes to `output` while the act runs, standard error to `printed_errors`."""
        if output or errors:
            self.imports.update(("import contextlib", "import io"))
        found = ["contextlib.redirect_stdout(io.StringIO()) as output"] if output else []
        return [*found, "contextlib.redirect_stderr(io.StringIO()) as printed_errors"] if errors else found

    def captured(self, *, output: bool, errors: bool) -> tuple[list[str], str, str]:
        """The captured text."""
        return [], "output.getvalue()", "printed_errors.getvalue()"

    def _expected(self, method: str, one: SpecExpectation) -> str:
        exception = one.exception or "Exception"
        if not one.match:
            return f"{method}({exception})"
        text, needs_re = pattern(one.match, whole=one.whole)
        if needs_re:
            self.imports.add("import re")
        return f"{method}Regex({exception}, {text})"

    def _approximate(self, one: SpecExpectation, actual: str, value: str) -> list[str]:
        node = parse_expression(value)
        if not is_flat(node) or not _within_places(node, one):
            return _each(actual, node, one)
        if isinstance(node, ast.List | ast.Tuple):
            return [
                f"self.assertEqual(len({actual}), {len(node.elts)})",
                f"for actual, expected in zip({actual}, {value}):",
                "    self.assertAlmostEqual(actual, expected)",
            ]
        if isinstance(node, ast.Dict):
            return [
                f"expected = {value}",
                f"self.assertEqual(set({actual}), set(expected))",
                "for key, number in expected.items():",
                f"    self.assertAlmostEqual({actual}[key], number)",
            ]
        return [f"self.assertAlmostEqual({actual}, {value}{_tolerance(node, one)})"]


def method_lines(case: Case, name: str, dialect: UnittestDialect, *, owner: str | None = None) -> list[str]:
    """Renders the method of one case; `owner`: the test class that contains it."""
    dialect.imports.update(helper_imports(case))
    # The block around the act captures what that prints, and nothing before it.
    case = replace(
        case,
        statements=tuple(one for one in case.statements if one != FORGET_PRINTED),
        fixtures=tuple(one for one in case.fixtures if one != CAPTURE),
    )
    lines = [*docstring(case, name, owner), *body_lines(case, dialect)]
    return [f"def {name}(self):", *("\n".join(f"    {p}" if p else "" for p in line.split("\n")) for line in lines)]


def _within_places(node: ast.expr, one: SpecExpectation) -> bool:
    """Whether seven decimal places are the right tolerance for every number of a list, tuple or dictionary."""
    if not isinstance(node, ast.List | ast.Tuple | ast.Dict):
        return True
    numbers = node.values if isinstance(node, ast.Dict) else node.elts
    return not any(_tolerance(number, one) for number in numbers)


def _each(actual: str, node: ast.expr, one: SpecExpectation) -> list[str]:
    """Asserts every float with a tolerance, everything else exactly."""
    if isinstance(node, ast.List | ast.Tuple):
        lines = [f"self.assertEqual(len({actual}), {len(node.elts)})"]
        return lines + [line for at, inner in enumerate(node.elts) for line in _each(f"{actual}[{at}]", inner, one)]
    if isinstance(node, ast.Dict) and all(key is not None for key in node.keys):
        keys = [ast.unparse(key) for key in node.keys if key is not None]
        sides = f"set({actual}), {{{', '.join(keys)}}}" if keys else f"{actual}, {{}}"
        lines = [f"self.assertEqual({sides})"]
        pairs = zip(keys, node.values, strict=True)
        return lines + [line for key, inner in pairs for line in _each(f"{actual}[{key}]", inner, one)]
    number = node.operand if isinstance(node, ast.UnaryOp) else node
    value = polish(ast.unparse(node))
    if isinstance(number, ast.Constant) and isinstance(number.value, float):
        return [f"self.assertAlmostEqual({actual}, {value}{_tolerance(node, one)})"]
    return [f"self.assertEqual({actual}, {value})"]


def _tolerance(node: ast.expr, one: SpecExpectation) -> str:
    if one.absolute is not None:
        return f", delta={one.absolute!r}"
    inner = node.operand if isinstance(node, ast.UnaryOp) else node
    if not isinstance(inner, ast.Constant) or not isinstance(inner.value, int | float):
        return ""
    size = abs(inner.value)
    if one.relative is not None and size:
        return f", delta={size * one.relative!r}"
    if size == 0 or _SMALLEST <= size <= _LARGEST:
        return ""
    return f", delta={size * _TOLERANCE:.0e}"
