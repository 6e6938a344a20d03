"""Generates texts that a body accepts: matches of its regular expressions, dates in its formats."""

from __future__ import annotations

import datetime
import re
import re._constants as codes  # pyright: ignore[reportMissingImports] - not in typeshed
import re._parser as parser  # pyright: ignore[reportMissingImports] - not in typeshed
from collections.abc import Callable
from typing import Any

_MOMENT = datetime.datetime(2024, 2, 29, 10, 30, 15, tzinfo=datetime.UTC)
_LOOKS_LIKE_PATTERN = re.compile(r"\\[dwsWDSbAZ.]|\[[^\]]+\][+*?{]?|\(\?|^\^|\$$|\.[*+]|\)[*+?]")
_MAXIMUM = 60
_LETTERS = {
    codes.CATEGORY_DIGIT: "1",
    codes.CATEGORY_NOT_DIGIT: "a",
    codes.CATEGORY_SPACE: " ",
    codes.CATEGORY_NOT_SPACE: "a",
    codes.CATEGORY_WORD: "a",
    codes.CATEGORY_NOT_WORD: "-",
}


def text_examples(constant: str) -> list[str]:
    """Texts for one string constant: a date when it is a date format, matches when it is a regular expression."""
    if re.search(r"%[YmdHMSyjBbAaIp]", constant):
        text = _MOMENT.strftime(constant)
        return [text] if text != constant and "%" not in text else []
    prose = constant.count(" ") > 2
    return matching_texts(constant) if _LOOKS_LIKE_PATTERN.search(constant) and not prose else []


def matching_texts(pattern: str) -> list[str]:
    """At most three texts that the pattern matches: the shortest, one with every optional part, one in between."""
    try:
        compiled = re.compile(pattern)
        tree = parser.parse(pattern)
    except (re.error, RecursionError, OverflowError, ValueError):
        return []
    found: list[str] = []
    for choose in (lambda low, _: low, lambda low, high: min(high, max(low, 1)), lambda low, high: min(high, low + 2)):
        text = _text(tree, choose, {})
        if text and len(text) <= _MAXIMUM and text not in found and compiled.search(text):
            found.append(text)
    return found


def _text(tree: Any, choose: Callable[[int, int], int], groups: dict[int, str]) -> str:
    return "".join(_item(code, value, choose, groups) for code, value in tree)


def _item(code: Any, value: Any, choose: Callable[[int, int], int], groups: dict[int, str]) -> str:
    if code is codes.LITERAL:
        return chr(value)
    if code is codes.ANY:
        return "a"
    if code is codes.NOT_LITERAL:
        return "a" if value != ord("a") else "b"
    if code is codes.IN:
        return _member(value)
    if code is codes.BRANCH:
        branches = value[1]
        return _text(branches[min(len(branches) - 1, choose(0, 1))], choose, groups)
    if code is codes.SUBPATTERN:
        text = _text(value[3], choose, groups)
        if value[0] is not None:
            groups[value[0]] = text
        return text
    if code in (codes.MAX_REPEAT, codes.MIN_REPEAT, codes.POSSESSIVE_REPEAT):
        low, high, inner = value
        count = min(choose(low, high if high is not codes.MAXREPEAT else low + 3), 12)
        return "".join(_text(inner, choose, groups) for _ in range(max(count, low if low < 12 else 12)))
    if code is codes.ATOMIC_GROUP:
        return _text(value, choose, groups)
    if code is codes.GROUPREF:
        return groups.get(value, "")
    return ""


def _member(items: Any) -> str:
    """A character of a set; for a negated one a plain character that is not in it."""
    if items and items[0][0] is codes.NEGATE:
        excluded = "".join(_characters(items[1:]))
        return next((one for one in "ax1 -_" if one not in excluded), "é")
    return next(iter(_characters(items)), "")


def _characters(items: Any) -> list[str]:
    found: list[str] = []
    for code, value in items:
        if code is codes.LITERAL:
            found.append(chr(value))
        elif code is codes.RANGE:
            low, high = value
            found.extend(chr(one) for one in ((low + 1, high, low) if chr(low) == "0" else (low, high)))
        elif code is codes.CATEGORY:
            found.append(_LETTERS.get(value, "a"))
    return found
