"""Generates texts that a regular expression matches, and texts that it does not: the plainest, always the same.

Two generators walk the tree of Python's own parser. `samples` varies its texts, for unit tests of code that uses a
pattern; `matching` finds one text within limits of length, for values that a JSON Schema describes. Their texts are
part of generated tests, so neither may change.
"""

from __future__ import annotations

import re
import warnings
from re import _constants as constants  # type: ignore[attr-defined]
from re import _parser as parser  # type: ignore[attr-defined]
from typing import Any

_SPECIAL = re.compile(r"[\\^$*+?\[\](){}|]")
_REPEATS = (constants.MAX_REPEAT, constants.MIN_REPEAT)
_MAX_SAMPLES = 3
_MAX_SAMPLE_LENGTH = 60
_SAMPLE_LETTERS = "abcxyzABC0123456789 -_.,:;!"
_SAMPLE_CATEGORIES = {
    constants.CATEGORY_DIGIT: "7",
    constants.CATEGORY_NOT_DIGIT: "a",
    constants.CATEGORY_SPACE: " ",
    constants.CATEGORY_NOT_SPACE: "a",
    constants.CATEGORY_WORD: "a",
    constants.CATEGORY_NOT_WORD: "-",
}
_CATEGORY_PATTERNS = {
    constants.CATEGORY_DIGIT: r"\d",
    constants.CATEGORY_NOT_DIGIT: r"\D",
    constants.CATEGORY_SPACE: r"\s",
    constants.CATEGORY_NOT_SPACE: r"\S",
    constants.CATEGORY_WORD: r"\w",
    constants.CATEGORY_NOT_WORD: r"\W",
}
_MAX_VALUE_LENGTH = 2000
_VALUE_LETTERS = "a1A0b-_ .@"
_MISFITS = ("!", "no match!", "?", "0", "-", "A", "a", "1", "  ", "é", "__", "a b", "x/y")


class _UnsupportedError(Exception):
    """A part of a pattern that no text is generated for."""


def is_pattern(text: str) -> bool:
    """Whether a text reads like a regular expression rather than like words."""
    return bool(_SPECIAL.search(text)) and _parsed(text) is not None


def samples(pattern: str, most: int = _MAX_SAMPLES) -> list[str]:
    """Up to `most` texts in which the pattern is found, each verified; none where it is broken or unsupported."""
    parsed = _parsed(pattern)
    if parsed is None:
        return []
    found: dict[str, None] = {}
    for turn in range(2 * most):
        try:
            text = _Sample(turn).text(parsed)
        except (_UnsupportedError, RecursionError, OverflowError):
            return list(found)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            if 0 < len(text) <= _MAX_SAMPLE_LENGTH and re.search(pattern, text):
                found[text] = None
    return list(found)[:most]


def fits(pattern: str, text: str) -> bool:
    """Whether a pattern, as JSON Schema means it, is found in a text; False for one that Python does not read."""
    try:
        return re.search(pattern, text) is not None
    except (re.error, RecursionError):
        return False


def matching(pattern: str, *, name: str = "", shortest: int = 0, longest: int | None = None) -> str | None:
    """A text of `shortest` to `longest` characters that fits a pattern: the name itself if it fits; None if unknown."""
    limit = min(longest if longest is not None else _MAX_VALUE_LENGTH, _MAX_VALUE_LENGTH)
    try:
        tree = parser.parse(pattern)
    except (re.error, RecursionError, OverflowError):
        return None
    spellings = [name, name.replace("_", "-"), name.replace("_", ""), name.title(), name.upper()[:3]]
    built = [text for extra in (0, 1, 2, shortest, 10) if (text := _value(tree, extra)) is not None]
    for text in (*spellings, "abc", "ABC", "1", "123", *built):
        if text and shortest <= len(text) <= limit and fits(pattern, text):
            return text
    for text in built:
        padded = text + text[-1:] * (shortest - len(text))
        if shortest <= len(padded) <= limit and fits(pattern, padded):
            return padded
    return "" if shortest == 0 and fits(pattern, "") else None


def not_matching(pattern: str, *, shortest: int = 0, longest: int | None = None) -> str | None:
    """A text of an allowed length in which a pattern is not found; None where none is known."""
    limit = min(longest if longest is not None else _MAX_VALUE_LENGTH, _MAX_VALUE_LENGTH)
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


def _parsed(pattern: str) -> Any:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            re.compile(pattern)
            return parser.parse(pattern)
    except (re.error, RecursionError, OverflowError):
        return None


