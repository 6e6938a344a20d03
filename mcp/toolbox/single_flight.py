"""One computation for everybody who asks the same at the same time (T-16)."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Generic, TypeVar

T = TypeVar("T")


@dataclass(slots=True)
class _Flight(Generic[T]):
    task: asyncio.Task[T]
    waiting: int = 0


class Flights(Generic[T]):
    """Computations under way, by key. For one event loop.

    Who asks first starts it, who asks meanwhile waits for it. One who leaves does not take it from the others; when
    the last has left it is cancelled. A failure is told to all who wait.
    """

    def __init__(self) -> None:
        self._flights: dict[str, _Flight[T]] = {}

    async def shared(self, key: str, compute: Callable[[], Awaitable[T]]) -> tuple[T, bool]:
        """The result, and whether it was under way already. All who wait get the same object: copy before changing it.

        Raises whatever `compute` raises.
        """
        flight = self._flights.get(key)
        joined = flight is not None
        if flight is None:
            flight = _Flight(asyncio.ensure_future(compute()))  # type: ignore[arg-type] - a coroutine makes a task
            self._flights[key] = flight
            flight.task.add_done_callback(lambda task: self._landed(key, task))
        flight.waiting += 1
        try:
            return await asyncio.shield(flight.task), joined
        finally:
            flight.waiting -= 1
            if not flight.waiting and not flight.task.done():
                self._flights.pop(key, None)
                flight.task.cancel()
                await asyncio.wait({flight.task})

    def _landed(self, key: str, task: asyncio.Task[T]) -> None:
        flight = self._flights.get(key)
        if flight is not None and flight.task is task:
            del self._flights[key]
