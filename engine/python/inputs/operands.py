"""Derives values from the constants that a body compares with: equal to them, next to them, made of them."""

from __future__ import annotations

import datetime
import re
import re._constants as codes
import re._parser as parser
from collections.abc import Callable
from typing import Any

from ....utils.python_source import literal_value
from ..model.model import BodyComparison, CallableFacts, Candidate, ModuleFacts, Parameter, distinct

_MAXIMUM_SIZE = 64
_MAXIMUM_VALUES = 18
_MAXIMUM_TEXTS = 10
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


def operand_values(where: ModuleFacts, one: CallableFacts, parameter: Parameter, types: list[str]) -> list[Candidate]:
    """Values for a parameter from its comparisons, then from the body's other constants of its type."""
    found = _texts(where, one, parameter, "str" in types or not types)
    names = {
        parameter.name,
        *(f"self.{what[7:]}" for used, what in one.uses if used == parameter.name and what.startswith("stored:")),
    }
    # A parameter that is stored in `self` is also compared in the other methods of its class.
    siblings = next((owner.members for owner in where.classes if owner.name == one.owner), ()) if len(names) > 1 else ()
    for source in (one, *siblings):
        for comparison in source.comparisons:
            if comparison.name in names:
                found.extend(comparison_values(where, comparison))
    constants = [text for text in one.constants if _fits(text, types)]
    found.extend(Candidate(text, origin="constant") for text in constants[:6])
    return distinct(found, _MAXIMUM_VALUES)


def _texts(where: ModuleFacts, one: CallableFacts, parameter: Parameter, textual: bool) -> list[Candidate]:
    """Texts that match the patterns the parameter is matched with and, when it may be text, those of the whole body."""
    sources: list[str] = []
    constants = dict(where.constants)
    for used, what in one.uses:
        kind, _, detail = what.partition(":")
        pattern = constants.get(detail.partition(".")[0], "")
        if used == parameter.name and kind == "argument" and "compile(" in pattern:
            sources.append(pattern.partition("compile(")[2].rstrip(")").partition(", re.")[0])
    if textual:
        sources.extend(one.constants)
    found: list[Candidate] = []
    for source in sources:
        try:
            value = literal_value(source)
        except ValueError:
            continue
        if isinstance(value, str):
            found.extend(Candidate(repr(text), origin="constant") for text in text_examples(value))
    return found[:_MAXIMUM_TEXTS]


def comparison_values(where: ModuleFacts, comparison: BodyComparison) -> list[Candidate]:
    """Values that make a comparison true, and values that make it false."""
    operator = comparison.operator
    operand = dict(where.constants).get(comparison.operand, comparison.operand)
    try:
        value = literal_value(operand)
    except ValueError:
        return []
    found: list[Any] = [value]
    if operator.startswith("len "):
        return _of_length(value) if isinstance(value, int) else []
    if isinstance(value, str):
        # Texts are taken whatever their length: the comparison is with this very text.
        return [Candidate(repr(text), origin="constant") for text in _around_text(operator, value)]
    if operator in ("in", "not in") and isinstance(value, list | tuple | set | frozenset | dict):
        # Sets are sorted, because their order changes from process to process.
        found = (sorted(value, key=repr) if isinstance(value, set | frozenset) else list(value))[:6]
    elif isinstance(value, int | float) and not isinstance(value, bool):
        found = [value, value + 1, value - 1]
    return [Candidate(repr(item), origin="constant") for item in found if _small(item)]


def _around_text(operator: str, text: str) -> list[str]:
    """Texts for which a text operator succeeds in different ways."""
    if operator in ("in", "not in"):
        return [text, f"a{text}b", text[:1]]
    if operator == "startswith":
        return [f"{text}abc", text]
    if operator == "endswith":
        return [f"abc{text}", text]
    if operator in ("split", "partition", "rpartition", "find", "index", "count", "strip"):
        return [f"a{text}b", f"a{text}b{text}c", text]
    return [text]


def _of_length(length: int) -> list[Candidate]:
    """Lists and strings of a length, one shorter and one longer."""
    found: list[Candidate] = []
    for size in (length, length + 1, length - 1):
        if 0 <= size <= 12:
            found.append(Candidate(repr(list(range(1, size + 1))), origin="constant"))
        if 0 <= size <= _MAXIMUM_SIZE:
            found.append(Candidate(repr(("abcdefghij" * 7)[:size]), origin="constant"))
    return found


def _small(value: Any) -> bool:
    return len(repr(value)) <= 80 and not (isinstance(value, int) and abs(value) > 10**15)


def _fits(source: str, types: list[str]) -> bool:
    """Whether a constant has one of the types; long prose and large numbers are left out."""
    if len(source) > 30:
        return False
    try:
        value = literal_value(source)
    except ValueError:
        return False
    if isinstance(value, str) and value.count(" ") > 2:
        return False
    return type(value).__name__ in types and _small(value)


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
