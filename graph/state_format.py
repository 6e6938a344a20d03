"""Version and size limits of the states in checkpoints."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from ..core.errors import StateVersionError, UsageError
from ..utils.canonical import canonical_json

STATE_VERSION = 3
"""Version of both graphs' states; a checkpoint of another version is refused."""

STATE_LIMIT = 128 * 1024
"""Bytes of canonical JSON for one summary in a state; the complete value is in the store or the run's folder."""


def require_version(values: Mapping[str, Any], thread: str) -> None:
    """Check a checkpointed state. Raises StateVersionError, with advice, when this version cannot read it."""
    found = values.get("state_version")
    if found != STATE_VERSION:
        raise StateVersionError(
            f"The run was begun by another version of testwright: its checkpoint {thread} has version {found}, "
            f"and this one reads version {STATE_VERSION}.",
            advice="Resume it with the version of testwright that began it, or run the request again; the tests that "
            "it added to the project stay.",
            details={"thread": thread, "found": found, "expected": STATE_VERSION},
        )


def require_keys(values: Mapping[str, Any], keys: Iterable[str]) -> None:
    """Check the state that somebody else's graph hands over. Raises UsageError, with advice, when keys are absent."""
    missing = [key for key in keys if key not in values]
    if missing:
        shown = ", ".join(missing[:5]) + (f" and {len(missing) - 5} more" if len(missing) > 5 else "")
        raise UsageError(
            f"The state lacks keys that testwright's graph works with: {shown}.",
            advice="Let your graph's state extend PlanningAgentState, and begin with the `state` that graph_session "
            "gives; examples/langgraph/agent.py does so.",
        )


def within_limit(value: dict[str, Any], limit: int = STATE_LIMIT) -> dict[str, Any]:
    """Return `value`, or a copy whose longest lists and texts are cut so that it fits. Deterministic.

    A copy has `truncated`: the number of items left out of each list, of characters left out of each text. A value with
    too many small keys keeps its keys and loses their lists and texts.
    """
    if _size(value) <= limit:
        return value
    kept = dict(value)
    left_out: dict[str, int] = {}
    while _size(kept) + 1024 > limit:  # leaves space for `truncated`
        sizes = {key: _size(part) for key, part in kept.items() if isinstance(part, list | str | dict) and part}
        if not sizes:
            break
        longest = max(sorted(sizes), key=sizes.__getitem__)  # sorted: the first of equals, whatever the key order
        part = kept[longest]
        keep = len(part) // 2
        left_out[longest] = left_out.get(longest, 0) + len(part) - keep
        kept[longest] = dict(list(part.items())[:keep]) if isinstance(part, dict) else part[:keep]
    return {**kept, "truncated": left_out}


def _size(value: Any) -> int:
    return len(canonical_json(value))
