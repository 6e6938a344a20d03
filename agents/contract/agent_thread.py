"""Runs the async functions of an agent of others in an event loop of its own, beside the one of the run.

One that blocks holds up this loop and no other; what ends a loop, such as SystemExit in a task that the agent started,
ends this one. The next call gets a new loop then. Code that never gives up the interpreter's lock, as a long match of
`re` does, still holds up everything.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from concurrent.futures import Future
from contextlib import suppress
from contextvars import copy_context
from typing import Any

from ...core.errors import AgentFailure
from .containment import contained, raised_by_agent

_GRACE = 1.0
"""Seconds that a cancelled call has for its clean-up."""


class AgentThread:
    """The event loop of one agent; begun by the first call.

    Attributes:
        left_behind: calls that were cancelled and did not end in time; they may still run.
    """

    def __init__(self) -> None:
        self.left_behind = 0
        self._loop: _LoopThread | None = None

    async def call(self, function: Callable[..., Any], *arguments: Any) -> Any:
        """What an async function returns; what it raises is raised here.

        Raises:
            AgentFailure: it, or a task that it started, raised what would have ended the run.
        """
        if self._loop is None or self._loop.ended.is_set():
            self._loop = _LoopThread()
        loop = self._loop
        call = loop.begin(function, arguments)
        try:
            return await asyncio.shield(call.answer)
        except asyncio.CancelledError:
            loop.post(call.cancel)
            await asyncio.wait([call.answer], timeout=_GRACE)
            if call.answer.done():
                call.answer.exception()  # nobody asks for it any more
            else:
                self.left_behind += 1
                loop.retire()
                if self._loop is loop:
                    self._loop = None
            raise

    def retire(self) -> Future[None] | None:
        """Have the loop end once nothing runs in it any more; what is returned is done when it has."""
        loop, self._loop = self._loop, None
        if loop is None:
            return None
        loop.retire()
        return loop.closed

    async def close(self) -> None:
        """As `retire`, and wait for the end."""
        closed = self.retire()
        if closed is not None:
            await asyncio.wrap_future(closed)


class _Call:
    """One call in a loop: its answer belongs to the caller's loop, all else to the agent's."""

    def __init__(self) -> None:
        self._home = asyncio.get_running_loop()
        self.answer: asyncio.Future[Any] = self._home.create_future()
        self.task: asyncio.Task[None] | None = None

    def cancel(self) -> None:
        if self.task is not None:
            self.task.cancel()

    def finish(self, result: Any, error: BaseException | None) -> None:
        """Give the caller its answer; called in the agent's thread."""
        with suppress(RuntimeError):  # the caller's loop has ended
            self._home.call_soon_threadsafe(self._settle, result, error)

    def _settle(self, result: Any, error: BaseException | None) -> None:
        if self.answer.done():
            return
        if error is None:
            self.answer.set_result(result)
        else:
            self.answer.set_exception(error)


class _LoopThread:
    """A daemon thread with a loop: it does not keep the process from ending."""

    def __init__(self) -> None:
        self.ended = threading.Event()
        self.closed: Future[None] = Future()
        self._open: set[_Call] = set()
        self._lock = threading.Lock()
        self._is_retired = False
        self._runner = asyncio.Runner()
        self._loop = self._runner.get_loop()
        self._stop = asyncio.Event()
        threading.Thread(target=self._run, name="testwright-agent", daemon=True).start()

    def begin(self, function: Callable[..., Any], arguments: tuple[Any, ...]) -> _Call:
        call, context = _Call(), copy_context()
        with self._lock:
            self._open.add(call)

        def start() -> None:
            call.task = self._loop.create_task(self._serve(call, function, arguments), context=context)

        if not self.post(start):
            self._end_all(AgentFailure("its event loop has ended"))
        return call

    def post(self, action: Callable[[], None]) -> bool:
        """Have the loop do something; False where it has ended."""
        try:
            self._loop.call_soon_threadsafe(action)
        except RuntimeError:
            return False
        return True

    def retire(self) -> None:
        """End the loop once its last call has ended."""
        with self._lock:
            self._is_retired = True
            is_idle = not self._open
        if is_idle:
            self.post(self._stop.set)

    async def _serve(self, call: _Call, function: Callable[..., Any], arguments: tuple[Any, ...]) -> None:
        try:
            outcome = await contained(function(*arguments), everything=True), None
        except asyncio.CancelledError as error:
            outcome = None, error
        except BaseException as error:  # noqa: BLE001 - nothing may be lost here, or the caller waits for ever
            outcome = None, raised_by_agent(error)
        self._release(call)
        call.finish(*outcome)

    def _release(self, call: _Call) -> None:
        with self._lock:
            self._open.discard(call)
            is_over = self._is_retired and not self._open
        if is_over:
            self._stop.set()

    def _run(self) -> None:
        reason = "its event loop was closed"
        try:
            with self._runner as runner:
                try:
                    runner.run(self._stop.wait())
                finally:
                    # Before the calls that closing cancels are answered: the next one needs a new loop.
                    self.ended.set()
        except BaseException as error:  # noqa: BLE001 - of a task that the agent started
            reason = f"a task that it started raised {error!r}, which would have ended the run"
        finally:
            self._end_all(AgentFailure(reason))
            self.closed.set_result(None)

    def _end_all(self, error: AgentFailure) -> None:
        with self._lock:
            calls, self._open = self._open, set()
        for call in calls:
            call.finish(None, error)
