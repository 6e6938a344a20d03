"""Answers of tools, kept between runs (A-09). Whatever keeps them may vanish at any moment."""

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
        """The answer, whole and undamaged, or None. Raises ResponsesLost."""
        ...

    def put(self, key: str, body: bytes) -> None:
        """Keep an answer, if there is room for it. Raises ResponsesLost."""
        ...

    def close(self) -> None:
        """Let go of it. Raises nothing."""
        ...


def sealed(body: bytes) -> bytes:
    """The answer behind its own hash, so that damage shows."""
    return hashlib.sha256(body).digest() + body


def unsealed(held: bytes) -> bytes | None:
    """The answer, or None when it is not what was sealed."""
    digest, body = held[:_DIGEST], held[_DIGEST:]
    return body if hashlib.sha256(body).digest() == digest else None
