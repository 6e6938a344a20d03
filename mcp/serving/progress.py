"""Reports progress of long work inside one call, and makes sure that a cancelled call leaves nothing running."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Awaitable, Callable, Coroutine
from typing import Any, TypeVar

import anyio

from ...core.events import Event, EventType
from ...utils.names.counted import counted

T = TypeVar("T")
SendProgress = Callable[[float, float | None, str | None], Awaitable[None]]

HEARTBEAT_SECONDS = 5.0
"""The maximum interval between two notifications, so that a client's own time limit sees a server at work."""

_STEP_UNITS = 10.0
_UNITS_AFTER_NODE = {
    "retrieve_context": 1.0,
    "select_schema": 1.5,
    "generate_spec": 5.0,
    "validate_spec": 5.5,
    "refine_spec": 5.5,
    "generate_code": 6.0,
    "validate_code": 6.5,
    "refine_code": 6.5,
    "run_tests": 9.0,
    "analyze_results": 9.5,
}
_NODE_MESSAGES = {
    "build_plan": "planning",
    "retrieve_context": "reading the code",
    "generate_spec": "exploring the code and writing the spec",
    "refine_spec": "refining the spec",
    "validate_spec": "validating the spec",
    "generate_code": "writing tests",
    "refine_code": "refining the tests",
    "validate_code": "validating the tests",
    "run_tests": "running the tests, again and again in other orders",
    "analyze_results": "analysing the results",
}
_SILENT_NODES = frozenset({"select_schema", "execute_current_step", "advance_or_finish"})


class RunProgress:
    """Computes the progress of a run from its events: one unit for the plan, ten for each step, one for the report."""

    def __init__(self) -> None:
        self._steps: dict[str, float] = {}
        self._targets: dict[str, str] = {}
        self._value = 0.0
        self._reported = 0.0
        self.total: float | None = None
        self.message = "waiting to begin"

    def update(self, event: Event) -> None:
        """Advances by an event."""
        step = event.step_id
        if event.type is EventType.PLAN_READY:
            self.set_plan(event.data.get("steps") or [])
        elif step is not None and event.type is EventType.NODE_ENDED:
            self._advance(step, _UNITS_AFTER_NODE.get(str(event.data.get("node")), 0.0))
        elif step is not None and event.type is EventType.STEP_ENDED:
            self._advance(step, _STEP_UNITS)
        # Work without a plan, such as run_tests.
        elif step is None and event.type in (EventType.PROGRESS, EventType.TESTS_RUN):
            self._value = max(self._value, 1.0)
        if event.data.get("node") not in _SILENT_NODES and event.type is not EventType.NODE_ENDED:
            self.message = self._describe(event)

    def next(self) -> tuple[float, float | None, str]:
        """The next notification: its value is strictly above the last one and below the total, as MCP requires."""
        value = max(self._value, self._reported)
        if value <= self._reported:
            # Nothing was reached since: a small part of the rest shows that the server is at work.
            rest = (self.total - self._reported) if self.total is not None else 1.0
            value = self._reported + min(0.01, rest / 1000)
        self._reported = value
        return round(value, 6), self.total, self.message

    def set_plan(self, steps: list[Any]) -> None:
        """Sets the total from the steps of a plan, in the form of plan.json."""
        for step in steps:
            target = (step.get("params") or {}).get("target")
            name = target.get("path") if isinstance(target, dict) else target
            self._steps[step["id"]] = 0.0
            self._targets[step["id"]] = str(name or step["type"])
        self.total = 2.0 + _STEP_UNITS * len(self._steps)
        self._value = max(self._value, 1.0)

    def _advance(self, step: str, units: float) -> None:
        if step in self._steps:
            # Refinements go back to earlier nodes; progress must not.
            self._steps[step] = max(self._steps[step], units)
            self._value = max(self._value, 1.0 + sum(self._steps.values()))

    def _describe(self, event: Event) -> str:
        message = _NODE_MESSAGES.get(str(event.data.get("node")), event.message)
        if event.step_id is None or event.step_id not in self._steps:
            return message
        done = sum(units >= _STEP_UNITS for units in self._steps.values())
        return f"{done} of {counted(len(self._steps), 'step')} done; {self._targets[event.step_id]}: {message}"


class ProgressReporter:
    """Sends a client the progress of work. `on_event` may be called from any thread.

    Args:
        send: sends one progress notification.
        heartbeat: seconds between two notifications when nothing happens.
    """

    def __init__(self, send: SendProgress, *, heartbeat: float = HEARTBEAT_SECONDS) -> None:
        self.progress = RunProgress()
        self._send = send
        self._heartbeat = heartbeat
        self._loop = asyncio.get_running_loop()
        self._changed = asyncio.Event()

    def on_event(self, event: Event) -> None:
        """Receives an event, from any thread."""
        self._loop.call_soon_threadsafe(self._update, event)

    def report(self, message: str) -> None:
        """Sends a message that no event carries; called in the event loop."""
        self.progress.message = message
        self._changed.set()

    def _update(self, event: Event) -> None:
        self.progress.update(event)
        self._changed.set()

    async def run(self) -> None:
        """Sends the latest change, and heartbeats between changes, until it is cancelled or the client has gone."""
        with contextlib.suppress(anyio.BrokenResourceError, anyio.ClosedResourceError):
            while True:
                with contextlib.suppress(TimeoutError):
                    await asyncio.wait_for(self._changed.wait(), self._heartbeat)
                self._changed.clear()
                await self._send(*self.progress.next())


async def run_to_end(work: Coroutine[Any, Any, T]) -> T:
    """Does work in a task of its own; a cancelled caller cancels it once, and waits for its end.

    The caller's cancellation must not reach the work directly: the SDK's cancel scopes cancel repeatedly, and would
    interrupt the work's own cleanup.
    """
    task = asyncio.create_task(work)
    try:
        await asyncio.wait({task})
    except asyncio.CancelledError:
        task.cancel()
        with anyio.CancelScope(shield=True):
            await asyncio.wait({task})
        if not task.cancelled():
            task.exception()  # retrieved, or asyncio warns; the caller has gone
        raise
    return task.result()


async def run_with_progress(work: Coroutine[Any, Any, T], reporter: ProgressReporter) -> T:
    """Does long work as `run_to_end`, with progress notifications."""
    reporting = asyncio.create_task(reporter.run())
    try:
        return await run_to_end(work)
    finally:
        reporting.cancel()
        with anyio.CancelScope(shield=True):
            await asyncio.wait({reporting})
        if not reporting.cancelled():
            reporting.exception()  # retrieved, or asyncio warns; a notification that fails must not fail the work
