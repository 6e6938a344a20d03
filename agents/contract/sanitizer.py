"""Makes a model's answer parseable. Pure: removes one code fence and outer white space, and changes no content."""

from __future__ import annotations

import json
from typing import Any

from ...core.errors import MalformedLlmOutput

SANITIZER_VERSION = "v1.0.0"
"""Recorded with every artifact as `meta.sanitizer`, so that an artifact can be replayed with the same rules."""


def sanitize_llm_output(raw: str) -> str:
    """Strip one leading fence (```json or ```), one trailing fence, and white space around; nothing else."""
    text = raw.strip()
    if text.startswith("```json"):
        text = text.removeprefix("```json")
    elif text.startswith("```"):
        text = text.removeprefix("```")
    return text.removesuffix("```").strip()


def parse_llm_output(raw: str) -> Any:
    """Parse the JSON value that a model wrote, after sanitising.

    Raises:
        MalformedLlmOutput: it is not JSON (recoverable). NaN, infinities and numbers out of range are not JSON either,
            nor are lone surrogates (`"\\ud800"`), which no file can hold.
    """
    text = sanitize_llm_output(raw)
    try:
        value = json.loads(text, parse_constant=_refuse)
        json.dumps(value, ensure_ascii=False, allow_nan=False).encode("utf-8")
        return value
    except UnicodeEncodeError as error:
        half = error.object[error.start : error.end].encode("ascii", "backslashreplace").decode("ascii")
        raise _malformed(f"a text in it has a lone surrogate, {half[:40]}", raw) from error
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