class _Sample:
    """Builds one sample; `turn` chooses branches, characters and repetitions."""

    def __init__(self, turn: int) -> None:
        self._turn = turn
        self._groups: dict[int, str] = {}

    def text(self, parsed: Any) -> str:
        """A text for a sequence of parts. Raises _UnsupportedError."""
        return "".join(self._part(kind, value) for kind, value in parsed)

    def _part(self, kind: Any, value: Any) -> str:
        if kind is constants.LITERAL:
            return chr(value)
        if kind in (constants.NOT_LITERAL, constants.ANY):
            return next(letter for letter in _SAMPLE_LETTERS if kind is constants.ANY or ord(letter) != value)
        if kind is constants.IN:
            return self._class(value)
        if kind is constants.BRANCH:
            return self.text(value[1][self._turn % len(value[1])])
        if kind is constants.SUBPATTERN:
            self._groups[value[0]] = self.text(value[-1])
            return self._groups[value[0]]
        if kind in (*_REPEATS, constants.POSSESSIVE_REPEAT):
            least, most, inner = value
            times = max(least, min(self._turn % 2 or 1, most)) if self._turn % 3 != 2 else least
            return "".join(self.text(inner) for _ in range(min(times, _MAX_SAMPLE_LENGTH)))
        if kind is constants.GROUPREF:
            return self._groups.get(value, "")
        if kind is constants.ATOMIC_GROUP:
            return self.text(value)
        if kind is constants.ASSERT:
            # A look-ahead is written out; what a look-behind demands stands in the text already, or never will.
            return self.text(value[1]) if value[0] > 0 else ""
        if kind in (constants.AT, constants.ASSERT_NOT):
            return ""
        raise _UnsupportedError

    def _class(self, items: Any) -> str:
        if items[0][0] is constants.NEGATE:
            return next(letter for letter in _SAMPLE_LETTERS if not any(_admits(item, letter) for item in items[1:]))
        kind, value = items[self._turn % len(items)]
        if kind is constants.LITERAL:
            return chr(value)
        if kind is constants.RANGE:
            return chr(min(value[1], value[0] + self._turn % 2))
        if kind is constants.CATEGORY and value in _SAMPLE_CATEGORIES:
            return _SAMPLE_CATEGORIES[value]
        raise _UnsupportedError


def _value(tree: Any, extra: int) -> str | None:
    """A text for a pattern, each repetition `extra` times more than required; None where a part is unsupported."""
    try:
        return "".join(_value_part(kind, value, extra) for kind, value in tree)
    except (_UnsupportedError, RecursionError):
        return None


def _value_part(kind: Any, value: Any, extra: int = 0) -> str:
    if kind is constants.LITERAL:
        return chr(value)
    if kind is constants.NOT_LITERAL:
        return next(letter for letter in _VALUE_LETTERS if ord(letter) != value)
    if kind is constants.ANY:
        return "a"
    if kind is constants.AT:
        return ""
    if kind is constants.IN:
        return _value_class(value)
    if kind in _REPEATS:
        least, most, inner = value
        times = min(least + extra, _MAX_VALUE_LENGTH, *(() if most is constants.MAXREPEAT else (int(most),)))
        # Only the outermost repetition is extended, or lengths would multiply.
        return "".join(_value_part(inner_kind, inner_value) for _ in range(times) for inner_kind, inner_value in inner)
    if kind is constants.SUBPATTERN:
        return "".join(_value_part(part[0], part[1], extra) for part in value[-1])
    if kind is constants.BRANCH:
        return "".join(_value_part(part[0], part[1], extra) for part in value[1][0])
    raise _UnsupportedError


def _value_class(items: Any) -> str:
    """The plainest character of a class."""
    is_negated = bool(items) and items[0][0] is constants.NEGATE
    listed = [item for item in items if item[0] is not constants.NEGATE]
    for one in (*_VALUE_LETTERS, *map(chr, range(33, 127))):
        if any(_admits(item, one) for item in listed) is not is_negated:
            return one
    for kind, value in listed:
        if kind in (constants.LITERAL, constants.RANGE):
            return chr(value if kind is constants.LITERAL else value[0])
    raise _UnsupportedError


def _admits(item: Any, character: str) -> bool:
    """Whether one item of a character class admits a character."""
    kind, value = item
    if kind is constants.LITERAL:
        return ord(character) == value
    if kind is constants.RANGE:
        return value[0] <= ord(character) <= value[1]
    return re.match(_CATEGORY_PATTERNS[value], character) is not None
