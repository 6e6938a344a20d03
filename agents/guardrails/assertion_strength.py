"""Rates how strong one assertion is, from its syntax tree with the names of its test resolved."""

from __future__ import annotations

import ast
import builtins
import math
from collections.abc import Iterator, Mapping
from itertools import pairwise

from ...utils.python_names import last_name

Bindings = Mapping[str, ast.expr]
"""What each name was last bound to before the assertion, in its own test."""

NOTHING, TRUE, PROPERTY, NEAR, EXACT = range(5)
"""Strengths: asserts nothing (a constant, a thing compared with itself), truth, a property, nearly equal, equal."""

_EXACT = frozenset(
    """assertEqual assertIs assertListEqual assertDictEqual assertSetEqual assertTupleEqual assertSequenceEqual
    assertMultiLineEqual assertCountEqual assertIsNone""".split()
)
_ANYTHING = frozenset({"ANY"})
_DEEPEST = 12
_BUILTINS = frozenset(dir(builtins))
_DEFAULT_LOOSENESS = 1e-6


def assertion_strength(test: ast.expr, bound: Bindings) -> int:
    """Rates the expression of an `assert`, from NOTHING to EXACT."""
    if isinstance(test, ast.BoolOp) and isinstance(test.op, ast.Or):
        return min(TRUE, *(assertion_strength(value, bound) for value in test.values))
    if isinstance(test, ast.BoolOp):
        return max(assertion_strength(value, bound) for value in test.values)
    if isinstance(test, ast.IfExp):
        return min(assertion_strength(test.body, bound), assertion_strength(test.orelse, bound))
    if isinstance(test, ast.NamedExpr):
        return assertion_strength(test.value, bound)
    if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        return min(PROPERTY, assertion_strength(test.operand, bound))
    if isinstance(test, ast.Tuple | ast.List | ast.Dict | ast.Set | ast.Lambda | ast.JoinedStr | ast.GeneratorExp):
        return NOTHING
    if isinstance(test, ast.Compare):
        return _comparison(test, bound)
    if not depends_on_code(test, bound):
        return NOTHING
    if isinstance(test, ast.Call):
        return {"isinstance": PROPERTY, "isclose": NEAR}.get(last_name(test.func), TRUE)
    return TRUE


def call_strength(call: ast.Call, bound: Bindings) -> int | None:
    """Rates an asserting method (`self.assertEqual`); None for any other call."""
    name = last_name(call.func)
    if not name.startswith("assert") or not isinstance(call.func, ast.Attribute):
        return None
    if (
        not name.startswith("assert_")
        and call.args
        and not any(depends_on_code(argument, bound) for argument in call.args[:2])
    ):
        return NOTHING
    if name in _EXACT:
        arguments = call.args[:2]
        return NOTHING if len(arguments) == 2 and is_same_expression(arguments[0], arguments[1], bound) else EXACT
    if name == "assertAlmostEqual":
        return NEAR
    if name in ("assertTrue", "assertFalse", "assertIsNotNone"):
        return min(TRUE, assertion_strength(call.args[0], bound)) if call.args else NOTHING
    return PROPERTY


def tolerances(test: ast.AST) -> list[float]:
    """Lists the tolerances of the approximate comparisons in an assertion."""
    found: list[float] = []
    for node in ast.walk(test):
        if not isinstance(node, ast.Call | ast.Compare):
            continue
        if isinstance(node, ast.Compare):
            found += _distance(node)
        elif last_name(node.func) in ("approx", "isclose"):
            given = [keyword.value for keyword in node.keywords if keyword.arg in ("rel", "abs", "rel_tol", "abs_tol")]
            given += node.args[1:3] if last_name(node.func) == "approx" else []
            found.append(max((_number(given_value) for given_value in given), default=_DEFAULT_LOOSENESS))
        elif last_name(node.func) == "assertAlmostEqual":
            found.append(_places(node))
    return found


def depends_on_code(node: ast.AST, bound: Bindings, depth: int = 0) -> bool:
    """Whether a value depends on more than the test's own constants: a call of imported code, or a parameter."""
    if depth > _DEEPEST:
        return True
    for inner in ast.walk(node):
        if not isinstance(inner, ast.Name) or not isinstance(inner.ctx, ast.Load):
            continue
        if inner.id in bound:
            if bound[inner.id] is not node and depends_on_code(bound[inner.id], bound, depth + 1):
                return True
        elif inner.id not in _BUILTINS:
            return True
    return False


def is_same_expression(left: ast.expr, other: ast.expr, bound: Bindings) -> bool:
    """Whether two expressions are equal once names are resolved."""
    return ast.dump(_resolved(left, bound)) == ast.dump(_resolved(other, bound))


def _comparison(test: ast.Compare, bound: Bindings) -> int:
    sides = [test.left, *test.comparators]
    if any(is_same_expression(item, other, bound) for item, other in pairwise(sides)):
        return NOTHING
    if any(last_name(_resolved(side, bound)) in _ANYTHING for side in sides):
        return NOTHING
    if not any(depends_on_code(side, bound) for side in sides):
        return NOTHING
    if not isinstance(test.ops[0], ast.Eq | ast.Is):
        return TRUE if isinstance(test.ops[0], ast.IsNot) else PROPERTY
    return NEAR if any(_is_approx(_resolved(side, bound)) for side in sides) else EXACT


def _resolved(node: ast.expr, bound: Bindings, depth: int = 0) -> ast.expr:
    """Follows names to the expression that they were last bound to."""
    while isinstance(node, ast.Name) and node.id in bound and depth < _DEEPEST:
        node, depth = bound[node.id], depth + 1
    return node.value if isinstance(node, ast.NamedExpr) else node


def _is_approx(side: ast.expr) -> bool:
    return isinstance(side, ast.Call) and last_name(side.func) == "approx"


def _distance(node: ast.Compare) -> Iterator[float]:
    """Yields the tolerance of a comparison such as `abs(a - b) < 0.1`."""
    within = isinstance(node.left, ast.Call) and last_name(node.left.func) == "abs"
    if within and isinstance(node.ops[0], ast.Lt | ast.LtE):
        yield _number(node.comparators[0])


def _places(node: ast.Call) -> float:
    given = {keyword.arg: keyword.value for keyword in node.keywords}
    if "delta" in given:
        return _number(given["delta"])
    places = given.get("places") or (node.args[2] if len(node.args) > 2 else None)
    return 10 ** -_number(places) if places is not None else 1e-7


def _number(node: ast.expr) -> float:
    if isinstance(node, ast.Constant) and isinstance(node.value, int | float):
        return float(node.value)
    return math.inf
