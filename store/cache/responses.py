"""The interface of caches for tool results between runs. A cache may fail at any time; callers go on without it."""

from __future__ import annotations

import hashlib
from typing import Protocol

LARGEST = 8 * 1024 * 1024
"""Bytes of the largest answer that is kept."""
_DIGEST = 32


class ResponsesLost(Exception):
    """What kept the answers cannot be used any more; the message says why, without secrets."""


class Responses(Protocol):
    """Keeps answers by key. May be called from several threads."""

    def get(self, key: str) -> bytes | None:
        """The stored result, or None when missing or damaged. Raises ResponsesLost."""
        ...

    def put(self, key: str, body: bytes) -> None:
        """Store a result unless it is too large. Raises ResponsesLost."""
        ...

    def close(self) -> None:
        """Close the cache. Raises nothing."""
        ...


def sealed(key: str, body: bytes) -> bytes:
    """The result behind a hash of its key and itself, so that damage and another key's result are detected."""
    return _seal(key, body) + body


def unsealed(key: str, held: bytes) -> bytes | None:
    """The result, or None when it was not sealed so for this key."""
    digest, body = held[:_DIGEST], held[_DIGEST:]
    return body if _seal(key, body) == digest else None


def _seal(key: str, body: bytes) -> bytes:
    return hashlib.sha256(hashlib.sha256(key.encode()).digest() + body).digest()
