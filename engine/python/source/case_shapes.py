"""Splits cases into a shape and values, so that cases of one shape can become rows of a table."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable
from dataclasses import replace

from ....utils.python_names import assigned_names, last_name
from ....utils.python_source import parse_expression, parse_python
from ..model.spec_case import Case, SpecExpectation
from .moments import NOW

# Builtins and standard value types whose construction has no side effects.
_INERT_CALLS = frozenset(
    "float int complex bytes bytearray set frozenset tuple list dict range slice "
    "date datetime time timedelta timezone Decimal Fraction UUID Path PurePosixPath".split()
)
_HOLE = "__testwright_hole_{}__"
NAMELESS = "value"
_EXPECTED = "expected_"
ParameterName = Callable[[ast.Call, int], "str | None"]


class CaseShape:
    """A case as a shape with numbered holes (`key`), and the source text of each hole (`values`, `names`).

    Attributes:
        columns: arranged names that a column of a table may bear in place of their assignment.
        read: the shape without the functions that it defines.
        takers: for each hole what is called with it: `.add` for a method, `Box` or `parse` for others, else nothing.
    """

    def __init__(self, case: Case, parameter_name: ParameterName | None = None) -> None:
        self.case = case
        self.values: list[str] = []
        self.names: list[str] = []
        self.takers: list[str] = []
        self._taker = ""
        self._parameter_name = parameter_name
        self.columns: set[str] = set()
        # A class of the target may have the name of a standard one.
        self._own = case.subject.rpartition(".")[0].rpartition(".")[2] or case.subject
        self.locals = assigned_names(case.statements) | {"result", *case.fixtures}
        self._statements = [self._statement(text) for text in case.statements]
        self._act = self._opened(parse_expression(case.expression), NAMELESS)
        self._expect = [self._expectation(expectation) for expectation in case.expect]
        parts = [case.mode, ",".join(case.fixtures), *self._statements, self._act]
        parts += [f"{one.kind}|{one.actual}|{one.exception}|{one.value}|{one.match}" for one in self._expect]
        self.key = "\n".join(parts)
        self.locals -= self.columns
        self.read = "\n".join(part for part in parts if not part.startswith("def "))

    def filled(self, filling: dict[int, str]) -> Case:
        """The case with each hole replaced by source text."""

        def fill(text: str) -> str:
            return re.sub(_HOLE.format(r"(\d+)"), lambda found: filling[int(found[1])], text)

        expect = tuple(
            replace(
                expectation,
                actual=fill(expectation.actual),
                value=None if expectation.value is None else fill(expectation.value),
                match=None if expectation.match is None else _match_text(fill(expectation.match)),
            )
            for expectation in self._expect
        )
        return replace(
            self.case,
            statements=tuple(
                text
                for text in map(fill, self._statements)
                if text not in {f"{name} = {name}" for name in self.columns}
            ),
            expression=fill(self._act),
            expect=expect,
        )

    def _hole(self, source: str, name: str) -> str:
        self.values.append(source)
        self.names.append(name)
        self.takers.append(self._taker)
        return _HOLE.format(len(self.values) - 1)

    def _statement(self, text: str) -> str:
        body = parse_python(text.strip()).body
        if len(body) != 1:
            return text.strip()
        node = body[0]
        if isinstance(node, ast.Assign) and len(node.targets) == 1 and isinstance(node.targets[0], ast.Name):
            name = node.targets[0].id
            if name == NOW and self._is_data(node.value):
                self.columns.add(name)
                return f"{name} = {self._hole(ast.unparse(node.value), name)}"
            return f"{name} = {self._opened(node.value, name, whole=True)}"
        if isinstance(node, ast.Expr):
            return self._patched(node.value) or self._opened(node.value, NAMELESS)
        return ast.unparse(node)

    def _patched(self, node: ast.expr) -> str:
        """Source of a change of the surroundings; the name of what is changed stays in the test's body."""
        if not isinstance(node, ast.Call) or not ast.unparse(node.func).startswith("monkeypatch."):
            return ""
        given = [ast.unparse(argument) for argument in node.args]
        if last_name(node.func) == "setenv" and isinstance(node.args[0], ast.Constant) and len(given) == 2:
            given[1] = self._argument(node.args[1], str(node.args[0].value).lower())
        named = [f"{keyword.arg}={ast.unparse(keyword.value)}" for keyword in node.keywords]
        return f"{ast.unparse(node.func)}({', '.join((*given, *named))})"

    def _opened(self, node: ast.expr, name: str, *, whole: bool = False) -> str:
        """Source with holes for the arguments of its chained calls; `whole` lets a plain value be one hole."""
        if whole and self._makes_plain_value(node):
            return self._hole(ast.unparse(node), name)
        if isinstance(node, ast.Call):
            function = self._opened(node.func, name)
            outer, self._taker = self._taker, f"{'.' * isinstance(node.func, ast.Attribute)}{last_name(node.func)}"
            named = self._parameter_name or (lambda _call, _at: None)
            arguments = [self._argument(arg, named(node, at) or name) for at, arg in enumerate(node.args)]
            prefix = _EXPECTED if name.startswith(_EXPECTED) else ""
            arguments += [
                f"{keyword.arg}={self._argument(keyword.value, prefix + keyword.arg)}"
                if keyword.arg
                else f"**{ast.unparse(keyword.value)}"
                for keyword in node.keywords
            ]
            self._taker = outer
            return f"{function}({', '.join(arguments)})"
        if isinstance(node, ast.Attribute):
            inner = self._opened(node.value, name)
            return f"{inner}.{node.attr}" if isinstance(node.value, _SPINE) else f"({inner}).{node.attr}"
        if isinstance(node, ast.Subscript):
            key = self._argument(node.slice, "key") if isinstance(node.slice, _KEYS) else _index_text(node.slice)
            return f"{self._opened(node.value, name)}[{key}]"
        if isinstance(node, ast.Compare) and len(node.ops) == 1:
            left, right = self._argument(node.left, name), self._argument(node.comparators[0], "other")
            operator = ast.unparse(ast.Compare(ast.Name("x"), node.ops, [ast.Name("y")]))[2:-2]
            return f"{left} {operator} {right}"
        if isinstance(node, ast.Await):
            return f"await {self._opened(node.value, name)}"
        if whole and self._is_data(node):
            return self._hole(ast.unparse(node), name)
        if isinstance(node, ast.List) and any(isinstance(item, ast.Call) for item in node.elts):
            return f"[{', '.join(self._argument(item, name) for item in node.elts)}]"
        return ast.unparse(node)

    def _argument(self, node: ast.expr, name: str) -> str:
        if self._is_data(node):
            return self._hole(ast.unparse(node), name)
        if isinstance(node, ast.Starred):
            return ast.unparse(node)
        return self._opened(node, name)

    def _is_data(self, node: ast.expr) -> bool:
        """Whether an expression reads no local names, so that it can move into a table outside the test."""
        return not isinstance(node, ast.Starred) and all(self._is_inert(one) for one in ast.walk(node))

    def _makes_plain_value(self, node: ast.expr) -> bool:
        """Whether a call makes a value of a standard type, which says more than its parts: a date, not year and day."""
        return isinstance(node, ast.Call) and last_name(node.func) in _INERT_CALLS and self._is_data(node)

    def _is_inert(self, node: ast.AST) -> bool:
        """Whether building the value runs no code of the target: tables are built when the file is imported."""
        if isinstance(node, ast.Name):
            return node.id not in self.locals
        if isinstance(node, ast.Call):
            own = node.func.value if isinstance(node.func, ast.Attribute) else None
            of_text = isinstance(own, ast.Constant) and isinstance(own.value, str | bytes)
            called = last_name(node.func)
            return of_text or (called in _INERT_CALLS and called != self._own)
        return not isinstance(node, ast.Await | ast.Yield | ast.YieldFrom | ast.NamedExpr)

    def _expectation(self, one: SpecExpectation) -> SpecExpectation:
        value = one.value
        if value is not None:
            name = "expected" if one.actual == "result" else f"expected_{_tail(one.actual)}"
            tree = parse_expression(value)
            # The parts of an expected object are named for its attributes: `expected_key`, `expected_error`.
            value = self._of_sole_argument(tree) or self._argument(tree, name if self._is_data(tree) else _EXPECTED)
        column = "warning" if one.kind == "warns" else "message"
        match = one.match if one.match is None else self._hole(repr(one.match), column)
        return replace(one, value=value, match=match, evidence=one.evidence)

    def _of_sole_argument(self, tree: ast.expr) -> str:
        """An expected object that is made of one value, which stands for it: `Box(expected)`; empty for others."""
        if not isinstance(tree, ast.Call) or len(tree.args) != 1 or tree.keywords or self._is_data(tree):
            return ""
        inner = tree.args[0]
        return f"{ast.unparse(tree.func)}({self._hole(ast.unparse(inner), 'expected')})" if self._is_data(inner) else ""


_KEYS = (ast.Constant, ast.UnaryOp)
_SPINE = (ast.Name, ast.Attribute, ast.Call, ast.Subscript)


class MatchName(str):
    """Marks a `match` that names a column of the table, not literal text."""

    __slots__ = ()


def _index_text(node: ast.expr) -> str:
    """The text between the brackets of a subscript: a tuple goes without parentheses."""
    return ast.unparse(ast.Subscript(ast.Name("x"), node, ast.Load()))[2:-1]


def _match_text(source: str) -> str:
    return MatchName(source) if source.isidentifier() else ast.literal_eval(source)


def _tail(expression: str) -> str:
    words = re.findall(r"[A-Za-z_]\w*", expression)
    return (words[-1].strip("_") if words else "") or "value"
