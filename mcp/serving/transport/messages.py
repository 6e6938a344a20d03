"""Checks the form of JSON-RPC messages before the SDK parses them, and builds the errors for malformed ones."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

from ....utils.json_bounds import MAX_DEPTH, is_within

PARSE_ERROR = -32700
INVALID_REQUEST = -32600
INVALID_PARAMS = -32602
INTERNAL_ERROR = -32603

MESSAGE_LIMIT_BYTES = 4 * 1024 * 1024
"""The default for the largest message that is accepted, over stdio and over HTTP."""


@dataclass(frozen=True, slots=True)
class Refusal:
    """Why a message is refused.

    Attributes:
        code: the JSON-RPC error code.
        message: the error and how to correct it; never contains a part of the refused message.
        request_id: the message's own id if it is valid, else None.
    """

    code: int
    message: str
    request_id: str | int | None = None

    def body(self) -> bytes:
        """Renders the JSON-RPC error: one line of UTF-8 without a line end."""
        error = {"code": self.code, "message": self.message}
        return json.dumps({"jsonrpc": "2.0", "id": self.request_id, "error": error}).encode()


def check_message(raw: bytes) -> Refusal | None:
    """Checks a message; returns None for one JSON-RPC request, notification or response, else why it is refused."""
    try:
        message = json.loads(raw.decode("utf-8"), parse_constant=_no_constant)
    # Valid JSON, but deeper than the parser follows.
    except RecursionError:
        return Refusal(PARSE_ERROR, "the message is nested too deeply")
    except ValueError as error:
        return Refusal(PARSE_ERROR, f"the message is not JSON in UTF-8: {_reason(error)}")
    if isinstance(message, list):
        return Refusal(INVALID_REQUEST, "MCP has no batches: send one JSON-RPC object at a time")
    if not isinstance(message, dict):
        return Refusal(INVALID_REQUEST, "a message is a JSON object: a JSON-RPC request, notification or response")
    return _envelope_refusal(message)


def too_large(limit: int) -> Refusal:
    """Builds the refusal of a message above the limit, in bytes."""
    return Refusal(INVALID_REQUEST, f"the message is larger than the {limit} bytes this server takes")


def _envelope_refusal(message: dict[str, Any]) -> Refusal | None:
    sent_id = message.get("id")
    is_valid_id = isinstance(sent_id, str) or (isinstance(sent_id, int) and not isinstance(sent_id, bool))
    request_id = sent_id if is_valid_id and _is_valid(sent_id) else None
    if message.get("jsonrpc") != "2.0":
        return Refusal(INVALID_REQUEST, 'a message says "jsonrpc": "2.0"', request_id)
    # Without a method it can only be a response.
    if "method" not in message:
        if isinstance(message.get("result"), dict) or isinstance(message.get("error"), dict):
            return None
        return Refusal(
            INVALID_REQUEST, 'a request names its "method", a response has a "result" or "error"', request_id
        )
    if not isinstance(message["method"], str):
        return Refusal(INVALID_REQUEST, '"method" is a text, such as "tools/call"', request_id)
    if "id" in message and not is_valid_id:
        return Refusal(INVALID_REQUEST, 'the "id" of a request is a text or a whole number')
    if not isinstance(message.get("params", {}), dict):
        return Refusal(INVALID_PARAMS, '"params" is an object of named values', request_id)
    if not is_within(message):
        return Refusal(INVALID_PARAMS, f"the message is nested more than {MAX_DEPTH} levels deep", request_id)
    if not _is_valid(message):
        return Refusal(
            INVALID_PARAMS, "a text in the message has a lone surrogate, which no Unicode text has", request_id
        )
    return None


def _is_valid(value: Any) -> bool:
    """Whether all texts of a JSON value can be encoded: an escape such as "\\ud800" is JSON, and yet no text."""
    try:
        json.dumps(value, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        return False
    return True


def _no_constant(name: str) -> None:
    raise ValueError(f"{name} is no JSON value")


def _reason(error: ValueError) -> str:
    if isinstance(error, json.JSONDecodeError):
        return f"{error.msg} at character {error.pos}"
    if isinstance(error, UnicodeDecodeError):
        return f"{error.reason} at byte {error.start}"
    return str(error)
