"""What a model wrote, made parseable. Pure: no content is changed, only one fence and outer white space go."""

from __future__ import annotations

import json
from typing import Any

from ...core.errors import MalformedLlmOutput

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
        MalformedLlmOutput: it is no JSON (retryable, A-03). NaN, infinities and numbers beyond all limits are no JSON
            either, nor are halves of characters (`"\\ud800"`), which no file can hold.
    """
    text = sanitize_llm_output(raw)
    try:
        value = json.loads(text, parse_constant=_refuse)
        json.dumps(value, ensure_ascii=False, allow_nan=False).encode("utf-8")
        return value
    except UnicodeEncodeError as error:
        half = error.object[error.start : error.end].encode("ascii", "backslashreplace").decode("ascii")
        raise _malformed(f"a text in it holds half a character, {half[:40]}", raw) from error
    except (ValueError, RecursionError) as error:
        raise _malformed(str(error), raw) from error


def _malformed(why: str, raw: str) -> MalformedLlmOutput:
    return MalformedLlmOutput(
        f"the answer is not JSON: {why}",
        advice="Answer with one JSON value and nothing else.",
        details={"length": len(raw), "sanitizer": SANITIZER_VERSION},
    )


def _refuse(constant: str) -> Any:
    raise ValueError(f"{constant} is not a JSON value")
