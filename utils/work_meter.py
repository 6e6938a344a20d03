"""How much of a run's wall time somebody worked: the rest is idle, and a run should have little of it."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class WorkTime:
    """Wall time, split. Seconds; `idle_share` is between 0 and 1."""

    wall_seconds: float
    busy_seconds: float

    @property
    def idle_seconds(self) -> float:
        """Time in which nothing was in flight."""
        return max(0.0, self.wall_seconds - self.busy_seconds)

    @property
    def idle_share(self) -> float:
        """Idle time as a part of wall time; 0 for no time at all."""
        return self.idle_seconds / self.wall_seconds if self.wall_seconds > 0 else 0.0


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
        self._in_flight = 0
        self._busy_since = 0.0
        self._busy = 0.0

    @contextmanager
    def working(self) -> Iterator[None]:
        """A piece of work (engine, sandbox, tests) is in flight for the block; around `await` as well."""
        self._change(1)
        try:
            yield
        finally:
            self._change(-1)

    def read(self) -> WorkTime:
        """The time so far; work in flight counts up to now."""
        with self._lock:
            now = self._clock()
            running = now - self._busy_since if self._in_flight else 0.0
            return WorkTime(now - self._began, self._busy + running)

    def _change(self, by: int) -> None:
        with self._lock:
            now = self._clock()
            if self._in_flight == 0:
                self._busy_since = now
            self._in_flight += by
            if self._in_flight == 0:
                self._busy += now - self._busy_since
