"""Caches results by the hash of what they were made from: in memory, and optionally in a store that outlives the run.

Nothing depends on the cache: a result that is gone, broken or outside its tool's schema is computed again.
"""

from __future__ import annotations

import asyncio
import copy
import hashlib
import json
import threading
from collections import OrderedDict
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any, Generic, Literal, TypeVar

from ...store.cache.responses import Responses, ResponsesLost

T = TypeVar("T")
Json = dict[str, Any]
Source = Literal["", "run", "kept"]
"""Where a result came from: computed by this call, another call of this process, or an earlier process."""


@dataclass(slots=True)
class _Flight(Generic[T]):
    task: asyncio.Task[T]
    waiting: int = 0


class SingleFlight(Generic[T]):
    """Runs one computation per key at a time, for one event loop.

    The first caller starts it, later callers wait for it. A caller that is cancelled does not cancel it for the
    others; it is cancelled with its last caller. An error is raised in all callers.
    """

    def __init__(self) -> None:
        self._flights: dict[str, _Flight[T]] = {}

    async def run(self, key: str, compute: Callable[[], Awaitable[T]]) -> tuple[T, bool]:
        """Returns the result, the same object for all callers, and whether it was already under way.

        Raises whatever `compute` raises.
        """
        flight = self._flights.get(key)
        joined = flight is not None
        if flight is None:
            flight = _Flight(asyncio.ensure_future(compute()))  # a coroutine makes a task
            self._flights[key] = flight
            flight.task.add_done_callback(lambda task: self._remove(key, task))
        flight.waiting += 1
        try:
            return await asyncio.shield(flight.task), joined
        finally:
            flight.waiting -= 1
            if not flight.waiting and not flight.task.done():
                # Removed at once: a caller that comes while it is being cancelled must start a new one.
                self._flights.pop(key, None)
                flight.task.cancel()
                await asyncio.wait({flight.task})

    def _remove(self, key: str, task: asyncio.Task[T]) -> None:
        flight = self._flights.get(key)
        if flight is not None and flight.task is task:
            del self._flights[key]


class ContentCache:
    """Keeps the most recently used results. `get` and `put` may be called from any thread; results are copied.

    Args:
        capacity: results in memory; the least recently used one is dropped first.
        store: where results outlive this process; None for nowhere.
        on_loss: called once with a warning when `store` fails; the cache goes on without it.
    """

    def __init__(
        self, capacity: int = 512, *, store: Responses | None = None, on_loss: Callable[[str], None] | None = None
    ) -> None:
        self._capacity = max(1, capacity)
        self._results: OrderedDict[str, Json] = OrderedDict()
        self._lock = threading.Lock()
        self._store = store
        self._on_loss = on_loss
        self._computing: SingleFlight[tuple[Json, Source]] = SingleFlight()

    def get(self, key: str) -> Json | None:
        """The result in memory under a key, or None."""
        with self._lock:
            result = self._results.get(key)
            if result is None:
                return None
            self._results.move_to_end(key)
        return copy.deepcopy(result)

    def put(self, key: str, result: Json) -> None:
        """Keeps a result in memory."""
        kept = copy.deepcopy(result)
        with self._lock:
            self._results[key] = kept
            self._results.move_to_end(key)
            while len(self._results) > self._capacity:
                self._results.popitem(last=False)

    async def get_or_compute(
        self,
        key: str,
        compute: Callable[[], Awaitable[Json]],
        *,
        store_key: Callable[[], str] | None = None,
        fits: Callable[[Json], bool] = lambda _: True,
        may_keep: Callable[[Json], bool] = lambda _: True,
    ) -> tuple[Json, Source]:
        """Returns a copy of the result under a key, and its source; equal calls at the same time share one computation.

        Args:
            store_key: computes the key in the persistent store, in a thread; without it results stay in memory.
            fits: whether a stored result may be used.
            may_keep: whether a computed result may be kept; called in a thread.

        Raises whatever `compute` raises; errors are not kept.
        """
        result = self.get(key)
        if result is not None:
            return result, "run"
        (result, source), joined = await self._computing.run(
            key, lambda: self._load_or_compute(key, compute, store_key, fits, may_keep)
        )
        return copy.deepcopy(result), "run" if joined else source

    async def _load_or_compute(
        self,
        key: str,
        compute: Callable[[], Awaitable[Json]],
        store_key: Callable[[], str] | None,
        fits: Callable[[Json], bool],
        may_keep: Callable[[Json], bool],
    ) -> tuple[Json, Source]:
        stored_as = await asyncio.to_thread(store_key) if store_key is not None and self.is_persistent else None
        if stored_as is not None:
            stored = await asyncio.to_thread(self._load, stored_as)
            # A stored result may come from another version or be damaged.
            if stored is not None and fits(stored):
                self.put(key, stored)
                return stored, "kept"
        result = await compute()
        # A file may have changed during the work: then the result does not belong to its key.
        if await asyncio.to_thread(may_keep, result):
            self.put(key, result)
            if stored_as is not None:
                await asyncio.to_thread(self._save, stored_as, result)
        return result, ""

    def _load(self, key: str) -> Json | None:
        store = self._store
        if store is None:
            return None
        try:
            body = store.get(key)
            result = json.loads(body) if body is not None else None
        except ResponsesLost as error:
            self._abandon(error)
            return None
        except (ValueError, RecursionError):
            return None  # the store is damaged, or another program wrote to it
        return result if isinstance(result, dict) else None

    def _save(self, key: str, result: Json) -> None:
        store = self._store
        if store is None:
            return
        try:
            store.put(key, json.dumps(result, separators=(",", ":")).encode())
        except ResponsesLost as error:
            self._abandon(error)

    @property
    def is_persistent(self) -> bool:
        """Whether results are kept anywhere but in memory."""
        return self._store is not None

    def close(self) -> bool:
        """Closes the persistent store, if it is still in use, and returns whether it was; memory stays. It blocks."""
        with self._lock:
            store, self._store = self._store, None
        if store is not None:
            store.close()
        return store is not None

    def _abandon(self, error: ResponsesLost) -> None:
        # Several threads may meet the same failure: only the one that closes the store warns.
        if self.close() and self._on_loss is not None:
            self._on_loss(f"The cache of tool answers is not used any more: {error}.")

    def __len__(self) -> int:
        with self._lock:
            return len(self._results)


def content_key(*parts: Any) -> str:
    """One key for JSON values and texts: sha256, in hex, of their canonical JSON."""
    text = json.dumps(parts, sort_keys=True, separators=(",", ":"), ensure_ascii=False, default=str)
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
