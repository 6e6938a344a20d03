"""Ends work at workers when the command that began it is ended."""

from __future__ import annotations

import asyncio
import signal
from collections.abc import Coroutine
from contextlib import suppress
from typing import Any, TypeVar

Ended = TypeVar("Ended")


async def interrupted_by_termination(work: Coroutine[Any, Any, Ended]) -> Ended:
    """Await work that others do for this process, and cancel it on SIGTERM: without it they would go on, and cost.

    Raises:
        KeyboardInterrupt: SIGTERM arrived; the work has ended.
        And what the work raises.
    """
    loop, task, terminated = asyncio.get_running_loop(), asyncio.current_task(), asyncio.Event()
    assert task is not None

    def stop() -> None:
        terminated.set()
        task.cancel()

    with suppress(RuntimeError, ValueError):  # outside of the main thread signals are somebody else's
        loop.add_signal_handler(signal.SIGTERM, stop)
    try:
        return await work
    except asyncio.CancelledError:
        if terminated.is_set():
            raise KeyboardInterrupt from None
        raise
    finally:
        loop.remove_signal_handler(signal.SIGTERM)
