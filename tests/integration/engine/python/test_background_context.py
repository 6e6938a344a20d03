"""What is started ahead is there when it is wanted, and gone when it is not (T-16)."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager

import pytest

from testwright.engine.python.search.background_context import background_context

pytestmark = pytest.mark.feature("T-16")


class Door:
    """A context that notes what becomes of it and in which task."""

    def __init__(self, fails: str = "") -> None:
        self.notes: list[str] = []
        self.tasks: set[object] = set()
        self.fails = fails
        self.begun, self.entered, self.hold = asyncio.Event(), asyncio.Event(), asyncio.Event()
        self.hold.set()

    def opened(self) -> AbstractAsyncContextManager[str]:
        return self._opened()

    @asynccontextmanager
    async def _opened(self) -> AsyncIterator[str]:
        self.tasks.add(asyncio.current_task())
        self.notes.append("begun")
        self.begun.set()
        try:
            await self.hold.wait()
            if self.fails == "entering":
                raise LookupError("no door")
            self.notes.append("entered")
            self.entered.set()
            yield "inside"
        finally:
            self.tasks.add(asyncio.current_task())
            self.notes.append("left")
        if self.fails == "leaving":
            raise LookupError("stuck")


def running(work: Callable[[], object]) -> None:
    """Run a coroutine function."""

    async def run() -> None:
        await asyncio.wait_for(work(), 60)  # pyrefly: ignore[bad-argument-type]

    asyncio.run(run())


def test_it_begins_beside_the_caller_and_is_entered_and_left_by_the_same_task() -> None:
    async def work() -> None:
        door = Door()
        async with background_context(door.opened) as one:
            one.start()
            one.start()
            await door.entered.wait()
            assert door.notes == ["begun", "entered"]
            async with one.use() as value:
                assert value == "inside"
            assert door.notes == ["begun", "entered", "left"]
        assert len(door.tasks) == 1
        assert asyncio.current_task() not in door.tasks

    running(work)


def test_it_is_begun_when_it_is_used_and_never_when_it_is_not() -> None:
    async def work() -> None:
        used, unused = Door(), Door()
        async with background_context(used.opened) as one, background_context(unused.opened), one.use() as value:
            assert value == "inside"
        assert used.notes == ["begun", "entered", "left"]
        assert unused.notes == []

    running(work)


@pytest.mark.parametrize("entered", [True, False])
def test_what_was_begun_and_not_used_is_left_or_given_up(entered: bool) -> None:
    async def work() -> None:
        door = Door()
        if not entered:
            door.hold.clear()
        async with background_context(door.opened) as one:
            one.start()
            await (door.entered if entered else door.begun).wait()
        assert door.notes[-1] == "left"

    running(work)


@pytest.mark.parametrize("fails", ["entering", "leaving"])
def test_what_goes_wrong_is_told_to_who_uses_it_and_to_nobody_else(fails: str) -> None:
    async def work() -> None:
        door = Door(fails)
        async with background_context(door.opened) as one:
            with pytest.raises(LookupError):
                async with one.use():
                    pass
        async with background_context(Door(fails).opened) as unused:
            unused.start()
            await asyncio.sleep(0)

    running(work)


def test_an_error_of_the_user_goes_on_and_it_is_left_all_the_same() -> None:
    async def work() -> None:
        door = Door()
        async with background_context(door.opened) as one:
            with pytest.raises(KeyError):
                async with one.use():
                    raise KeyError("mine")
        assert door.notes == ["begun", "entered", "left"]

    running(work)
