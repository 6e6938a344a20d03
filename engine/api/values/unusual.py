"""Makes values that a document allows, that few clients send, and that servers break at: null, NUL, huge numbers."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import islice
from typing import Any

from ....utils.regex_examples import fits
from ....utils.regex_examples import samples as samples_of
from ..document.schemas import accepts_null, type_of
from .data import SampleValues, bounds

_HUGE = 2**63
"""The first number that fits into no column of a database."""
_MOST_TEXT = 1000
_DEEPEST = 3
_CHOSEN = {"enum", "const"}
_SIGNS = "}{0!z}%s%'\"\\"
_BRACE = "}0"
"""Texts that break code which takes them for a format, a query or a template of its own."""
_SIZED = re.compile(r"u?int(?:8|16|32|64)")
"""Formats of numbers that have bounds, which validators pass over."""
_EARLIEST = "0001-01-01T00:00:00+14:00"
"""A moment that no clock of another zone can tell."""

KINDS = {
    "null": "null",
    "empty": "nothing in it",
    "nul": "a NUL character",
    "long": f"{_MOST_TEXT} letters",
    "signs": "braces, quotes and percent signs",
    "huge": "a number beyond 64 bits",
    "negative": "a negative number",
    "around": "more than its pattern names",
    "far": "the first moment there is",
    "other": "a value of an unusual type",
}
"""What is unusual of a value, in words."""


@dataclass(frozen=True, slots=True)
class UnusualValue:
    """An unusual value (a key of `KINDS`) and where in a body it goes, as keys from the whole body."""

    kind: str
    place: tuple[str | int, ...]
    value: Any


def unusual_values(schema: Any, samples: SampleValues, *, in_text: bool = False) -> Iterator[UnusualValue]:
    """Yield the unusual values that a schema allows.

    Args:
        in_text: they are sent as texts, in a path or a query: null and lists are left out.
    """
    whole = samples.merged(schema)
    for kind, value in _candidates(whole, type_of(whole)):
        written = isinstance(value, str | int | float)
        if (written or not in_text) and samples.problem(value, schema) is None:
            yield UnusualValue(kind, (), value)
    if not in_text and accepts_null(whole) and whole:
        yield UnusualValue("null", (), None)


def unusual_parts(
    schema: Any, body: Any, samples: SampleValues, place: tuple[str | int, ...] = ()
) -> Iterator[UnusualValue]:
    """Yield the unusual values of each part of a body, down to the third level.

    Args:
        body: a value that the schema allows, with the parts to replace.
    """
    if place:
        yield from (UnusualValue(one.kind, place, one.value) for one in unusual_values(schema, samples))
    if len(place) == _DEEPEST:
        return
    if isinstance(body, dict):
        properties, others = samples.properties(schema), samples.merged(schema).get("additionalProperties", True)
        for name, value in body.items():
            yield from unusual_parts(properties.get(name, others), value, samples, (*place, name))
    elif isinstance(body, list) and body:
        whole = samples.merged(schema)
        first = (whole.get("prefixItems") or [whole.get("items", True)])[0]
        yield from unusual_parts(first, body[0], samples, (*place, 0))


def _candidates(whole: Mapping[str, Any], kind: str) -> Iterator[tuple[str, Any]]:
    if whole.keys() & _CHOSEN:
        return
    if kind == "string" and whole.get("format") == "date-time":
        yield "far", _EARLIEST
    elif kind == "string" and not whole.keys() & {"format", "pattern"}:
        yield "empty", ""
        yield "nul", "a\x00b"
        yield "long", "x" * _MOST_TEXT
        yield "signs", _SIGNS
    elif kind == "string" and isinstance(whole.get("pattern"), str) and "format" not in whole:
        yield from (("around", text) for text in _around(whole["pattern"], "0"))
        yield from (("signs", text) for text in _around(whole["pattern"], _BRACE))
    elif kind in ("integer", "number"):
        low, high = bounds(whole)
        size = str(whole.get("format") or "")
        if (high is None or high >= _HUGE) and not _SIZED.fullmatch(size):
            yield "huge", _HUGE
        if low is None and not size.startswith("uint"):
            yield "negative", -1
    elif kind == "array":
        yield "empty", []
    elif kind == "object":
        yield "empty", {}
    elif not kind:
        yield "other", [[]]


def _around(pattern: str, more: str) -> Iterator[str]:
    """Yield a text that a pattern matches only a part of, which it allows where one of its choices has no anchors.

    Code that relies on the pattern often takes it for what the pattern was meant to allow.

    Args:
        more: what stands before or after that part.
    """
    longer = (f"{before}{text}{after}" for text in samples_of(pattern) for before, after in (("", more), (more, "")))
    # Another sample may be as long: a pattern of one or more letters allows more letters.
    yield from islice((text for text in longer if fits(pattern, text) and not re.fullmatch(pattern, text)), 1)


def kind_in(value: Any) -> str:
    """Return what is unusual somewhere in a request's values, in the words of `KINDS`, where it breaks drivers; else
    nothing."""
    if isinstance(value, dict):
        value = [*value, *value.values()]
    if isinstance(value, list):
        return next((kind for one in value if (kind := kind_in(one))), "")
    if isinstance(value, str):
        if "\0" in value or "%00" in value:
            return KINDS["nul"]
        value = int(value) if re.fullmatch(r"-?[0-9]{1,400}", value) else 0
    number = isinstance(value, int | float) and not isinstance(value, bool)
    return KINDS["huge"] if number and abs(value) >= 2**63 else ""
