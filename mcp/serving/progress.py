"""Long work inside one call: the client hears how far it is, and a cancelled call leaves nothing running (B-10)."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Awaitable, Callable, Coroutine
from typing import Any, TypeVar

import anyio

from ...core.events import Event, EventType

T = TypeVar("T")
Tell = Callable[[float, float | None, str | None], Awaitable[None]]

BEAT_SECONDS = 5.0
"""A client hears something at least this often, so that its own time limit sees a server at work."""

_STEP = 10.0
_AT_NODE = {
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
_WORDS = {
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
_QUIET = frozenset({"select_schema", "execute_current_step", "advance_or_finish"})
"""Nodes of which nobody needs to hear."""


class Stage:
    """How far a run is, read from its events: one unit for the plan, ten for each step, one for the report."""

    def __init__(self) -> None:
        self._steps: dict[str, float] = {}
        self._targets: dict[str, str] = {}
        self._value = 0.0
        self._told = 0.0
        self.total: float | None = None
        self.message = "waiting to begin"

    def hear(self, event: Event) -> None:
        """Learn from an event."""
        step = event.step_id
        if event.type is EventType.PLAN_READY:
            self.planned(event.data.get("steps") or [])
        elif step is not None and event.type is EventType.NODE_ENDED:
            self._reach(step, _AT_NODE.get(str(event.data.get("node")), 0.0))
        elif step is not None and event.type is EventType.STEP_ENDED:
            self._reach(step, _STEP)
        elif step is None and event.type in (EventType.PROGRESS, EventType.TESTS_RUN):
            self._value = max(self._value, 1.0)
        if event.data.get("node") not in _QUIET and event.type is not EventType.NODE_ENDED:
            self.message = self._words(event)

    def say(self, message: str) -> None:
        """What is going on, where no event says it."""
        self.message = message

    def next(self) -> tuple[float, float | None, str]:
        """Progress to tell: more than was told before, less than all."""
        value = max(self._value, self._told)
        if value <= self._told:
            rest = (self.total - self._told) if self.total is not None else 1.0
            value = self._told + min(0.01, rest / 1000)
        self._told = value
        return round(value, 6), self.total, self.message

    def planned(self, steps: list[Any]) -> None:
        """Learn the steps of the plan, in the form of plan.json."""
        for step in steps:
            params = step.get("params") or {}
            target = params.get("target")
            name = target.get("path") if isinstance(target, dict) else target
            self._steps[step["id"]] = 0.0
            self._targets[step["id"]] = str(name or step["type"])
        self.total = 2.0 + _STEP * len(self._steps)
        self._value = max(self._value, 1.0)

    def _reach(self, step: str, place: float) -> None:
        if step in self._steps:
            self._steps[step] = max(self._steps[step], place)
            self._value = max(self._value, 1.0 + sum(self._steps.values()))

    def _words(self, event: Event) -> str:
        about = _WORDS.get(str(event.data.get("node")), event.message)
        if event.step_id is None or event.step_id not in self._steps:
            return about
        done = sum(value >= _STEP for value in self._steps.values())
        return f"{done} of {len(self._steps)} steps done; {self._targets[event.step_id]}: {about}"


class Teller:
    """Passes a stage on to a client while work goes on; usable from any thread.

    Args:
        tell: sends one progress notification.
        beat: seconds between two, when nothing happens.
    """

    def __init__(self, tell: Tell, *, beat: float = BEAT_SECONDS) -> None:
        self.stage = Stage()
        self._tell = tell
        self._beat = beat
        self._loop = asyncio.get_running_loop()
        self._changed = asyncio.Event()

    def hear(self, event: Event) -> None:
        """An event sink."""
        self._loop.call_soon_threadsafe(self._heard, event)

    def say(self, message: str) -> None:
        """Tell in words what is going on; called in the event loop."""
        self.stage.say(message)
        self._changed.set()

    def _heard(self, event: Event) -> None:
        self.stage.hear(event)
        self._changed.set()

    async def telling(self) -> None:
        """Tell every change, the latest only, and give a sign of life between; ends by cancellation or when unheard."""
        with contextlib.suppress(anyio.BrokenResourceError, anyio.ClosedResourceError):
            while True:
                with contextlib.suppress(TimeoutError):
                    await asyncio.wait_for(self._changed.wait(), self._beat)
                self._changed.clear()
                await self._tell(*self.stage.next())


async def apart(work: Coroutine[Any, Any, T]) -> T:
    """Do work in a task of its own; a cancelled caller cancels it once, and waits for its end.

    The caller's cancellation must not reach the work directly: the SDK's cancel scopes cancel again and again, and
    would break off the work's own clearing up.
    """
    task = asyncio.create_task(work)
    try:
        await asyncio.wait({task})
    except asyncio.CancelledError:
        task.cancel()
        with anyio.CancelScope(shield=True):
            await asyncio.wait({task})
        if not task.cancelled():
            task.exception()  # what it came to is of no interest any more
        raise
    return task.result()


async def seen_through(work: Coroutine[Any, Any, T], teller: Teller) -> T:
    """Do long work `apart`, telling how far it is."""
    telling = asyncio.create_task(teller.telling())
    try:
        return await apart(work)
    finally:
        telling.cancel()
        with anyio.CancelScope(shield=True):
            await asyncio.wait({telling})
        if not telling.cancelled():
            telling.exception()  # a client that cannot be told is no fault of the work
