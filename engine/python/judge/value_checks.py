"""Derives expectations about a value: exact, with a tolerance, sorted, by attributes, or by length and beginning."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable
from functools import lru_cache
from types import UnionType

from ....utils.python_names import last_name
from ....utils.python_source import literal_or, literal_value, parse_expression, shared_expression
from ..model.model import Value
from ..model.spec_case import SpecExpectation
from .value_parts import accessor_joined, is_private_part

LONGEST_SOURCE = 900
MOST_ATTRIBUTE_CHECKS = 5
_LONGEST_ATTRIBUTE = 120
_EMPTY_OBJECT = re.compile(
    r"""[A-Za-z_][\w.]*\((?:['"]?0?(\.0)?['"]?|(?:\[\]|\(\)|\{\})(?:, \w+=(?:-?[\d.]+|None|True|False))*)\)"""
)
_NUMBER = re.compile(r"-?\d+(\.\d+)?")
_NO_LITERAL = object()
_EQUAL_TO_DICTIONARIES = frozenset({"Counter", "OrderedDict"})
_NAN_CALLS = frozenset({"float('nan')", "float('-nan')", "decimal('nan')", "decimal.decimal('nan')"})


def value_checks(
    actual: str, value: Value, unstable: tuple[str, ...] = (), *, own: str = "", depth: int = 0
) -> tuple[list[SpecExpectation], list[str]]:
    """Returns expectations that compare `actual` with a value, and the imports they need; none if impossible.

    Args:
        own: the module under test, from which a test imports even where it is private.
    """
    if actual in unstable:
        return [], []
    if value.source is not None and not _private_imports(value.imports, own):
        return [*_kind_of_mapping(actual, value), *_pinned(actual, value)], list(value.imports)
    if depth or not value.attributes:
        return [], []
    checks: list[SpecExpectation] = []
    imports: list[str] = []
    # Attributes that are empty are mostly defaults: an object made of nothing has them too.
    known = [attribute for attribute in value.attributes if attribute[1].source not in (None, "None")]
    filled = [one for one in known if not one[0].isidentifier() or not is_empty_source(one[1].source or "")]
    # Beside other numbers a zero may well be one end of a range.
    if any(_NUMBER.fullmatch(inner.source or "") for _, inner in filled):
        zeros = [one for one in known if one not in filled and _NUMBER.fullmatch(one[1].source or "")]
        filled = [one for one in known if one in filled or one in zeros[: MOST_ATTRIBUTE_CHECKS - len(filled)]]
    # Beside attributes that a reader takes in, a table of the object's inside says nothing.
    brief = [one for one in filled if len(one[1].source or "") <= _LONGEST_ATTRIBUTE]
    for name, inner in brief or filled or known or value.attributes:
        if is_private_part(name) or len(checks) >= MOST_ATTRIBUTE_CHECKS:
            continue
        found, needed = value_checks(accessor_joined(actual, name), inner, unstable, own=own, depth=1)
        checks += found
        imports += needed
    return checks, imports


def is_compared(checks: Iterable[SpecExpectation]) -> bool:
    """Whether a result is compared with another value as a whole."""
    return any(check.kind == "equals" and check.actual == "result" for check in checks)


@lru_cache(maxsize=4096)
def is_empty_source(source: str) -> bool:
    """Whether a source stands for an empty value: a false literal, or an object built from zero or, with whatever
    options, from nothing."""
    if _EMPTY_OBJECT.fullmatch(source):
        return True
    value = literal_or(source, _NO_LITERAL)
    return value is not _NO_LITERAL and not value and not isinstance(value, float)


def fields_of(value: Value) -> tuple[tuple[str, Value], ...]:
    """Returns the fields of an object whose source is `Class(field=value, …)`; none for other sources."""
    node = parse_expression(value.source or "None")
    if not isinstance(node, ast.Call) or node.args:
        return ()
    return tuple(
        (keyword.arg, Value("object", ast.unparse(keyword.value), value.imports, _holds(keyword.value, float)))
        for keyword in node.keywords
        if keyword.arg and not any(isinstance(part, ast.Call) for part in ast.walk(keyword.value))
    )


def _holds(node: ast.expr, kind: type | UnionType) -> bool:
    """Whether an expression contains a constant of a type."""
    return any(isinstance(part, ast.Constant) and isinstance(part.value, kind) for part in ast.walk(node))


def _kind_of_mapping(actual: str, value: Value) -> list[SpecExpectation]:
    """The type of a result that is equal to a plain dictionary as well."""
    node = shared_expression(value.source or "None")
    if actual != "result" or not isinstance(node, ast.Call) or last_name(node.func) not in _EQUAL_TO_DICTIONARIES:
        return []
    return [SpecExpectation("is_instance", actual, ast.unparse(node.func))]


def _pinned(actual: str, value: Value) -> list[SpecExpectation]:
    source = value.source or ""
    if source in ("None", "True", "False"):
        return [SpecExpectation("is", actual, source)]
    node = shared_expression(source)
    if node is None:
        return []
    if isinstance(node, ast.Name) and not value.imports:
        return [SpecExpectation("is", actual, source)]  # the very object that a variable holds
    if _has_nan(node):
        return [SpecExpectation("holds", f"math.isnan({actual})")] if isinstance(node, ast.Call | ast.Attribute) else []
    if len(source) > LONGEST_SOURCE:
        return _summary(actual, node, value)
    if value.unordered and isinstance(node, ast.List | ast.Tuple):
        ordered = _sorted_literal(source)
        if ordered is not None:
            return [SpecExpectation("equals", f"sorted({actual})", ordered)]
    # Infinity and values without a float are exact.
    approximate = value.approximate and "inf" not in source and _holds(node, float | complex)
    return [SpecExpectation("approx" if approximate else "equals", actual, source)]


def _summary(actual: str, node: ast.expr, value: Value) -> list[SpecExpectation]:
    """Compares a long string or sequence by its length and its beginning."""
    checks = [] if value.length is None else [SpecExpectation("length", actual, str(value.length))]
    if isinstance(node, ast.Constant) and isinstance(node.value, str | bytes):
        beginning = node.value[:60]
        checks.append(SpecExpectation("equals", f"{actual}[:60]", repr(beginning)))
    elif isinstance(node, ast.List) and node.elts:
        beginning = ast.unparse(ast.List(elts=node.elts[:3], ctx=ast.Load()))
        if len(beginning) <= LONGEST_SOURCE // 3:
            checks.append(SpecExpectation("equals", f"{actual}[:{min(3, len(node.elts))}]", beginning))
    return checks


def _sorted_literal(source: str) -> str | None:
    try:
        items = literal_value(source)
        if any(isinstance(item, set | dict) for item in items):
            return None
        return repr(sorted(items))
    except (ValueError, TypeError):
        return None


def _has_nan(node: ast.expr) -> bool:
    """Whether a value contains NaN, written `float("nan")` or `math.nan`, which is unequal to itself."""
    for one in ast.walk(node):
        if isinstance(one, ast.Call) and ast.unparse(one).lower() in _NAN_CALLS:
            return True
        if isinstance(one, ast.Attribute) and one.attr == "nan":
            return True
    return False


def _private_imports(imports: tuple[str, ...], own: str) -> bool:
    named = [one.removeprefix(f"from {own} import ") for one in imports]
    return any(part.startswith("_") for one in named for part in one.replace(".", " ").split())
