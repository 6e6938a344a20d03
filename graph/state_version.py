"""The version of the states in checkpoints: a checkpoint of another version is refused, never guessed at (B-08)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..core.errors import StateVersionError

STATE_VERSION = 2


def require_version(values: Mapping[str, Any], thread: str) -> None:
    """Check a checkpointed state. Raises StateVersionError, with advice, when this version cannot read it."""
    found = values.get("state_version")
    if found != STATE_VERSION:
        raise StateVersionError(
            f"the checkpoint {thread} was written with state version {found}, this is version {STATE_VERSION}",
            advice="Resume it with the version of testwright that began it, or run the request again.",
            details={"thread": thread, "found": found, "expected": STATE_VERSION},
        )
