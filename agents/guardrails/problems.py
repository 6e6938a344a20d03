"""Builds validation errors in the form that specs and code share."""

from __future__ import annotations

from typing import Any

from ..contract.protocol import JsonObject


def problem(path: str, message: str, *, suggestion: str = "", kind: str = "structure", **more: Any) -> JsonObject:
    """Builds one error."""
    return {
        "path": path,
        "message": message,
        "severity": "error",
        "suggestion": suggestion,
        "type": kind,
        "line": 0,
        **more,
    }
