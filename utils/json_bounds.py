"""Bounds on JSON values that somebody else made: how deep they are nested, and of how many values they consist."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

MAX_DEPTH = 100
"""Levels of a message. Libraries that read and write JSON give up between 200 and 1,000."""


def is_within(value: Any, *, values: int | None = None) -> bool:
    """Whether a JSON value has at most `MAX_DEPTH` levels of objects and lists, with at most `values` values inside."""
    pending = [(value, 1)]
    count = 0
    while pending:
        part, level = pending.pop()
        inner = list(part.values()) if isinstance(part, Mapping) else part if isinstance(part, list | tuple) else None
        if inner is None:
            continue
        count += len(inner)
        if level > MAX_DEPTH or (values is not None and count > values):
            return False
        pending += [(item, level + 1) for item in inner if isinstance(item, Mapping | list | tuple)]
    return True
