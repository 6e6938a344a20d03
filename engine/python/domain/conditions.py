"""Checks the preconditions and bounds of a domain on literals."""

from __future__ import annotations

import ast
from typing import Any

from ....utils.python_source import literal_or
from ..model.domain import ParameterDomain

_UNKNOWN = object()

SORTED_FLAG = r"(?:is_|pre_?|already_?|assume_?)sorted"
"""A pattern for names of flags that say that data is sorted already."""


def meets(node: ast.expr, domain: ParameterDomain) -> bool:
    """Whether a value meets the bounds and preconditions of its domain; True where that is not certain."""
    value = literal_or(node, _UNKNOWN)
    if value is _UNKNOWN:
        return True
    if isinstance(value, int | float) and not isinstance(value, bool):
        if domain.minimum is not None and value < domain.minimum:
            return False
        if domain.maximum is not None and value > domain.maximum:
            return False
    return all(_meets(one.kind, value) for one in domain.preconditions)


def _meets(kind: str, value: Any) -> bool:
    if kind == "positive":
        return not isinstance(value, int | float) or value > 0
    if kind == "non-negative":
        return not isinstance(value, int | float) or value >= 0
    if kind == "non-empty":
        return not hasattr(value, "__len__") or len(value) > 0
    if kind == "digits":
        return not isinstance(value, str) or value.isdigit()
    if kind == "binary digits":
        return not isinstance(value, str) or set(value) <= {"0", "1"}
    if kind == "letters":
        return not isinstance(value, str) or value.isalpha() or not value
    if kind == "absolute path":
        return not isinstance(value, str) or value.startswith("/")
    if kind == "palindrome":
        return not isinstance(value, str) or value == value[::-1]
    if kind == "sorted":
        return not isinstance(value, list | tuple) or _is_sorted(value)
    if kind == "unique":
        return not isinstance(value, list | tuple) or len({repr(item) for item in value}) == len(value)
    if kind == "square":
        rows = value if isinstance(value, list | tuple) else []
        return all(isinstance(row, list | tuple) and len(row) == len(rows) for row in rows)
    return True


def _is_sorted(value: list[Any] | tuple[Any, ...]) -> bool:
    try:
        return list(value) == sorted(value)
    except TypeError:
        return True
