"""Results by the hash of what they were made from: in memory, and behind that kept between runs (T-16, A-09).

Nothing depends on what is in here: a result that is gone, broken or outside its tool's schema is made again.
"""

from __future__ import annotations

import copy
import hashlib
import json
import threading
from collections import OrderedDict
from collections.abc import Callable
from typing import Any

from ...store.cache.responses import Responses, ResponsesLost


class ResultCache:
    """The most recently used results; safe to use from several threads. What is taken out is a copy.

    Args:
        capacity: results in memory; the one longest unused goes first.
        kept: where results outlive this process; None for nowhere.
        lost: told once when `kept` cannot be used any more; the cache goes on without it.
    """

    def __init__(
        self, capacity: int = 512, *, kept: Responses | None = None, lost: Callable[[str], None] | None = None
    ) -> None:
        self._capacity = max(1, capacity)
        self._results: OrderedDict[str, dict[str, Any]] = OrderedDict()
        self._lock = threading.Lock()
        self._kept = kept
        self._tell = lost

    def get(self, key: str) -> dict[str, Any] | None:
        """The result under a key that is in memory, or None."""
        with self._lock:
            result = self._results.get(key)
            if result is None:
                return None
            self._results.move_to_end(key)
        return copy.deepcopy(result)

    def put(self, key: str, result: dict[str, Any]) -> None:
        """Have a result in memory."""
        kept = copy.deepcopy(result)
        with self._lock:
            self._results[key] = kept
            self._results.move_to_end(key)
            while len(self._results) > self._capacity:
                self._results.popitem(last=False)

    def fetch(self, key: str, fits: Callable[[dict[str, Any]], bool]) -> dict[str, Any] | None:
        """The result that was kept beyond a process, or None. It blocks: call it in a thread.

        Args:
            fits: whether it is a result of the tool; one that is not counts as none.
        """
        store = self._kept
        if store is None:
            return None
        try:
            body = store.get(key)
        except ResponsesLost as error:
            self._give_up(error)
            return None
        result = _read(body) if body is not None else None
        return result if result is not None and fits(result) else None

    def keep(self, key: str, result: dict[str, Any]) -> None:
        """Keep a result beyond this process. It blocks: call it in a thread."""
        store = self._kept
        if store is None:
            return
        try:
            store.put(key, json.dumps(result, separators=(",", ":")).encode())
        except ResponsesLost as error:
            self._give_up(error)

    @property
    def outlives(self) -> bool:
        """Whether results are kept anywhere but in memory."""
        return self._kept is not None

    def close(self) -> None:
        """Let go of what is kept beyond this process; memory stays. It blocks."""
        with self._lock:
            store, self._kept = self._kept, None
        if store is not None:
            store.close()

    def _give_up(self, error: ResponsesLost) -> None:
        with self._lock:
            store, self._kept = self._kept, None
        if store is not None:
            store.close()
            if self._tell is not None:
                self._tell(f"The cache of tool answers is not used any more: {error}.")

    def __len__(self) -> int:
        with self._lock:
            return len(self._results)


def content_key(*parts: Any) -> str:
    """One key for JSON values and texts: sha256, in hex, of their canonical JSON."""
    text = json.dumps(parts, sort_keys=True, separators=(",", ":"), ensure_ascii=False, default=str)
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def _read(body: bytes) -> dict[str, Any] | None:
    try:
        result = json.loads(body)
    except (ValueError, RecursionError):
        return None
    return result if isinstance(result, dict) else None
