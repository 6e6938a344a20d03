"""Stores the usage of each session of a run, so that the report of a resumed run covers all of them.

A run has one session, and one more for each time it was resumed. Usage is written during the session, at most once a
second, so that a killed process loses no more than that.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from ...core.errors import StoreCorrupt
from ...utils.canonical import pretty_json
from ...utils.untrusted_files import decoded_json, read_bytes
from .files import typed_errors, write_file

_EVERY = 1.0


@dataclass(frozen=True, slots=True)
class SessionUsage:
    """What one session used so far.

    Attributes:
        seconds: wall time, from its beginning.
        idle_seconds: of these, with nothing in flight.
        model_seconds: of these, with nothing in flight but questions to models.
        tool_calls: one JSON object for each tool and server, its calls added up.
    """

    seconds: float = 0.0
    idle_seconds: float = 0.0
    model_seconds: float = 0.0
    tool_calls: Sequence[Mapping[str, Any]] = ()


class SessionFile:
    """The sessions of one run, in its `sessions.json`.

    Args:
        clock: seconds, monotonic.
    """

    def __init__(self, path: Path, *, clock: Callable[[], float] = time.monotonic) -> None:
        self._path = path
        self._clock = clock
        self._kept_at: float | None = None

    def all(self) -> list[SessionUsage]:
        """Every session so far, the first one first. Raises StoreCorrupt, StorageError."""
        if not self._path.exists():
            return []
        with typed_errors(self._path, "read"):
            text = read_bytes(self._path.parent, self._path.name)
        try:
            return [SessionUsage(**entry) for entry in decoded_json(text)["sessions"]]
        except (ValueError, KeyError, TypeError) as error:
            raise StoreCorrupt(
                f"{self._path} does not read.",
                advice="Delete it: the run goes on without knowing what its earlier sessions used.",
            ) from error

    def keep(self, earlier: Sequence[SessionUsage], now: SessionUsage) -> None:
        """Store all sessions: those before, and the one that is going on. Raises StoreFull, StorageError."""
        self._kept_at = self._clock()
        write_file(self._path, pretty_json({"sessions": [asdict(session) for session in (*earlier, now)]}))

    def due(self) -> bool:
        """Whether it is a second or more since something was stored."""
        return self._kept_at is None or self._clock() - self._kept_at >= _EVERY
