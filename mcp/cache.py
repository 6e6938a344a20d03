"""Results kept in memory for as long as a toolbox lives, keyed by the hash of what they were made from (T-16)."""

from __future__ import annotations

import copy
import hashlib
import json
import threading
from collections import OrderedDict
from typing import Any


class ResultCache:
    """The most recently used results; safe to use from several threads. What is taken out is a copy.

    Args:
        capacity: results kept; the one longest unused goes first.
    """

    def __init__(self, capacity: int = 512) -> None:
        self._capacity = max(1, capacity)
        self._results: OrderedDict[str, dict[str, Any]] = OrderedDict()
        self._lock = threading.Lock()

    def get(self, key: str) -> dict[str, Any] | None:
        """The result under a key, or None."""
        with self._lock:
            result = self._results.get(key)
            if result is None:
                return None
            self._results.move_to_end(key)
        return copy.deepcopy(result)

    def put(self, key: str, result: dict[str, Any]) -> None:
        """Keep a result."""
        kept = copy.deepcopy(result)
        with self._lock:
            self._results[key] = kept
            self._results.move_to_end(key)
            while len(self._results) > self._capacity:
                self._results.popitem(last=False)

    def __len__(self) -> int:
        with self._lock:
            return len(self._results)


def content_key(*parts: Any) -> str:
    """One key for JSON values and texts: sha256, in hex, of their canonical JSON."""
    text = json.dumps(parts, sort_keys=True, separators=(",", ":"), ensure_ascii=False, default=str)
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
