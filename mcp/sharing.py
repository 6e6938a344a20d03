"""One computation for many who ask the same at the same time, and one result for all who ask later (A-09)."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

from .cache import ResultCache


class SharedResults:
    """Results by the hash of what they were made from, for all sessions of a server.

    Whoever asks first computes; who asks meanwhile waits for that; who asks later gets a copy of what is kept. A caller
    who leaves does not take the computation from the others. Failures are told to all who wait, and not kept.

    Args:
        capacity: results kept.
    """

    def __init__(self, capacity: int = 1024) -> None:
        self._kept = ResultCache(capacity)
        self._running: dict[str, asyncio.Task[dict[str, Any]]] = {}
        self.asked = 0
        self.computed = 0

    async def get(self, key: str, compute: Callable[[], Awaitable[dict[str, Any]]]) -> tuple[dict[str, Any], bool]:
        """The result under a key, and whether it was there or on its way already. Raises what `compute` raises."""
        self.asked += 1
        kept = self._kept.get(key)
        if kept is not None:
            return kept, True
        task = self._running.get(key)
        shared = task is not None
        if task is None:
            self.computed += 1
            task = asyncio.create_task(self._computed(key, compute))
            self._running[key] = task
        result = await asyncio.shield(task)
        return self._kept.get(key) or result, shared

    async def _computed(self, key: str, compute: Callable[[], Awaitable[dict[str, Any]]]) -> dict[str, Any]:
        try:
            result = await compute()
            self._kept.put(key, result)
            return result
        finally:
            del self._running[key]
