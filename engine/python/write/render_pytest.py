"""Renders pytest tests: functions, tables by `pytest.mark.parametrize`, a class for the members of a class."""

from __future__ import annotations

import ast
import math
from collections.abc import Mapping, Sequence

from ....utils.names.case_names import named_case
from ....utils.python_source import parse_expression
from ..judge.case_tables import ParameterTable
from ..model.spec_case import PRINTED_ERRORS, Case, SpecExpectation
from ..source.case_shapes import MatchName
from ..source.polish import polish
from .render_body import ActWrapper, body_lines, helper_imports, pattern

# Width of a docstring inside a method with lines of 88 characters.
_DOCSTRING_WIDTH = 80
_MOST_DOCUMENTS = 2
_LARGE, _OF_LARGE_NUMBERS = 1e5, 1e-9


class PytestDialect:
    """The dialect of pytest; `imports` collects the imports it needs."""

    def __init__(self) -> None:
        self.imports: set[str] = {"import pytest"}

    def fixture(self, name: str) -> list[str]:
        """pytest provides fixtures by argument."""
        return []

    def check(self, one: SpecExpectation, actual: str) -> list[str]:
        """A plain assert."""
        value = polish(one.value) if one.value is not None else "None"
        if one.kind == "approx":
            return [f"assert {actual} == {approximate(value, one)}"]
        forms = {
            "equals": f"{actual} == {value}",
            "is": f"{actual} is {value}",
            "is_instance": f"isinstance({actual}, {value})",
            "length": f"len({actual}) == {value}",
            "holds": actual,
        }
        return [f"assert {forms[one.kind]}"]

    def raising(self, one: SpecExpectation) -> str:
        """`pytest.raises(…)`."""
        return f"pytest.raises({self._expected(one)})"

    def code(self) -> str:
        """The code of the exception that `pytest.raises` caught."""
        return "raised.value.code"

    def warning(self, demands: list[SpecExpectation]) -> ActWrapper:
        """`pytest.warns(…)`, nested: each passes on the warnings that it does not match."""
        return ActWrapper(tuple(f"pytest.warns({self._expected(demand)})" for demand in demands))

    def capturing(self, *, output: bool, errors: bool) -> list[str]:
        """The `capsys` fixture needs no block."""
        return []

    def captured(self, *, output: bool, errors: bool) -> tuple[list[str], str, str]:
        """The text that `capsys` read; one call reads both streams."""
        both = output and errors
        read = "printed" if both else "capsys.readouterr()"
        return ["printed = capsys.readouterr()"] if both else [], f"{read}.out", f"{read}.err"

    def _expected(self, one: SpecExpectation) -> str:
        exception = one.exception or "Exception"
        if not one.match:
            return exception
        if isinstance(one.match, MatchName):
            self.imports.add("import re")
            exact = f'f"^{{re.escape({one.match})}}$"'
            return f"{exception}, match={exact if one.whole else f're.escape({one.match})'}"
        text, needs_re = pattern(one.match, whole=one.whole)
        if needs_re:
            self.imports.add("import re")
        return f"{exception}, match={text}"


def function_lines(case: Case, name: str, dialect: PytestDialect, *, owner: str | None = None) -> list[str]:
    """Renders the test function of one case.

    Args:
        owner: the test class that contains it.
    """
    dialect.imports.update(helper_imports(case))
    head = f"def {name}({_arguments(case, (), method=owner is not None)}):"
    return [head, *_indented([*docstring(case, name, owner), *body_lines(case, dialect)])]


def table_lines(table: ParameterTable, name: str, dialect: PytestDialect, *, owner: str | None = None) -> list[str]:
    """Renders the parametrised test of a table; row ids complete the test's name to the cases' ids."""
    case = table.template
    dialect.imports.update(helper_imports(case))
    names = repr(table.columns[0]) if len(table.columns) == 1 else repr(table.columns)
    documented = [one for one in table.cases if one.documented]
    together = documented_in(documented) if len(documented) == len(table.cases) else ""
    rows: list[str] = []
    told = "" if documented else "Observed"
    for one, row in zip(table.cases, table.rows, strict=True):
        source = documented_in([one]) if one.documented else "Observed"
        if not together and source != told:
            rows.append(f"        # {source}")
            told = source
        cells = ", ".join(polish(cell) for cell in row)
        # The part of the id that the test's name lacks; all of it where the name is no prefix of it.
        row_id = one.id.removeprefix(f"{named_case(owner, name)}_")
        rows.append(f'        pytest.param({cells}, id="{row_id}"),')
    lines = ["@pytest.mark.parametrize(", f"    {names},", "    [", *rows, "    ],", ")"]
    lines.append(f"def {name}({_arguments(case, table.columns, method=owner is not None)}):")
    if together:
        lines.append(f'    """{together}."""')
    return [*lines, *_indented(body_lines(case, dialect))]


