"""Derives values from the constants of a body: equal to them, next to them, texts that its patterns accept."""

from __future__ import annotations

import datetime
import re
from collections.abc import Sequence
from typing import Any

from ....utils.python_source import literal_or
from ....utils.regex_examples import matching_texts
from ..model.candidate_parts import distinct
from ..model.model import BodyComparison, CallableFacts, Candidate, ModuleFacts, Parameter

_NO_LITERAL = object()
_MAXIMUM_SIZE = 64
_MAXIMUM_VALUES = 18
_MAXIMUM_TEXTS = 10
# A field of a template, which no regular expression has: what is put in its place is not known.
_FIELD = re.compile(r"(?<!\\)\{([A-Za-z_]\w*)?\}")
_MOMENT = datetime.datetime(2024, 2, 29, 10, 30, 15, tzinfo=datetime.UTC)
_PARSED = re.compile(r"argument:(\w+\.)*strptime:0")
_FORMAT = re.compile(r"%[A-Za-z]")
_DATE_FORMAT = "%Y-%m-%d"
_MOMENT_TEXTS = ("2024-13-45", "2024-13-45T10:30:15.000000Z", "2024-02-29", "10:30")
_TWO_HOURS_AHEAD = "datetime.timezone(datetime.timedelta(hours=2))"
_ASKED_OF_ZONES = frozenset({"attribute:tzinfo", "method:utcoffset", "method:astimezone", "method:dst"})
YEARS = range(1900, 2100)
"""Years of our time, which persons write."""
_HALVES_OF_A_YEAR = ("2024, 7, 4, 12, 0", "2024, 1, 15, 12, 0")
# Hours that clocks skip and repeat, in America and in Europe.
_CHANGING_HOURS = (
    "2024, 3, 10, 2, 30",
    "2024, 11, 3, 1, 30",
    "2024, 11, 3, 1, 30, fold=1",
    "2024, 3, 31, 2, 30",
    "2024, 10, 27, 2, 30",
)
_LOOKS_LIKE_PATTERN = re.compile(r"\\[dwsWDSbAZ.]|\[[^\[\]]+\][+*?{]?|\(\?|^\^|\$$|\.[*+]|\)[*+?]")


def operand_values(where: ModuleFacts, one: CallableFacts, parameter: Parameter, types: list[str]) -> list[Candidate]:
    """Values for a parameter from its comparisons, then from the body's other constants of its type."""
    found = [*_moment_texts(one, parameter), *_texts(where, one, parameter, "str" in types or not types)]
    stored = [what[7:] for used, what in one.uses if used == parameter.name and what.startswith("stored:")]
    names = {parameter.name, *(f"self.{name}" for name in stored)}
    # A parameter that is stored in `self` is also compared in the other methods of its class.
    siblings = next((owner.members for owner in where.classes if owner.name == one.owner), ()) if stored else ()
    for source in (one, *siblings):
        for comparison in source.comparisons:
            if comparison.name in names:
                found.extend(comparison_values(where, comparison))
    constants = [text for text in one.read_constants if _fits(text, types)]
    found.extend(Candidate(text, origin="constant") for text in constants[:6])
    return distinct(found, _MAXIMUM_VALUES)


def _moment_texts(one: CallableFacts, parameter: Parameter) -> list[Candidate]:
    """Dates and times as texts, wrong and right ones, where a parser gets the parameter and the body names no other
    format."""
    parsed = any(name == parameter.name and _PARSED.fullmatch(what) for name, what in one.uses)
    formats = [text for text in one.constants if _FORMAT.search(text)]
    if not parsed or (formats and not any(_DATE_FORMAT in text for text in formats)):
        return []
    return [Candidate(repr(text), origin="constant") for text in _MOMENT_TEXTS]


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
        value = literal_or(source, None)
        if isinstance(value, str) and not _FIELD.search(value):
            found.extend(Candidate(repr(text), origin="constant") for text in text_examples(value))
    return found[:_MAXIMUM_TEXTS]


def zoned_moments(where: ModuleFacts, one: CallableFacts, parameter: Parameter, variable: str) -> list[Candidate]:
    """Moments with a time zone, for code that asks for the zone of one; empty for other code.

    A zone is asked about moments of its own: in summer and in winter, at the hours that a change-over skips and
    repeats, and in the years that its rules tell apart.

    Args:
        variable: what the object is called whose method takes the moment.
    """
    owner = next((it for it in where.classes if it.name == one.owner), None)
    is_zone = owner is not None and any(base.rpartition(".")[2] == "tzinfo" for base in owner.bases)
    if owner is None or not is_zone or one.kind != "method":
        asked = {what for name, what in one.uses if name == parameter.name}
        return [_aware("2024, 7, 4, 12, 0", _TWO_HOURS_AHEAD)] if asked & _ASKED_OF_ZONES else []
    if not any((parameter.name, "attribute:tzinfo") in member.uses for member in owner.members):
        return []  # a fixed offset is the same at all moments
    operands = [literal_or(it.operand, None) for member in owner.members for it in member.comparisons]
    years = sorted({it for it in operands if type(it) is int and it in YEARS}, reverse=True)
    summers = [f"{year}, 7, 4, 12, 0" for year in years]
    return [_aware(numbers, variable) for numbers in (*_HALVES_OF_A_YEAR, *summers, *_CHANGING_HOURS)]


def is_short_cut(one: CallableFacts, parameter: Parameter, zoned: Sequence[Candidate]) -> bool:
    """Whether a moment without a zone only shows that others answer it without looking at the date."""
    return len(zoned) > 1 and (parameter.name, "attribute:tzinfo") not in one.uses


def _aware(numbers: str, zone: str) -> Candidate:
    return Candidate(f"datetime.datetime({numbers}, tzinfo={zone})", ("import datetime",), origin="domain")


def comparison_values(where: ModuleFacts, comparison: BodyComparison) -> list[Candidate]:
    """Values that make a comparison true, and values that make it false."""
    operator = comparison.operator
    operand = dict(where.constants).get(comparison.operand, comparison.operand)
    value = literal_or(operand, _NO_LITERAL)
    if value is _NO_LITERAL:
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
    value = literal_or(source, _NO_LITERAL) if len(source) <= 30 else _NO_LITERAL
    prose = isinstance(value, str) and value.count(" ") > 2
    return value is not _NO_LITERAL and not prose and type(value).__name__ in types and _small(value)


def text_examples(constant: str) -> list[str]:
    """Texts for one string constant: a date when it is a date format, matches when it is a regular expression."""
    if re.search(r"%[YmdHMSyjBbAaIp]", constant):
        text = _MOMENT.strftime(constant)
        return [text] if text != constant and "%" not in text else []
    prose = constant.count(" ") > 2
    return matching_texts(constant) if _LOOKS_LIKE_PATTERN.search(constant) and not prose else []
