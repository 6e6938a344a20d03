"""Finds the JSON value in a model's answer that is more than that: after a sentence, a fence, thoughts, or cut off.

Pure. Nothing is guessed: a value is one that the answer holds in full, and of a cut answer the whole elements of the
list that was cut.
"""

from __future__ import annotations

import json
import re
from typing import Any

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
