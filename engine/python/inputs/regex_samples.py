"""Texts that a regular expression matches, the shortest plain ones (B-06)."""

from __future__ import annotations

import re
import warnings
from typing import Any

try:
    from re import _constants, _parser  # type: ignore[attr-defined]
except ImportError:  # Python 3.10
    import sre_constants as _constants
    import sre_parse as _parser

_MOST = 3
_LONGEST = 60
_SPECIAL = re.compile(r"[\\^$*+?\[\](){}|]")
_CATEGORIES = {
    "CATEGORY_DIGIT": "7",
    "CATEGORY_NOT_DIGIT": "a",
    "CATEGORY_SPACE": " ",
    "CATEGORY_NOT_SPACE": "a",
    "CATEGORY_WORD": "a",
    "CATEGORY_NOT_WORD": "-",
}
_PLAIN = "abcxyzABC0123456789 -_.,:;!"


def is_pattern(text: str) -> bool:
    """Whether a text reads like a regular expression rather than like words."""
    return bool(_SPECIAL.search(text)) and _parsed(text) is not None


def samples(pattern: str, most: int = _MOST) -> list[str]:
    """Texts in which the pattern is found, each proven; none where the pattern is broken or too odd."""
    parsed = _parsed(pattern)
    if parsed is None:
        return []
    found: dict[str, None] = {}
    for turn in range(2 * most):
        try:
            text = _text(parsed, turn, {})
        except (_OddError, RecursionError, OverflowError):
            return list(found)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            if 0 < len(text) <= _LONGEST and re.search(pattern, text):
                found[text] = None
    return list(found)[:most]


class _OddError(Exception):
    """Something that is not sampled."""


def _parsed(pattern: str) -> Any:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            re.compile(pattern)
            return _parser.parse(pattern)
    except (re.error, RecursionError, OverflowError):
        return None


def _text(parsed: Any, turn: int, groups: dict[int, str]) -> str:
    return "".join(_part(operator, argument, turn, groups) for operator, argument in parsed)


def _part(operator: Any, argument: Any, turn: int, groups: dict[int, str]) -> str:
    name = str(operator)
    if name == "LITERAL":
        return chr(argument)
    if name in ("NOT_LITERAL", "ANY"):
        return next(one for one in _PLAIN if name == "ANY" or ord(one) != argument)
    if name == "IN":
        return _one_of(argument, turn)
    if name == "BRANCH":
        branches = argument[1]
        return _text(branches[turn % len(branches)], turn, groups)
    if name == "SUBPATTERN":
        groups[argument[0]] = _text(argument[-1], turn, groups)
        return groups[argument[0]]
    if name in ("MAX_REPEAT", "MIN_REPEAT", "POSSESSIVE_REPEAT"):
        least, most, inner = argument
        times = max(least, min(turn % 2 or 1, most)) if turn % 3 != 2 else least
        return "".join(_text(inner, turn, groups) for _ in range(min(times, _LONGEST)))
    if name == "GROUPREF":
        return groups.get(argument, "")
    if name == "ATOMIC_GROUP":
        return _text(argument, turn, groups)
    if name in ("AT", "ASSERT_NOT", "ASSERT"):
        return _text(argument[1], turn, groups) if name == "ASSERT" and argument[0] > 0 else ""
    raise _OddError


def _one_of(items: list[Any], turn: int) -> str:
    if str(items[0][0]) == "NEGATE":
        return next(one for one in _PLAIN if not any(_holds(item, one) for item in items[1:]))
    operator, argument = items[turn % len(items)]
    name = str(operator)
    if name == "LITERAL":
        return chr(argument)
    if name == "RANGE":
        low, high = argument
        return chr(min(high, low + turn % 2))
    if name == "CATEGORY":
        return _category(argument)
    raise _OddError


def _category(argument: Any) -> str:
    found = _CATEGORIES.get(str(argument))
    if found is None:
        raise _OddError
    return found


def _holds(item: Any, letter: str) -> bool:
    operator, argument = item
    name = str(operator)
    if name == "LITERAL":
        return ord(letter) == argument
    if name == "RANGE":
        return argument[0] <= ord(letter) <= argument[1]
    if name == "CATEGORY":
        kind = {"DIGIT": r"\d", "SPACE": r"\s", "WORD": r"\w"}[str(argument).rpartition("_")[2]]
        return bool(re.match(kind, letter)) != ("_NOT_" in str(argument))
    return True


assert _constants  # part of what the parser's trees are made of
