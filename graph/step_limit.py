"""Limits the wall time of a step, and lifts the limit for work that must not be cancelled.

The limit is set around a step and lifted by a node inside it, in another task; a context variable reaches that task.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from contextvars import ContextVar

_LIMIT: ContextVar[asyncio.Timeout | None] = ContextVar("step_limit", default=None)


class StepOutOfTimeError(Exception):
    """A step reached its time limit and was cancelled."""


@asynccontextmanager
async def step_limit(seconds: float | None) -> AsyncIterator[None]:
    """Cancel the block after some seconds, unless it lifts the limit before; None for no limit.

    Raises:
        StepOutOfTimeError: the block was cancelled.
    """
    limit = asyncio.timeout(seconds)
    token = _LIMIT.set(limit)
    try:
        async with limit:
            yield
    except TimeoutError:
        if not limit.expired():
            raise
        raise StepOutOfTimeError from None
    finally:
        _LIMIT.reset(token)


def lift_step_limit() -> None:
    """Let the current step run to its end, because it now keeps what was made. Without a limit this does nothing."""
    limit = _LIMIT.get()
    if limit is not None and not limit.expired():
        limit.reschedule(None)
