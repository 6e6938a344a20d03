"""Arguments that play the same part in a call, as in `distance(first, second)`, and what they have in common."""

from __future__ import annotations

import ast
import re
from collections.abc import Mapping, Sequence
from typing import Any

from ....utils.python_source import literal_or
from ..model.model import CallableFacts, Parameter
from .titles import arguments_of

EQUAL, APART = "equal", "nothing_in_common"
_PAIRED: Mapping[str, str] = {
    "first": "second last",
    "left": "right",
    "this": "that",
    "one": "two another",
    "source": "target",
    "actual": "expected",
    "old": "new",
}
"""Words of names, and those of the names of counterparts. Letters and numbers follow each other."""


def are_counterparts(first: str, second: str) -> bool:
    """Whether two names are those of what plays the same part: `s1` and `s2`, `left` and `right`."""
    if second in ("other", f"other_{first}", f"{first}_other"):
        return True
    words, others = (re.findall(r"[a-z]+|\d+", name.lower()) for name in (first, second))
    differing = [(here, there) for here, there in zip(words, others, strict=False) if here != there]
    if len(words) != len(others) or len(differing) != 1:
        return False
    here, there = differing[0]
    follows = len(here) == len(there) == 1 and ord(there) == ord(here) + 1
    return follows or there in _PAIRED.get(here, "").split()


def takes_counterparts(one: CallableFacts) -> bool:
    """Whether the first two arguments of a call play the same part."""
    taken = _taken(one)
    return _is_spread(taken) or (len(taken) > 1 and are_counterparts(taken[0].name, taken[1].name))


def counterpart_names(one: CallableFacts) -> tuple[str, ...]:
    """The names of the first two parameters where these play the same part; none where any number may be passed."""
    taken = _taken(one)
    return () if _is_spread(taken) or not takes_counterparts(one) else (taken[0].name, taken[1].name)


def _taken(one: CallableFacts) -> list[Parameter]:
    return [item for item in one.parameters if item.name not in ("self", "cls")]


def _is_spread(taken: Sequence[Parameter]) -> bool:
    return bool(taken) and taken[0].kind == "var_positional"


def common_parts(first: Any, second: Any) -> set[Any] | None:
    """What two texts, or two lists or tuples of numbers and texts, both hold; None for other values, and empty ones."""
    if type(first) is not type(second) or not isinstance(first, str | list | tuple) or not (first and second):
        return None
    if not isinstance(first, str) and any(type(item) not in (int, str) for item in (*first, *second)):
        return None
    return set(first) & set(second)


def relation_words(expression: str, one: CallableFacts | None) -> str:
    """Says how two counterparts of a call are related, as the id of a row; empty for nothing special."""
    if one is None or not takes_counterparts(one):
        return ""
    names = counterpart_names(one)
    passed = arguments_of(expression, one)
    # What goes into `*args` has no name of its own.
    found = [argument.node for argument in passed if (argument.name in names if names else not argument.name)]
    return relation_of(found[0], found[1]) if len(found) == 2 else ""


def relation_of(first: ast.expr, second: ast.expr) -> str:
    """Says how two values are related: `EQUAL`, `APART`, or empty."""
    values = [literal_or(one, None) for one in (first, second)]
    common = common_parts(*values)
    if common is None:
        return ""
    return EQUAL if values[0] == values[1] else "" if common else APART
