"""Texts that fit a regular expression, and texts that do not: the plainest, always the same."""

from __future__ import annotations

import re
from collections.abc import Callable
from re import _constants as constants  # type: ignore[attr-defined]
from re import _parser as parser  # type: ignore[attr-defined]
from typing import Any

_FAVOURITES = "a1A0b-_ .@"
_LONGEST = 2000
_MISFITS = ("!", "no match!", "?", "0", "-", "A", "a", "1", "  ", "é", "__", "a b", "x/y")


def fits(pattern: str, text: str) -> bool:
    """Whether a pattern, as JSON Schema means it, is found in a text; False for one that Python does not read."""
    try:
        return re.search(pattern, text) is not None
    except (re.error, RecursionError):
        return False


def matching(pattern: str, *, name: str = "", shortest: int = 0, longest: int | None = None) -> str | None:
    """A text of a length that fits a pattern: the name itself where it does; None where none is found."""
    limit = min(longest if longest is not None else _LONGEST, _LONGEST)
    try:
        tree = parser.parse(pattern)
    except (re.error, RecursionError, OverflowError):
        return None
    plain = [
        name,
        name.replace("_", "-"),
        name.replace("_", ""),
        name.title(),
        name.upper()[:3],
        "abc",
        "ABC",
        "1",
        "123",
    ]
    built = [text for extra in (0, 1, 2, shortest, 10) if (text := _built(tree, extra)) is not None]
    for text in (*plain, *built):
        if text and shortest <= len(text) <= limit and fits(pattern, text):
            return text
    for text in built:
        padded = text + text[-1:] * (shortest - len(text))
        if shortest <= len(padded) <= limit and fits(pattern, padded):
            return padded
    return "" if shortest == 0 and fits(pattern, "") else None


def not_matching(pattern: str, *, shortest: int = 0, longest: int | None = None) -> str | None:
    """A text of an allowed length that a pattern is not found in; None where none is found."""
    limit = min(longest if longest is not None else _LONGEST, _LONGEST)
    try:
        re.compile(pattern)
    except (re.error, RecursionError):
        return None
    for text in _MISFITS:
        padded = text * max(1, -(-shortest // len(text)))
        padded = padded[: max(shortest, len(text))]
        if shortest <= len(padded) <= limit and not fits(pattern, padded):
            return padded
    return None


def _built(tree: Any, extra: int) -> str | None:
    """A text that the tree of a pattern describes, each repetition `extra` times more than it must."""
    try:
        return "".join(_part(kind, value, extra) for kind, value in tree)
    except (_CannotError, RecursionError):
        return None


class _CannotError(Exception):
    """A part of a pattern that no plain text is made for."""


def _part(kind: Any, value: Any, extra: int = 0) -> str:
    if kind is constants.LITERAL:
        return chr(value)
    if kind is constants.NOT_LITERAL:
        return next(one for one in _FAVOURITES if ord(one) != value)
    if kind is constants.ANY:
        return "a"
    if kind is constants.AT:
        return ""
    if kind is constants.IN:
        return _one_of(value)
    if kind in (constants.MAX_REPEAT, constants.MIN_REPEAT):
        least, most, inner = value
        times = min(least + extra, int(most) if most is not constants.MAXREPEAT else least + extra, _LONGEST)
        return "".join(_part(one[0], one[1]) for _ in range(times) for one in inner)
    if kind is constants.SUBPATTERN:
        return "".join(_part(one[0], one[1], extra) for one in value[-1])
    if kind is constants.BRANCH:
        return "".join(_part(one[0], one[1], extra) for one in value[1][0])
    raise _CannotError


def _one_of(options: Any) -> str:
    """The plainest character of a class."""
    negated = bool(options) and options[0][0] is constants.NEGATE

    def held(character: str) -> bool:
        return any(_holds(kind, value, character) for kind, value in options if kind is not constants.NEGATE)

    for one in (*_FAVOURITES, *map(chr, range(33, 127))):
        if held(one) is not negated:
            return one
    for kind, value in options:
        if kind is constants.LITERAL:
            return chr(value)
        if kind is constants.RANGE:
            return chr(value[0])
    raise _CannotError


def _holds(kind: Any, value: Any, character: str) -> bool:
    if kind is constants.LITERAL:
        return ord(character) == value
    if kind is constants.RANGE:
        return value[0] <= ord(character) <= value[1]
    tests: dict[Any, Callable[[str], bool]] = {
        constants.CATEGORY_DIGIT: str.isdigit,
        constants.CATEGORY_SPACE: str.isspace,
        constants.CATEGORY_WORD: lambda one: one.isalnum() or one == "_",
    }
    opposite = {
        constants.CATEGORY_NOT_DIGIT: constants.CATEGORY_DIGIT,
        constants.CATEGORY_NOT_SPACE: constants.CATEGORY_SPACE,
        constants.CATEGORY_NOT_WORD: constants.CATEGORY_WORD,
    }
    if value in tests:
        return bool(tests[value](character))
    return value in opposite and not tests[opposite[value]](character)
