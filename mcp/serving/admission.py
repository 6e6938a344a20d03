"""Limits concurrent work: a number of runs, one per project, a short queue, then the error "busy"."""

from __future__ import annotations

import asyncio
import math
import time
from collections import deque
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path

from ...core.errors import ToolBusy

_DEFAULT_RUN_SECONDS = 30.0
_MIN_RETRY_SECONDS, _MAX_RETRY_SECONDS = 5, 600


@dataclass(eq=False, slots=True)
class _Ticket:
    root: Path
    admitted: asyncio.Event = field(default_factory=asyncio.Event)


class WorkSlots:
    """Slots for runs. A project has one run at a time, because a run holds its project's lock.

    Args:
        running: the maximum of runs at the same time.
        waiting: the maximum of runs that wait for a slot; further ones are refused.
        clock: seconds, monotonic.
    """

    def __init__(self, running: int = 2, waiting: int = 8, *, clock: Callable[[], float] = time.monotonic) -> None:
        self._limit = max(1, running)
        self._queue_limit = max(0, waiting)
        self._clock = clock
        self._running: list[_Ticket] = []
        self._waiting: deque[_Ticket] = deque()
        self._durations: deque[float] = deque(maxlen=16)

    @property
    def running(self) -> int:
        """The number of runs that have a slot."""
        return len(self._running)

    @property
    def waiting(self) -> int:
        """The number of runs that wait for a slot."""
        return len(self._waiting)

    @asynccontextmanager
    async def acquire(self, root: Path, on_wait: Callable[[int], None] = lambda _: None) -> AsyncIterator[None]:
        """Holds a slot for the block.

        Args:
            on_wait: called with the number of runs before this one, when it has to wait.

        Raises:
            ToolBusy: the queue is full; its details say in how many seconds to call again.
        """
        ticket = _Ticket(root)
        self._waiting.append(ticket)
        # Admits this one at once if a slot is free.
        self._admit()
        if not ticket.admitted.is_set():
            before = len(self._waiting) - 1
            if before >= self._queue_limit:
                self._waiting.remove(ticket)
                raise self._busy()
            on_wait(before + len(self._running))
        try:
            await ticket.admitted.wait()
            started = self._clock()
            yield
            # Work that fails is not counted: it does not show how long a run takes.
            self._durations.append(self._clock() - started)
        finally:
            # A cancelled call leaves the queue, or frees its slot for the next one.
            (self._running if ticket.admitted.is_set() else self._waiting).remove(ticket)
            self._admit()

    def _admit(self) -> None:
        """Admits waiting runs in the order of arrival, but none before an earlier one of the same project."""
        blocked = {ticket.root for ticket in self._running}
        for ticket in tuple(self._waiting):
            if len(self._running) >= self._limit:
                return
            if ticket.root not in blocked:
                self._waiting.remove(ticket)
                self._running.append(ticket)
                ticket.admitted.set()
            blocked.add(ticket.root)

    def _busy(self) -> ToolBusy:
        typical = sum(self._durations) / len(self._durations) if self._durations else _DEFAULT_RUN_SECONDS
        seconds = min(_MAX_RETRY_SECONDS, max(_MIN_RETRY_SECONDS, math.ceil(typical)))
        return ToolBusy(
            f"the server is busy: {self.running} runs are in progress and {self.waiting} wait",
            advice=f"call again in {seconds} s with the same arguments; nothing was started",
            details={"retry_after_seconds": seconds, "running": self.running, "waiting": self.waiting},
        )
