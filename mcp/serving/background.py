"""Lets a call answer before its work has ended: the work goes on, and a later call waits for it by its run id.

A client whose request limit is shorter than a run could otherwise never finish one.
"""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field

import anyio

from ..toolbox.tool_spec import ToolAnswer
from .progress import SendProgress

_MAX_KEPT = 200


@dataclass(eq=False)
class BackgroundCall:
    """The work of one call.

    Attributes:
        run_id: the run it works on, "" until it is known; for work that is no run, an id of its own.
        root: the served project's name; "" until it is known.
        message: what it does at the moment.
        listener: who is told of progress; None while no call waits.
    """

    tool: str
    session: str | None
    run_id: str = ""
    root: str = ""
    message: str = "waiting to begin"
    listener: SendProgress | None = None
    task: asyncio.Task[ToolAnswer] = field(init=False)

    async def send_progress(self, progress: float, total: float | None, message: str | None) -> None:
        """Tells the call that waits, if any."""
        self.message = message or self.message
        listener = self.listener
        if listener is not None:
            try:
                await listener(progress, total, message)
            except (anyio.BrokenResourceError, anyio.ClosedResourceError):
                self.listener = None  # its client has gone; the work may be asked about by another one

    async def wait(self, seconds: float, listener: SendProgress) -> bool:
        """Waits for the end of the work, and returns whether it has ended."""
        self.listener = listener
        try:
            await asyncio.wait({self.task}, timeout=seconds)
        finally:
            if self.listener is listener:
                self.listener = None
        return self.task.done()

    async def stop(self) -> None:
        """Cancels the work, and waits until it has ended everything that it started."""
        self.task.cancel()
        with anyio.CancelScope(shield=True):
            await asyncio.wait({self.task})


class BackgroundCalls:
    """Keeps the calls that were answered before their end, and the last ones that have ended since."""

    def __init__(self) -> None:
        self._calls: OrderedDict[str, BackgroundCall] = OrderedDict()

    async def begin(
        self,
        call: BackgroundCall,
        work: Callable[[], Awaitable[ToolAnswer]],
        new_id: Callable[[], str],
        seconds: float,
        listener: SendProgress,
    ) -> ToolAnswer | None:
        """Begins the work and returns its answer, or None when it goes on after so many seconds.

        Args:
            new_id: makes an id for work that has none by then.

        A caller that is cancelled while it waits cancels the work. Raises whatever the work raises.
        """
        call.task = asyncio.ensure_future(work())  # a coroutine makes a task
        try:
            ended = await call.wait(seconds, listener)
        except asyncio.CancelledError:
            await call.stop()
            raise
        if ended:
            return call.task.result()
        call.task.add_done_callback(lambda task: task.cancelled() or task.exception())  # retrieved, or asyncio warns
        call.run_id = call.run_id or new_id()
        self._calls[call.run_id] = call
        for run_id in [run_id for run_id, known in self._calls.items() if known.task.done()][:-_MAX_KEPT]:
            del self._calls[run_id]
        return None

    def find(self, run_id: str) -> BackgroundCall | None:
        """The call that works, or has worked, on a run."""
        return self._calls.get(run_id)

    async def stop(self, session: str) -> None:
        """Stops the calls of a connection that has ended, and those of sessions that outlive a connection."""
        calls = [call for call in self._calls.values() if not call.task.done()]
        for call in calls:
            if call.session == session or not (call.session or "").startswith("connection "):
                await call.stop()
