"""Generates texts that a regular expression matches, and texts that it does not: the plainest, always the same.

They walk the tree of Python's own parser. `samples` varies its texts, and `matching_texts` gives the shortest ones, for
unit tests of code that uses a pattern; `matching` finds one text within limits of length, for values that a JSON Schema
describes. Their texts are part of generated tests, so none may change.
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable, Iterator
from re import _constants as constants  # pyrefly: ignore[missing-module-attribute]
from re import _parser as parser  # pyrefly: ignore[missing-module-attribute]
from typing import Any

_SPECIAL = re.compile(r"[\\^$*+?\[\](){}|]")
_REPEATS = (constants.MAX_REPEAT, constants.MIN_REPEAT)
_POSSESSIVE = constants.POSSESSIVE_REPEAT
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
_MATCH_CATEGORIES = _SAMPLE_CATEGORIES | {constants.CATEGORY_DIGIT: "1"}
_MAX_MATCH_LENGTH = 60
_MAX_MATCH_REPEATS = 12
_CATEGORY_PATTERNS = {
    constants.CATEGORY_DIGIT: r"\d",
    constants.CATEGORY_NOT_DIGIT: r"\D",
    constants.CATEGORY_SPACE: r"\s",
    constants.CATEGORY_NOT_SPACE: r"\S",
    constants.CATEGORY_WORD: r"\w",
    constants.CATEGORY_NOT_WORD: r"\W",
}
_MOST_QUICK_REPEATS = 6
_MAX_VALUE_LENGTH = 2000
_VALUE_LETTERS = "a1A0b-_ .@"
_MISFITS = ("!", "no match!", "?", "0", "-", "A", "a", "1", "  ", "é", "__", "a b", "x/y")


class _UnsupportedError(Exception):
    """A part of a pattern that no text is generated for."""


def is_pattern(text: str) -> bool:
    """Whether a text reads like a regular expression rather than like words."""
    return bool(_SPECIAL.search(text)) and _parsed(text) is not None


def is_quick(pattern: str) -> bool:
    """Whether a pattern decides about short texts at once: few parts repeat, and none that holds repeats or choices."""
    parsed = _parsed(pattern)
    nested = list(_nesting(parsed, repeated=False)) if parsed is not None else [True]
    return len(nested) <= _MOST_QUICK_REPEATS and not any(nested)


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


def matching_texts(pattern: str) -> list[str]:
    """At most three texts that the pattern matches: the shortest, one with every optional part, one in between."""
    parsed = _parsed(pattern)
    found: list[str] = []
    for choose in (lambda low, _: low, lambda low, high: min(high, max(low, 1)), lambda low, high: min(high, low + 2)):
        text = _Match(choose).text(parsed) if parsed else ""
        if text and len(text) <= _MAX_MATCH_LENGTH and text not in found and re.search(pattern, text):
            found.append(text)
    return found


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
    except (re.error, RecursionError, OverflowError, ValueError):
        return None


def _nesting(tree: Any, *, repeated: bool) -> Iterator[bool]:
    """Generates, for each part that is optional or repeats and each choice within one, whether another repeats it."""
    for item in tree if isinstance(tree, parser.SubPattern | list | tuple) else ():
        kind, detail = item if isinstance(item, tuple) and len(item) == 2 else (None, item)
        if kind in (*_REPEATS, _POSSESSIVE):
            yield repeated
            yield from _nesting(detail, repeated=repeated or detail[1] > 1)
            continue
        if kind is constants.BRANCH and repeated:
            yield True
        yield from _nesting(detail, repeated=repeated)


class _Writer:
    """Writes a text for a parsed pattern; subclasses choose branches, repetitions and characters of classes."""

    letters = _SAMPLE_LETTERS

    def __init__(self) -> None:
        self._groups: dict[int | None, str] = {}

    def text(self, parsed: Any) -> str:
        """A text for a sequence of parts. Raises _UnsupportedError."""
        return "".join(self._part(kind, value) for kind, value in parsed)

    def _part(self, kind: Any, value: Any) -> str:
        if kind is constants.LITERAL:
            return chr(value)
        if kind in (constants.NOT_LITERAL, constants.ANY):
            return next(letter for letter in self.letters if kind is constants.ANY or ord(letter) != value)
        if kind is constants.IN:
            return self._class(value)
        if kind is constants.BRANCH:
            return self.text(value[1][self._branch(len(value[1]))])
        if kind is constants.SUBPATTERN:
            self._groups[value[0]] = self.text(value[-1])
            return self._groups[value[0]]
        if kind in _REPEATS:
            return self._repeated(*value)
        return self._other(kind, value)

    def _class(self, items: Any) -> str:
        raise NotImplementedError

    def _branch(self, count: int) -> int:
        raise NotImplementedError

    def _repeated(self, least: int, most: int, inner: Any) -> str:
        raise NotImplementedError

    def _other(self, kind: Any, value: Any) -> str:
        if kind is constants.GROUPREF:
            return self._groups.get(value, "")
        if kind is constants.ATOMIC_GROUP:
            return self.text(value)
        if kind is _POSSESSIVE:
            return self._repeated(*value)
        return self._zero_width(kind, value)

    def _zero_width(self, kind: Any, value: Any) -> str:
        """The text for anchors and look-arounds."""
        return ""


class _Sample(_Writer):
    """Builds one sample; `turn` chooses branches, characters and repetitions."""

    def __init__(self, turn: int) -> None:
        super().__init__()
        self._turn = turn

    def _branch(self, count: int) -> int:
        return self._turn % count

    def _repeated(self, least: int, most: int, inner: Any) -> str:
        times = max(least, min(self._turn % 2 or 1, most)) if self._turn % 3 != 2 else least
        return "".join(self.text(inner) for _ in range(min(times, _MAX_SAMPLE_LENGTH)))

    def _zero_width(self, kind: Any, value: Any) -> str:
        if kind is constants.ASSERT:
            # A look-ahead is written out; what a look-behind demands stands in the text already, or never will.
            return self.text(value[1]) if value[0] > 0 else ""
        if kind in (constants.AT, constants.ASSERT_NOT):
            return ""
        raise _UnsupportedError

    def _class(self, items: Any) -> str:
        if items[0][0] is constants.NEGATE:
            return next(letter for letter in self.letters if not any(_admits(item, letter) for item in items[1:]))
        kind, value = items[self._turn % len(items)]
        if kind is constants.LITERAL:
            return chr(value)
        if kind is constants.RANGE:
            return chr(min(value[1], value[0] + self._turn % 2))
        if kind is constants.CATEGORY and value in _SAMPLE_CATEGORIES:
            return _SAMPLE_CATEGORIES[value]
        raise _UnsupportedError


class _Match(_Writer):
    """Builds a short match; `choose` takes the least and the most repetitions and returns how many are written."""

    letters = "ab"

    def __init__(self, choose: Callable[[int, int], int]) -> None:
        super().__init__()
        self._choose = choose

    def _branch(self, count: int) -> int:
        return min(count - 1, self._choose(0, 1))

    def _repeated(self, least: int, most: int, inner: Any) -> str:
        count = self._choose(least, most if most is not constants.MAXREPEAT else least + 3)
        return "".join(self.text(inner) for _ in range(min(max(count, least), _MAX_MATCH_REPEATS)))

    def _class(self, items: Any) -> str:
        negated = bool(items) and items[0][0] is constants.NEGATE
        listed = [letter for kind, value in items for letter in self._characters(kind, value)]
        # Of a negated class a plain character that it does not exclude.
        return next((letter for letter in "ax1 -_" if letter not in listed), "é") if negated else "".join(listed[:1])

    def _characters(self, kind: Any, value: Any) -> list[str]:
        if kind is constants.LITERAL:
            return [chr(value)]
        if kind is constants.RANGE:
            low, high = value
            # Of the digits, 1 is plainer than 0.
            return [chr(code) for code in ((low + 1, high, low) if chr(low) == "0" else (low, high))]
        return [_MATCH_CATEGORIES.get(value, "a")] if kind is constants.CATEGORY else []


class _Value(_Writer):
    """Builds a value with each outermost repetition `extra` times more than required."""

    letters = _VALUE_LETTERS

    def __init__(self, extra: int) -> None:
        super().__init__()
        self._extra = extra

    def _branch(self, count: int) -> int:
        return 0

    def _repeated(self, least: int, most: int, inner: Any) -> str:
        times = min(least + self._extra, _MAX_VALUE_LENGTH, *(() if most is constants.MAXREPEAT else (int(most),)))
        # Only the outermost repetition is extended, or lengths would multiply.
        return "".join(_Value(0).text(inner) for _ in range(times))

    def _other(self, kind: Any, value: Any) -> str:
        if kind is constants.AT:
            return ""
        raise _UnsupportedError

    def _class(self, items: Any) -> str:
        """The plainest character of a class."""
        is_negated = bool(items) and items[0][0] is constants.NEGATE
        listed = [item for item in items if item[0] is not constants.NEGATE]
        for letter in (*self.letters, *map(chr, range(33, 127))):
            if any(_admits(item, letter) for item in listed) is not is_negated:
                return letter
        for kind, value in listed:
            if kind in (constants.LITERAL, constants.RANGE):
                return chr(value if kind is constants.LITERAL else value[0])
        raise _UnsupportedError


def _value(tree: Any, extra: int) -> str | None:
    """A text for a pattern, each repetition `extra` times more than required; None where a part is unsupported."""
    try:
        return _Value(extra).text(tree)
    except (_UnsupportedError, RecursionError):
        return None


def _admits(item: Any, character: str) -> bool:
    """Whether one item of a character class admits a character."""
    kind, value = item
    if kind is constants.LITERAL:
        return ord(character) == value
    if kind is constants.RANGE:
        return value[0] <= ord(character) <= value[1]
    return re.match(_CATEGORY_PATTERNS[value], character) is not None
