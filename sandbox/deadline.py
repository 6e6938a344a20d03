"""Hands the time that a piece of work has left to everything that runs programs or waits for them on its behalf."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from time import monotonic

_DEADLINE: ContextVar[float] = ContextVar("deadline", default=float("inf"))


@contextmanager
def deadline_after(seconds: float) -> Iterator[None]:
    """Give the work in the block, and tasks that it starts, at most so many seconds; an earlier deadline holds on."""
    token = _DEADLINE.set(min(_DEADLINE.get(), monotonic() + seconds))
    try:
        yield
    finally:
        _DEADLINE.reset(token)


def is_past_deadline() -> bool:
    """Whether the deadline has passed."""
    return monotonic() >= _DEADLINE.get()


def within_deadline(seconds: float) -> float:
    """So many seconds, or what is left until the deadline where that is less; never below 0."""
    return max(0.0, min(seconds, _DEADLINE.get() - monotonic()))
