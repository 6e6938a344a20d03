"""A step's limit on wall time, and what is not cut off by it (B-08).

The limit is set around a step and lifted by a node inside, which other tasks run; a context variable reaches those.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from contextvars import ContextVar

_LIMIT: ContextVar[asyncio.Timeout | None] = ContextVar("step_limit", default=None)


class StepOutOfTimeError(Exception):
    """The time of a step is up; what it was at has been cancelled."""


@asynccontextmanager
async def step_limit(seconds: float | None) -> AsyncIterator[None]:
    """Cancel the block after so many seconds, unless it lifts the limit before; None for no limit.

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
    """From now on the step at hand ends by itself: what it does keeps what was made. Without a limit: nothing."""
    limit = _LIMIT.get()
    if limit is not None and not limit.expired():
        limit.reschedule(None)
