"""Long work reports its progress, and a cancelled call leaves nothing running."""

from __future__ import annotations

import asyncio

import anyio
import pytest

from testwright.core.events import Event, EventType
from testwright.mcp.serving.progress import ProgressReporter, RunProgress, run_with_progress

pytestmark = pytest.mark.feature("B-10")
STEPS = [
    {"id": "one", "type": "generate_unit_tests", "params": {"target": {"path": "src/a.py"}}},
    {"id": "two", "type": "verify_suite", "params": {}},
]


def event(kind: EventType, message: str = "", step: str | None = None, **about: object) -> Event:
    return Event(1, kind, 0.0, message, step, dict(about))


async def unheard(value: float, total: float | None, message: str | None) -> None:
    pass


def test_progress_only_grows_and_never_passes_its_total() -> None:
    stage = RunProgress()
    heard = [
        event(EventType.STARTED, "started"),
        event(EventType.PLAN_READY, "2 steps", steps=STEPS),
        event(EventType.NODE_ENDED, "validated", "one", node="validate_spec"),
        event(EventType.NODE_ENDED, "refined", "one", node="generate_spec"),
        event(EventType.NODE_ENDED, "analysed", "one", node="analyze_results"),
        event(EventType.STEP_ENDED, "done", "one"),
        *[event(EventType.PROGRESS, "still at it")] * 5,
        event(EventType.STEP_ENDED, "done", "two"),
        event(EventType.COMPLETE, "2 kept"),
        *[event(EventType.PROGRESS, "writing")] * 50,
    ]
    told = []
    for one in heard:
        stage.update(one)
        told.append(stage.next())
    values = [value for value, _, _ in told]
    assert values == sorted(set(values))
    assert told[0][1] is None
    assert {total for _, total, _ in told[1:]} == {22.0}
    assert values[-1] < 22.0


def test_a_message_says_which_target_of_how_many_is_worked_on() -> None:
    stage = RunProgress()
    stage.update(event(EventType.PLAN_READY, "2 steps", steps=STEPS))
    stage.update(event(EventType.NODE_STARTED, "run_tests started", "one", node="run_tests"))
    assert stage.message == "0 of 2 steps done; src/a.py: running the tests, again and again in other orders"


async def test_heartbeats_are_sent_while_nothing_happens() -> None:
    beats: list[float] = []
    enough = asyncio.Event()

    async def tell(value: float, total: float | None, message: str | None) -> None:
        beats.append(value)
        if len(beats) == 3:
            enough.set()

    async def work() -> str:
        await enough.wait()
        return "done"

    assert await run_with_progress(work(), ProgressReporter(tell, heartbeat=0.001)) == "done"
    assert beats == sorted(set(beats))


async def test_events_from_another_thread_are_reported() -> None:
    heard: list[str | None] = []
    came = asyncio.Event()

    async def tell(value: float, total: float | None, message: str | None) -> None:
        heard.append(message)
        came.set()

    teller = ProgressReporter(tell)

    async def work() -> None:
        await asyncio.to_thread(teller.on_event, event(EventType.PROGRESS, "from a thread"))
        await came.wait()

    await run_with_progress(work(), teller)
    assert heard == ["from a thread"]


async def test_a_cancelled_call_waits_until_the_work_has_cleared_up() -> None:
    begun = asyncio.Event()
    cleared: list[str] = []

    async def work() -> None:
        try:
            begun.set()
            await asyncio.Event().wait()
        finally:
            for number in range(5):  # the SDK's scope would cancel each of these
                await asyncio.to_thread(cleared.append, str(number))

    scope = anyio.CancelScope()

    async def leave() -> None:
        await begun.wait()
        scope.cancel()

    leaving = asyncio.create_task(leave())
    with scope:
        await run_with_progress(work(), ProgressReporter(unheard))
    await leaving
    assert scope.cancelled_caught
    assert cleared == ["0", "1", "2", "3", "4"]


async def test_a_client_that_has_gone_does_not_disturb_the_work() -> None:
    told = asyncio.Event()

    async def gone(value: float, total: float | None, message: str | None) -> None:
        told.set()
        raise anyio.BrokenResourceError

    async def work() -> str:
        await told.wait()
        return "done"

    assert await run_with_progress(work(), ProgressReporter(gone, heartbeat=0.001)) == "done"


async def test_what_the_work_raises_is_raised() -> None:
    async def work() -> None:
        raise ValueError("broken")

    with pytest.raises(ValueError, match="broken"):
        await run_with_progress(work(), ProgressReporter(unheard))
