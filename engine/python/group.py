"""Cases that share a shape become the rows of one table (a parametrised test).

Two cases share a shape when their code differs only in values: arguments of the same call, right-hand sides of the same
assignments, expected values.
A group reads `test_name__column__column`, so that whoever renders it knows what to call the test and its columns.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace

from ...utils.python_source import parse_expression, parse_python
from .spec_case import Case, Expectation

MOST_ROWS = 12
MOST_COLUMNS = 5
LONGEST_CELL = 160
_WORD = re.compile(r"^[a-z0-9]+(_[a-z0-9]+)*$")
_NAMES = re.compile(r"(?<![.\w'\"])[A-Za-z_]\w*(?!\w|=[^=])")
# Builtins and standard value types whose construction does nothing else.
_INERT_CALLS = frozenset(
    "float int complex bytes bytearray set frozenset tuple list dict range slice "
    "date datetime time timedelta timezone Decimal Fraction UUID Path PurePosixPath".split()
)
_HOLE = "__testwright_hole_{}__"

ParameterName = Callable[[ast.Call, int], "str | None"]


@dataclass(frozen=True, slots=True)
class Hole:
    """A place of the shape where rows may differ. `name` is what a reader would call it."""

    name: str
    values: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Table:
    """Cases as one template and rows: `template` has the columns' names where `rows` (in case order) have values."""

    template: Case
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    cases: tuple[Case, ...]


@dataclass(frozen=True, slots=True)
class Group:
    """A spec's `group` taken apart: the test's name without `test_`, and what its columns are called."""

    name: str
    columns: tuple[str, ...] = ()

    @property
    def text(self) -> str:
        """The group as it stands in the spec: `intcomma__value__ndigits`."""
        return "__".join((self.name, *(one for one in self.columns if _WORD.match(one))))


def read_group(text: str) -> Group:
    """A group from a spec."""
    name, *columns = text.split("__")
    return Group(name, tuple(columns))


def shape(case: Case) -> str | None:
    """A key that is equal for cases of one shape; None where a case has to stand alone."""
    try:
        form = _Form(case)
    except SyntaxError:
        return None
    if any(len(value) > LONGEST_CELL or "\n" in value or r"\n" in value for value in form.values):
        return None
    return form.key


def tabulate(
    cases: Sequence[Case], names: Sequence[str] = (), parameter_name: ParameterName | None = None
) -> Table | None:
    """The table of cases of one shape, or None when they have none in common.

    Args:
        names: what to call the columns; ignored unless there is one for each.
        parameter_name: what the parameter is called that a call's positional argument goes to, None where unknown.
    """
    if len(cases) < 2:
        return None
    try:
        forms = [_Form(case, parameter_name) for case in cases]
    except SyntaxError:
        return None
    if len({form.key for form in forms}) != 1:
        return None
    width = len(forms[0].values)
    holes = [Hole(forms[0].names[at], tuple(form.values[at] for form in forms)) for at in range(width)]
    varying = [at for at, hole in enumerate(holes) if len(set(hole.values)) > 1]
    same = _echoes(holes, varying)
    varying = [at for at in varying if at not in same]
    if not varying or len(varying) > MOST_COLUMNS:
        return None
    taken = _names_read(forms[0].key) | forms[0].locals
    taken |= {name for at in range(width) if at not in varying for name in _names_read(holes[at].values[0])}
    given = len(names) == len(varying) and len(set(names)) == len(names) and not taken & set(names)
    columns = tuple(names) if given else _distinct([holes[at].name for at in varying], taken)
    filling = {at: holes[at].values[0] for at in range(width)}
    filling.update(zip(varying, columns, strict=True))
    filling.update({at: filling[origin] for at, origin in same.items()})
    rows = tuple(tuple(form.values[at] for at in varying) for form in forms)
    if len(set(rows)) != len(rows):
        return None
    return Table(forms[0].filled(filling), columns, rows, tuple(cases))


