"""What a model wrote, made parseable (A-02). Pure: no content is changed, only one fence and outer white space go."""

from __future__ import annotations

import json
from typing import Any

from ..errors import MalformedLlmOutput

SANITIZER_VERSION = "v1.0.0"
"""Recorded with every artifact as `meta.sanitizer`: an artifact is replayed with the rules it was made with."""


def sanitize_llm_output(raw: str) -> str:
    """The seed's reference implementation, version v1.0.0.

    Strips one leading fence (```json or ```), one trailing fence, and white space around; nothing else.
    """
    text = raw.strip()
    if text.startswith("```json"):
        text = text.removeprefix("```json")
    elif text.startswith("```"):
        text = text.removeprefix("```")
    return text.removesuffix("```").strip()


def parse_llm_output(raw: str) -> Any:
    """The JSON value a model wrote, after sanitising.

    Raises:
        MalformedLlmOutput: it is no JSON (retryable, A-03). NaN and infinities are no JSON either.
    """
    text = sanitize_llm_output(raw)
    try:
        return json.loads(text, parse_constant=_refuse)
    except (ValueError, RecursionError) as error:
        raise MalformedLlmOutput(
            f"the answer is not JSON: {error}",
            advice="Answer with one JSON value and nothing else.",
            details={"length": len(raw), "sanitizer": SANITIZER_VERSION},
        ) from error


def _refuse(constant: str) -> Any:
    raise ValueError(f"{constant} is not a JSON value")