def docstring(case: Case, name: str, owner: str | None) -> list[str]:
    """Returns docstring lines: the document of the case, if any, and its id where the test's name differs."""
    told = [] if named_case(owner, name) == case.id else [f"Case {case.id}."]
    found = [f"{documented_in([case])}."] if case.documented else []
    if not told or not found:
        return [f'"""{line}"""' for line in (*told, *found)]
    line = f'"""{told[0]} {found[0]}"""'
    return [line] if len(line) <= _DOCSTRING_WIDTH else [f'"""{told[0]}', "", found[0], '"""']


def documented_in(cases: Sequence[Case]) -> str:
    """Returns `Documented in Cart.add` for documented cases; their file where what documents them is unknown.

    Lines are left to the spec: they move with each edit above them.
    """
    found = [one for case in cases for one in case.documented]
    names = dict.fromkeys(one.object or one.path.rpartition("/")[2] for one in found)
    return f"Documented in {' and '.join(list(names)[:_MOST_DOCUMENTS])}"


def approximate(value: str, one: SpecExpectation) -> str:
    """Wraps `value` in `pytest.approx`: as a whole if it is flat, else each float."""
    node = parse_expression(value)
    stated = {"rel": one.relative, "abs": one.absolute}
    tolerances = {name: number for name, number in stated.items() if number is not None}
    if is_flat(node):
        extra = "".join(f", {name}={number!r}" for name, number in (tolerances or _tolerance_of(node)).items())
        return f"pytest.approx({value}{extra})"
    return ast.unparse(ast.fix_missing_locations(_Approximate(tolerances).visit(node)))


def _tolerance_of(node: ast.expr) -> dict[str, float]:
    """The tolerance of a value for which none is stated; empty where pytest's own will do."""
    return {"rel": _OF_LARGE_NUMBERS} if _has_large_number(node) else {}


def _has_large_number(node: ast.expr) -> bool:
    """Whether a millionth of a number, pytest's own tolerance, is more than a reader takes for a rounding error."""
    numbers = (one.value for one in ast.walk(node) if isinstance(one, ast.Constant))
    return any(isinstance(one, float) and math.isfinite(one) and abs(one) >= _LARGE for one in numbers)


def is_flat(node: ast.expr) -> bool:
    """Whether `pytest.approx` takes the value as a whole: a number, or a list, tuple or dict of plain values."""
    if isinstance(node, ast.List | ast.Tuple):
        return all(_is_scalar(element) for element in node.elts)
    if isinstance(node, ast.Dict):
        return all(_is_scalar(value) for value in node.values)
    return _is_scalar(node)


def _is_scalar(node: ast.expr) -> bool:
    if isinstance(node, ast.UnaryOp):
        return _is_scalar(node.operand)
    if isinstance(node, ast.BinOp):
        return _is_scalar(node.left) and _is_scalar(node.right)
    return isinstance(node, ast.Constant | ast.Name)


class _Approximate(ast.NodeTransformer):
    """Wraps each float of a value, with the tolerances that are stated for it."""

    def __init__(self, stated: Mapping[str, float]) -> None:
        self._stated = stated

    def visit_UnaryOp(self, node: ast.UnaryOp) -> ast.AST:
        if isinstance(node.operand, ast.Constant) and isinstance(node.operand.value, float):
            return self._wrapped(node)
        return self.generic_visit(node)

    def visit_Constant(self, node: ast.Constant) -> ast.AST:
        return self._wrapped(node) if isinstance(node.value, float) else node

    def _wrapped(self, node: ast.expr) -> ast.expr:
        approx = ast.Attribute(ast.Name("pytest", ast.Load()), "approx", ast.Load())
        tolerances = self._stated or _tolerance_of(node)
        extra = [ast.keyword(name, ast.Constant(number)) for name, number in tolerances.items()]
        return ast.Call(func=approx, args=[node], keywords=extra)


def _arguments(case: Case, columns: tuple[str, ...], *, method: bool) -> str:
    output = ["capsys"] if any(one.kind == "output" or one.actual == PRINTED_ERRORS for one in case.expect) else []
    fixtures = [name for name in (*case.fixtures, *output) if name not in columns]
    return ", ".join([*(["self"] if method else []), *dict.fromkeys(fixtures), *columns])


def _indented(lines: list[str]) -> list[str]:
    return ["\n".join(f"    {part}" if part else "" for part in line.split("\n")) for line in lines]
