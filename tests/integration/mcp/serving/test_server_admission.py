"""A server limits concurrent work, and tells refused callers when to retry."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from testwright.core.errors import ToolBusy
from testwright.mcp.serving.admission import WorkSlots

pytestmark = pytest.mark.feature("B-10")
A, B, C = Path("/a"), Path("/b"), Path("/c")


class Worker:
    """Holds a place until it is let go."""

    def __init__(self, slots: WorkSlots, root: Path) -> None:
        self._slots, self._root = slots, root
        self.waited: list[int] = []
        self.holds = asyncio.Event()
        self.go = asyncio.Event()
        self.task = asyncio.create_task(self._work())

    async def _work(self) -> None:
        async with self._slots.acquire(self._root, self.waited.append):
            self.holds.set()
            await self.go.wait()

    async def end(self) -> None:
        self.go.set()
        await self.task


async def test_runs_are_admitted_in_the_order_of_arrival_up_to_the_limit() -> None:
    slots = WorkSlots(2, 8)
    first, second, third = Worker(slots, A), Worker(slots, B), Worker(slots, C)
    await first.holds.wait()
    await second.holds.wait()
    assert not third.holds.is_set()
    assert third.waited == [2]
    await second.end()
    await third.holds.wait()
    await first.end()
    await third.end()
    assert (slots.running, slots.waiting) == (0, 0)


async def test_a_project_has_one_run_at_a_time_and_others_pass_it() -> None:
    slots = WorkSlots(2, 8)
    first, again, other = Worker(slots, A), Worker(slots, A), Worker(slots, B)
    await first.holds.wait()
    await other.holds.wait()
    assert not again.holds.is_set()
    await first.end()
    await again.holds.wait()
    await again.end()
    await other.end()


async def test_a_call_beyond_the_queue_is_refused_with_the_seconds_to_wait() -> None:
    now = [0.0]
    slots = WorkSlots(1, 1, clock=lambda: now[0])
    early = Worker(slots, A)
    await early.holds.wait()
    now[0] = 42.0
    await early.end()
    holding, waiting = Worker(slots, A), Worker(slots, B)
    await holding.holds.wait()
    with pytest.raises(ToolBusy) as busy:
        async with slots.acquire(C):
            raise AssertionError("there was no place")
    assert busy.value.details == {"retry_after_seconds": 42, "running": 1, "waiting": 1}
    assert "call again in 42 s" in busy.value.advice
    await holding.end()
    await waiting.holds.wait()
    await waiting.end()


async def test_a_caller_cancelled_while_waiting_leaves_the_queue() -> None:
    slots = WorkSlots(1, 8)
    first, leaving, last = Worker(slots, A), Worker(slots, A), Worker(slots, B)
    await first.holds.wait()
    leaving.task.cancel()
    await asyncio.wait({leaving.task})
    await first.end()
    await last.holds.wait()
    await last.end()
    assert (slots.running, slots.waiting) == (0, 0)


async def test_work_that_fails_frees_its_slot() -> None:
    slots = WorkSlots(1, 0)
    with pytest.raises(ValueError, match="broken"):
        async with slots.acquire(A):
            raise ValueError("broken")
    async with slots.acquire(A):
        assert slots.running == 1
