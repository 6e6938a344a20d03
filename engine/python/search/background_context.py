"""Starts ahead of time what takes a moment to start, so that it does so while others work (T-16)."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager, suppress
from typing import Generic, TypeVar

T = TypeVar("T")


class BackgroundContext(Generic[T]):
    """A context that a task of its own enters and leaves. Made by `background_context`."""

    def __init__(self, opened: Callable[[], AbstractAsyncContextManager[T]]) -> None:
        self._opened = opened
        self._value: list[T] = []
        self._ready = asyncio.Event()
        self._leave = asyncio.Event()
        self._task: asyncio.Task[None] | None = None

    def start(self) -> None:
        """Begin to enter; it goes on beside the caller's work. Nothing happens the second time."""
        if self._task is None:
            self._task = asyncio.ensure_future(self._held())

    async def _held(self) -> None:
        try:
            async with self._opened() as value:
                self._value.append(value)
                self._ready.set()
                await self._leave.wait()
        finally:
            self._ready.set()

    @asynccontextmanager
    async def use(self) -> AsyncGenerator[T]:
        """The context's value, once; it is left at the end of the block. Raises what entering and leaving raise."""
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
        """Leave, or give up entering; what goes wrong meanwhile is nobody's concern any more."""
        if self._task is None:
            return
        self._leave.set()
        if not self._ready.is_set():
            self._task.cancel()
        with suppress(Exception):
            await asyncio.wait((self._task,))
            if not self._task.cancelled():
                self._task.exception()


@asynccontextmanager
async def background_context(
    opened: Callable[[], AbstractAsyncContextManager[T]],
) -> AsyncGenerator[BackgroundContext[T]]:
    """Something that may be begun within the block, used or not; at its end it is closed."""
    one = BackgroundContext(opened)
    try:
        yield one
    finally:
        await one.close()
