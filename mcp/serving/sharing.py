"""One result for all who ask the same, at the same time or later, whichever session they belong to (T-16)."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

from ..toolbox.cache import ResultCache
from ..toolbox.single_flight import Flights


class SharedResults:
    """Results by the hash of what they were made from. Failures are told to all who wait, and not kept.

    Args:
        capacity: results kept in memory.
    """

    def __init__(self, capacity: int = 1024) -> None:
        self._kept = ResultCache(capacity)
        self._flights: Flights[dict[str, Any]] = Flights()
        self.asked = 0
        self.computed = 0

    async def get(self, key: str, compute: Callable[[], Awaitable[dict[str, Any]]]) -> tuple[dict[str, Any], bool]:
        """The result under a key, a copy, and whether it was there or on its way. Raises what `compute` raises."""
        self.asked += 1
        kept = self._kept.get(key)
        if kept is not None:
            return kept, True

        async def computed() -> dict[str, Any]:
            self.computed += 1
            result = await compute()
            self._kept.put(key, result)
            return result

        result, joined = await self._flights.shared(key, computed)
        return self._kept.get(key) or result, joined
