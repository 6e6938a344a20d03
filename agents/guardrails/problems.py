"""One problem of an answer, in the form that validations of specs and of code share."""

from __future__ import annotations

from typing import Any

from ..contract.protocol import JsonObject


def problem(path: str, message: str, *, suggestion: str = "", kind: str = "structure", **more: Any) -> JsonObject:
    """One error in the form that validations of specs and of code both have."""
    return {
        "path": path,
        "message": message,
        "severity": "error",
        "suggestion": suggestion,
        "type": kind,
        "line": 0,
        **more,
    }