def _echoes(holes: Sequence[Hole], varying: Sequence[int]) -> dict[int, int]:
    """Expected values of an attribute that are, in every row, what was given for a parameter of the same name."""
    found: dict[int, int] = {}
    for at in varying:
        for other in varying:
            if holes[at].name == f"expected_{holes[other].name}" and holes[at].values == holes[other].values:
                found[at] = other
    return found


def buckets(cases: Iterable[Case]) -> list[list[Case]]:
    """Cases by subject and shape, each in order, at most `MOST_ROWS` together; cases that stand alone come alone."""
    found: dict[tuple[str, str], list[Case]] = {}
    for number, case in enumerate(cases):
        key = shape(case)
        found.setdefault((case.subject, key if key is not None else f"alone {number}"), []).append(case)
    split: list[list[Case]] = []
    for members in found.values():
        parts = -(-len(members) // MOST_ROWS)
        size = -(-len(members) // parts)
        split += [members[start : start + size] for start in range(0, len(members), size)]
    return split


class _Form:
    """One case taken apart into a shape with holes, and the source in each hole."""

    def __init__(self, case: Case, parameter_name: ParameterName | None = None) -> None:
        self.case = case
        self.values: list[str] = []
        self.names: list[str] = []
        self._parameter_name = parameter_name
        self.locals = bound_names(case.statements) | {"result", *case.fixtures}
        self._statements = [self._statement(text) for text in case.statements]
        self._act = self._opened(parse_expression(case.expression), "value")
        self._expect = [self._expectation(one) for one in case.expect]
        parts = [case.mode, ",".join(case.fixtures), *self._statements, self._act]
        parts += [f"{one.kind}|{one.actual}|{one.exception}|{one.value}|{one.match}" for one in self._expect]
        self.key = "\n".join(parts)

    def filled(self, filling: dict[int, str]) -> Case:
        """The case with each hole replaced by source text."""

        def fill(text: str) -> str:
            return re.sub(_HOLE.format(r"(\d+)"), lambda found: filling[int(found[1])], text)

        expect = tuple(
            replace(
                one,
                actual=fill(one.actual),
                value=None if one.value is None else fill(one.value),
                match=None if one.match is None else _match_text(fill(one.match)),
            )
            for one in self._expect
        )
        return replace(
            self.case,
            statements=tuple(fill(one) for one in self._statements),
            expression=fill(self._act),
            expect=expect,
        )

    def _hole(self, source: str, name: str) -> str:
        self.values.append(source)
        self.names.append(name)
        return _HOLE.format(len(self.values) - 1)

    def _statement(self, text: str) -> str:
        body = parse_python(text.strip()).body
        if len(body) != 1:
            return text.strip()
        node = body[0]
        if isinstance(node, ast.Assign) and len(node.targets) == 1 and isinstance(node.targets[0], ast.Name):
            name = node.targets[0].id
            return f"{name} = {self._opened(node.value, name, whole=True)}"
        if isinstance(node, ast.Expr):
            return self._opened(node.value, "value")
        return ast.unparse(node)

    def _opened(self, node: ast.expr, name: str, *, whole: bool = False) -> str:
        """Source with holes for the arguments of the calls along its spine; `whole` lets a plain value be one hole."""
        if isinstance(node, ast.Call):
            function = self._opened(node.func, name)
            arguments = [self._argument(one, self._called(node, at) or name) for at, one in enumerate(node.args)]
            arguments += [
                f"{one.arg}={self._argument(one.value, one.arg)}" if one.arg else f"**{ast.unparse(one.value)}"
                for one in node.keywords
            ]
            return f"{function}({', '.join(arguments)})"
        if isinstance(node, ast.Attribute):
            inner = self._opened(node.value, name)
            return f"{inner}.{node.attr}" if isinstance(node.value, _SPINE) else f"({inner}).{node.attr}"
        if isinstance(node, ast.Subscript):
            key = self._argument(node.slice, "key") if isinstance(node.slice, _KEYS) else _index_text(node.slice)
            return f"{self._opened(node.value, name)}[{key}]"
        if isinstance(node, ast.Compare) and len(node.ops) == 1:
            left, right = self._argument(node.left, name), self._argument(node.comparators[0], "other")
            return f"{left} {_operator(node)} {right}"
        if isinstance(node, ast.Await):
            return f"await {self._opened(node.value, name)}"
        if whole and self._is_data(node):
            return self._hole(ast.unparse(node), name)
        return ast.unparse(node)

    def _called(self, call: ast.Call, position: int) -> str | None:
        return self._parameter_name(call, position) if self._parameter_name is not None else None

    def _argument(self, node: ast.expr, name: str) -> str:
        if self._is_data(node):
            return self._hole(ast.unparse(node), name)
        if isinstance(node, ast.Starred):
            return ast.unparse(node)
        return self._opened(node, name)

    def _is_data(self, node: ast.expr) -> bool:
        """Whether an expression reads no local names, so that it can move into a table outside the test."""
        if isinstance(node, ast.Starred):
            return False
        return all(self._is_inert(one) for one in ast.walk(node))

    def _is_inert(self, node: ast.AST) -> bool:
        """Whether building the value runs no code of the target: tables are built when the file is imported."""
        if isinstance(node, ast.Name):
            return node.id not in self.locals
        if isinstance(node, ast.Call):
            called = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
            return called in _INERT_CALLS
        return not isinstance(node, ast.Await | ast.Yield | ast.YieldFrom | ast.NamedExpr)

    def _expectation(self, one: Expectation) -> Expectation:
        value = one.value
        if value is not None:
            name = "expected" if one.actual == "result" else f"expected_{_tail(one.actual)}"
            value = self._argument(parse_expression(value), name)
        match = one.match if one.match is None else self._hole(repr(one.match), "message")
        return replace(one, value=value, match=match, evidence=one.evidence)


_KEYS = (ast.Constant, ast.UnaryOp)
_SPINE = (ast.Name, ast.Attribute, ast.Call, ast.Subscript)


class MatchName(str):
    """A `match` that is the name of a column, not literal text."""

    __slots__ = ()


def _index_text(node: ast.expr) -> str:
    """What stands between the brackets of a subscript: a tuple without parentheses."""
    return ast.unparse(ast.Subscript(ast.Name("x"), node, ast.Load()))[2:-1]


def _operator(node: ast.Compare) -> str:
    plain = ast.Compare(ast.Name("x"), node.ops, [ast.Name("y")])
    return ast.unparse(plain)[2:-2]


def _match_text(source: str) -> str:
    return MatchName(source) if source.isidentifier() else ast.literal_eval(source)


def bound_names(statements: Iterable[str]) -> set[str]:
    """Every name that statements bind, also inside blocks. Raises SyntaxError."""
    found: set[str] = set()
    for statement in statements:
        for node in ast.walk(parse_python(statement.strip())):
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
                found.add(node.id)
            elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
                found.add(node.name)
    return found


def _tail(expression: str) -> str:
    words = re.findall(r"[A-Za-z_]\w*", expression)
    return words[-1].strip("_") or "value" if words else "value"


def _names_read(text: str) -> set[str]:
    return {name for name in _NAMES.findall(text) if not name.startswith("__testwright")}


def _distinct(names: Sequence[str], taken: set[str]) -> tuple[str, ...]:
    """Names made different from each other and from those the code reads already."""
    used = set(taken)
    found: list[str] = []
    for name in names:
        base = name if name.isidentifier() else "value"
        choice, number = base, 2
        if choice in used:
            choice = f"{base}_value"
        while choice in used:
            choice, number = f"{base}_{number}", number + 1
        used.add(choice)
        found.append(choice)
    return tuple(found)
