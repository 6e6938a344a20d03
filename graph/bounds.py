"""States stay small: what is put into a checkpoint is cut to a limit, and says so."""

from __future__ import annotations

from typing import Any

from ..utils.canonical import canonical_json

STATE_LIMIT = 128 * 1024
"""Bytes of canonical JSON that one summary in a state may have; the whole is in the store or the run's folder."""


def within_limit(value: dict[str, Any], limit: int = STATE_LIMIT) -> dict[str, Any]:
    """`value`, or a copy whose longest lists end sooner and whose longest texts are shorter, so that it fits.

    A copy has `truncated`: how many items were left out of each list, how many characters of each text. Deterministic.
    A value that fits only without everything (a thousand small keys) keeps its keys and loses their lists and texts.
    """
    if _size(value) <= limit:
        return value
    kept = dict(value)
    left_out: dict[str, int] = {}
    while _size(kept) + 1024 > limit:
        sizes = {key: _size(part) for key, part in kept.items() if isinstance(part, list | str | dict) and part}
        if not sizes:
            break
        longest = max(sorted(sizes), key=sizes.__getitem__)
        part = kept[longest]
        keep = len(part) // 2
        left_out[longest] = left_out.get(longest, 0) + len(part) - keep
        kept[longest] = dict(list(part.items())[:keep]) if isinstance(part, dict) else part[:keep]
    return {**kept, "truncated": left_out}


def _size(value: Any) -> int:
    return len(canonical_json(value))
