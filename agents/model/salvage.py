"""Finds the JSON value in a model's answer that is more or less than it: among other text, cut off, broken in parts.

Pure. Nothing is guessed: a value is one that the answer holds in full; of a cut answer it has the whole elements of the
list that was cut, and of a broken one the elements that keep the form.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from jsonschema import ValidationError

from ...core.errors import MalformedLlmOutput
from ..contract.sanitizer import parse_llm_output

_THOUGHTS = re.compile(r"<(think|thinking|reasoning)>(?:(?!<\1>).)*?</\1>", re.DOTALL | re.IGNORECASE)
_BETWEEN = re.compile(r"[ \t\r\n,]*+")
_MOST_STARTS = 50
_DECODER = json.JSONDecoder()


UNREADABLE = "a number out of range, or half a character"
"""Stands in place of an object in a list that holds such a thing."""


@dataclass(frozen=True, slots=True)
class EmbeddedValue:
    """A JSON object in a text; `whole` unless it breaks off inside one of its lists."""

    value: Any
    whole: bool = True


def embedded_values(text: str, key: str | None = None) -> list[EmbeddedValue]:
    """Return the JSON objects in a text, the longest first; thoughts that it marks as such hold none.

    An object in a list that holds what no file can hold is replaced by `UNREADABLE`.

    Args:
        key: a list; objects that break off inside it count as far as they came. None for none.
    """
    text = _THOUGHTS.sub("", text)
    found: list[tuple[int, EmbeddedValue]] = []
    at, starts = text.find("{"), 0
    while at >= 0 and starts < _MOST_STARTS:
        starts += 1
        end = at + 1
        try:
            value, behind = _DECODER.raw_decode(text, at)
            found.append((behind - at, EmbeddedValue(_as_files_hold_it(value))))
            end = behind
        except (ValueError, RecursionError, MalformedLlmOutput):
            part = _whole_elements(text, at, key) if key is not None else None
            if part is not None:
                found.append((part[1] - at, EmbeddedValue(part[0], whole=False)))
                end = part[1]
        at = text.find("{", end)
    return [value for _, value in sorted(found, key=lambda one: -one[0])]


def _whole_elements(text: str, start: int, key: str) -> tuple[Any, int] | None:
    """The object that begins at a place and breaks off in its list `key`, with its whole elements, and their end.

    None where no such object begins there, or no element is whole.
    """
    begins = re.compile(rf'"{re.escape(key)}"\s*:\s*\[').search(text, start)
    if begins is None:
        return None
    head = text[start : begins.end()]
    elements: list[Any] = []
    at = begins.end()
    try:
        json.loads(head + "]}")
        while True:
            between = _BETWEEN.match(text, at)
            element, at = _DECODER.raw_decode(text, between.end() if between else at)
            elements.append(element)
    except (ValueError, RecursionError):
        pass
    if not elements:
        return None
    try:
        return _as_files_hold_it(json.loads(head + json.dumps(elements)[1:] + "}")), at
    except (ValueError, RecursionError, MalformedLlmOutput):
        return None


def _as_files_hold_it(value: Any) -> Any:
    """A value as the one parser of answers reads it; objects in its lists that no file can hold cost themselves alone.

    Raises:
        MalformedLlmOutput: it holds such a thing elsewhere.
    """
    try:
        return parse_llm_output(json.dumps(value))
    except MalformedLlmOutput:
        if not isinstance(value, dict):
            raise
    parts = {key: [*map(_readable, part)] if isinstance(part, list) else part for key, part in value.items()}
    return parse_llm_output(json.dumps(parts))


def _readable(element: Any) -> Any:
    """An element of a list; `UNREADABLE`, which breaks any schema of objects, for an object that cannot be read."""
    try:
        return parse_llm_output(json.dumps(element)) if isinstance(element, dict) else element
    except MalformedLlmOutput:
        return UNREADABLE


def without_broken(value: Any, errors: Iterable[ValidationError], lists: Sequence[str]) -> Any | None:
    """Return an object without the elements of some of its lists that break its schema.

    A list beyond its limit loses its end, and the object the keys that its schema does not know. None where that mends
    nothing, or no element is left.

    Args:
        value: as it was validated. errors: all that validation found. lists: keys whose elements stand alone.
    """
    if not isinstance(value, dict):
        return None
    broken: dict[str, set[int]] = {}
    kept = dict(value)
    for error in errors:
        path = list(error.absolute_path)
        if len(path) >= 2 and path[0] in lists and isinstance(path[1], int):
            broken.setdefault(str(path[0]), set()).add(path[1])
        elif len(path) == 1 and path[0] in lists and error.validator == "maxItems":
            limit: Any = error.validator_value
            kept[path[0]] = kept[path[0]][:limit]
        elif not path and lists and error.validator == "additionalProperties":
            schema: Any = error.schema
            kept = {key: part for key, part in kept.items() if key in schema.get("properties", {})}
        else:
            return None
    for key, places in broken.items():
        kept[key] = [element for place, element in enumerate(kept[key]) if place not in places]
    return kept if any(kept.get(key) for key in lists) else None
