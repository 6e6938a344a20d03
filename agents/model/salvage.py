"""Finds the JSON value in a model's answer that is more or less than it: among other text, cut off, broken in parts.

Pure. Nothing is guessed: a value is one that the answer holds in full; of a cut answer it has the whole elements of the
list that was cut, and of a broken one the elements that keep the form.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Sequence
from typing import Any

from jsonschema import ValidationError

from ...core.errors import MalformedLlmOutput
from ..contract.sanitizer import parse_llm_output

_THOUGHTS = re.compile(r"<(think|thinking|reasoning)>(?:(?!<\1>).)*?</\1>", re.DOTALL | re.IGNORECASE)
_BETWEEN = re.compile(r"[ \t\r\n,]*+")
_MOST_STARTS = 50
_DECODER = json.JSONDecoder()


def embedded_values(text: str) -> list[Any]:
    """Return the JSON objects in a text, the longest first; thoughts that it marks as such hold none."""
    text = _THOUGHTS.sub("", text)
    found: list[tuple[int, Any]] = []
    at, starts = text.find("{"), 0
    while at >= 0 and starts < _MOST_STARTS:
        starts += 1
        try:
            _, end = _DECODER.raw_decode(text, at)
            # Read again by the one parser of answers, which refuses what no file can hold.
            found.append((end - at, parse_llm_output(text[at:end])))
        except (ValueError, RecursionError, MalformedLlmOutput):
            end = at + 1
        at = text.find("{", end)
    return [value for _, value in sorted(found, key=lambda one: -one[0])]


def whole_elements(text: str, key: str) -> Any | None:
    """Return the object of an answer that was cut off inside its list `key`, with the elements that came in whole.

    None where the text does not begin so, or no element is whole.
    """
    text = _THOUGHTS.sub("", text)
    begins = re.search(rf'"{re.escape(key)}"\s*:\s*\[', text)
    start = text.find("{")
    if begins is None or start < 0 or begins.start() < start:
        return None
    elements: list[Any] = []
    at = begins.end()
    while True:
        between = _BETWEEN.match(text, at)
        at = between.end() if between else at
        try:
            element, at = _DECODER.raw_decode(text, at)
        except (ValueError, RecursionError):
            break
        elements.append(element)
    if not elements:
        return None
    try:
        return parse_llm_output(text[start : begins.end()] + json.dumps(elements)[1:] + "}")
    except MalformedLlmOutput:
        return None


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
