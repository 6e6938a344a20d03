"""How much work a server takes at once: so many runs, one for each project, a short queue, then "busy" (B-10)."""

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

_UNKNOWN_SECONDS = 30.0
_SHORTEST_WAIT, _LONGEST_WAIT = 5, 600


@dataclass(eq=False, slots=True)
class _Ticket:
    root: Path
    admitted: asyncio.Event = field(default_factory=asyncio.Event)


class WorkSlots:
    """Places for runs. A project has one run at a time, because a run holds its project's lock.

    Args:
        running: runs at the same time.
        waiting: runs that may wait for a place; one more is refused.
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
        """Runs that are being worked on."""
        return len(self._running)

    @property
    def waiting(self) -> int:
        """Runs that wait for a place."""
        return len(self._waiting)

    @asynccontextmanager
    async def taken(self, root: Path, on_wait: Callable[[int], None] = lambda _: None) -> AsyncIterator[None]:
        """Hold a place for the block.

        Args:
            on_wait: told how many are before this one, when it has to wait.

        Raises:
            ToolBusy: the queue is full; its details say in how many seconds to call again.
        """
        ticket = _Ticket(root)
        self._waiting.append(ticket)
        self._admit()
        if not ticket.admitted.is_set():
            before = len(self._waiting) - 1
            if before >= self._queue_limit:
                self._waiting.remove(ticket)
                raise self._busy()
            on_wait(before + len(self._running))
        try:
            await ticket.admitted.wait()
            began = self._clock()
            yield
            self._durations.append(self._clock() - began)
        finally:
            (self._running if ticket.admitted.is_set() else self._waiting).remove(ticket)
            self._admit()

    def _admit(self) -> None:
        """Let in who may: in the order of arrival, each project's own order kept."""
        held = {one.root for one in self._running}
        for ticket in tuple(self._waiting):
            if len(self._running) >= self._limit:
                return
            if ticket.root not in held:
                self._waiting.remove(ticket)
                self._running.append(ticket)
                ticket.admitted.set()
            held.add(ticket.root)

    def _busy(self) -> ToolBusy:
        usual = sum(self._durations) / len(self._durations) if self._durations else _UNKNOWN_SECONDS
        seconds = min(_LONGEST_WAIT, max(_SHORTEST_WAIT, math.ceil(usual)))
        return ToolBusy(
            f"the server is busy: {self.running} runs are worked on and {self.waiting} wait",
            advice=f"call again in {seconds} s with the same arguments; nothing was begun",
            details={"retry_after_seconds": seconds, "running": self.running, "waiting": self.waiting},
        )
