"""Says in words what a test expects: a truth, a printed text, the beginning of a message."""

from __future__ import annotations

import ast
import re
from collections.abc import Sequence

from ....utils.names.case_names import snake_case
from ....utils.python_names import last_name
from ....utils.python_source import expression_or_none, shared_expression
from ..model.spec_case import CODE, Case
from .titles import shared_words

COMPARING = ("__eq__", "__ne__", "__lt__", "__le__", "__gt__", "__ge__", "__contains__")
_SPAN = r"\b(?:\d[\d.,]*|an?) (?:milli|micro)?(?:second|minute|hour|day|week|month|quarter|year|decade)s?\b"
_WAYS = (
    (re.compile(rf"{_SPAN} ago\b"), "in_the_past"),
    (re.compile(rf"{_SPAN} from now\b|^in {_SPAN}"), "in_the_future"),
)
_TRUTHS = ("True", "False", "None")


def outcome_words(case: Case) -> str:
    """Describes a plain outcome: `is_true`, `is_none`, `is_empty`, `prints`; empty for others."""
    one = case.expect[0]
    if one.kind == "output":
        return "prints"
    if one.kind == "warns":
        return f"warns_{snake_case((one.exception or '').rpartition('.')[2])}"
    equation = _equation(case.expression) if one.kind == "holds" else None
    if equation is not None and one.actual == "result":
        return _compared(equation)
    if equation is not None and one.actual == "not result":
        return "is_false" if case.subject.endswith(COMPARING) else "differs"
    if one.kind == "holds":
        return {"result": "is_true", "not result": "is_false"}.get(one.actual, "")
    if one.actual == CODE:
        return "exits"
    if one.actual == "result" and one.kind == "is" and one.value in _TRUTHS:
        return f"is_{one.value.lower()}"
    if one.actual == "result" and one.value in ("[]", "{}", "()", "''", "set()"):
        return "is_empty"
    return ""


def _equation(expression: str) -> ast.Compare | None:
    node = shared_expression(expression)
    return node if isinstance(node, ast.Compare) and [type(one) for one in node.ops] == [ast.Eq] else None


def _compared(node: ast.Compare) -> str:
    """Says what a call is compared with, as a document writes it: `equals_item` for `x.right == x[-1]`.

    Empty where that is a plain value.
    """
    for side in (node.comparators[0], node.left):
        if isinstance(side, ast.Subscript):
            return "equals_slice" if isinstance(side.slice, ast.Slice) else "equals_item"
    other = node.comparators[0]
    if isinstance(other, ast.Call | ast.Attribute):
        return f"equals_{snake_case(last_name(other.func if isinstance(other, ast.Call) else other))}"
    return ""


def size_words(case: Case) -> str:
    """Says of what size the result is that a case expects: `with_several_results`, `is_zero`; empty for others."""
    one = case.expect[0]
    node = expression_or_none(one.value or "") if one.actual == "result" and one.kind in ("equals", "approx") else None
    if isinstance(node, ast.List | ast.Set | ast.Dict | ast.Tuple):
        count = len(node.keys) if isinstance(node, ast.Dict) else len(node.elts)
        return "is_empty" if not count else "with_single_result" if count == 1 else "with_several_results"
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        return "is_negative"
    if isinstance(node, ast.Constant) and type(node.value) in (int, float):
        return "is_zero" if node.value == 0 else "is_positive"
    return ""


def direction_words(cases: Sequence[Case]) -> str:
    """Says which way the texts point in time that all cases expect, by their own words; empty for others."""
    return shared_words(map(_way, cases))


def _way(case: Case) -> str:
    one = case.expect[0]
    node = expression_or_none(one.value or "") if one.actual == "result" and one.kind == "equals" else None
    text = node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else ""
    return next((words for said, words in _WAYS if said.search(text)), "")
