"""Enters an asynchronous context in a background task, so that slow start-ups overlap with other work."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager, suppress
from typing import Generic, TypeVar

T = TypeVar("T")


class BackgroundContext(Generic[T]):
    """A context manager that a task of its own enters and leaves. Created by `background_context`."""

    def __init__(self, opened: Callable[[], AbstractAsyncContextManager[T]]) -> None:
        self._opened = opened
        self._value: list[T] = []
        self._ready = asyncio.Event()
        self._leave = asyncio.Event()
        self._task: asyncio.Task[None] | None = None

    def start(self) -> None:
        """Starts to enter the context in the background. A second call does nothing."""
        if self._task is None:
            self._task = asyncio.ensure_future(self._hold())

    async def _hold(self) -> None:
        try:
            async with self._opened() as value:
                self._value.append(value)
                self._ready.set()
                await self._leave.wait()
        finally:
            # Also after a failure: `use` then awaits the task and raises its exception.
            self._ready.set()

    @asynccontextmanager
    async def use(self) -> AsyncGenerator[T]:
        """Yields the context's value, once, and leaves the context at the end. Raises what the context raises."""
        self.start()
        await self._ready.wait()
        try:
            if not self._value and self._task is not None:
                await self._task
            yield self._value[0]
        except BaseException:
            await self.close()
            raise
        self._leave.set()
        if self._task is not None:
            await self._task

    async def close(self) -> None:
        """Leaves the context or cancels entering it; exceptions are discarded."""
        if self._task is None:
            return
        self._leave.set()
        if not self._ready.is_set():
            self._task.cancel()
        with suppress(Exception):  # the value is no longer needed, so nobody can use the failure
            await asyncio.wait((self._task,))
            if not self._task.cancelled():
                self._task.exception()


@asynccontextmanager
async def background_context(
    opened: Callable[[], AbstractAsyncContextManager[T]],
) -> AsyncGenerator[BackgroundContext[T]]:
    """Yields a context that can be started within the block; closes it at the end, used or not."""
    context = BackgroundContext(opened)
    try:
        yield context
    finally:
        await context.close()
