"""Ending on SIGTERM and SIGINT, for every transport."""

from __future__ import annotations

import asyncio
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager

_ENDINGS = (signal.SIGTERM, signal.SIGINT)


@contextmanager
def signals_answered_by(stop: Callable[[], object]) -> Iterator[None]:
    """Each signal that asks for the end calls `stop`, in the running event loop, for as long as the block lasts."""
    loop = asyncio.get_running_loop()
    for one in _ENDINGS:
        loop.add_signal_handler(one, stop)
    try:
        yield
    finally:
        for one in _ENDINGS:
            loop.remove_signal_handler(one)
