"""Measures how much of a run's wall time was spent working, waiting for a model, or idle."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class WorkTime:
    """Wall time, split. Seconds."""

    wall_seconds: float
    busy_seconds: float
    model_seconds: float = 0.0
    """Time without work, in which a model was waited for."""

    @property
    def idle_seconds(self) -> float:
        """Time in which nothing was in flight."""
        return max(0.0, self.wall_seconds - self.busy_seconds - self.model_seconds)


class WorkMeter:
    """Counts the time with at least one piece of work in flight. Counting begins when the meter is made.

    Work that overlaps counts once. Usable from any thread and any task.

    Args:
        clock: seconds that only grow.
    """

    def __init__(self, *, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._lock = threading.Lock()
        self._began = clock()
        self._since = self._began
        self._in_flight = 0
        self._asked = 0
        self._busy = 0.0
        self._waited = 0.0

    @contextmanager
    def working(self) -> Iterator[None]:
        """A piece of work (engine, sandbox, tests) is in flight for the block; around `await` as well."""
        self._change(working=1)
        try:
            yield
        finally:
            self._change(working=-1)

    @contextmanager
    def waiting(self) -> Iterator[None]:
        """A piece of work in flight waits for a model for the block: meanwhile it is none."""
        self._change(working=-1, waiting=1)
        try:
            yield
        finally:
            self._change(working=1, waiting=-1)

    def read(self) -> WorkTime:
        """The time so far; what is in flight counts up to now."""
        with self._lock:
            now = self._count()
            return WorkTime(now - self._began, self._busy, self._waited)

    def _change(self, working: int, waiting: int = 0) -> None:
        with self._lock:
            self._count()
            self._in_flight += working
            self._asked += waiting

    def _count(self) -> float:
        """Count the time since the last change; the answer is now."""
        now = self._clock()
        if self._in_flight > 0:
            self._busy += now - self._since
        elif self._asked > 0:
            self._waited += now - self._since
        self._since = now
        return now
