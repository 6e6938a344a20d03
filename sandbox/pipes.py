"""Non-blocking pipe ends on the running event loop.

Nothing here can leave a descriptor open when it is cancelled: ends are closed by `close`, which never waits.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable

_PIECE = 1 << 16


class PipeReader:
    """The read end of a pipe, drained from the moment it is made.

    Args:
        descriptor: the read end; it is closed at the end of the data or by `close`.
        grown: called with this reader after every piece; it may cut `data`.
    """

    def __init__(self, descriptor: int, grown: Callable[[PipeReader], None]) -> None:
        self._loop = asyncio.get_running_loop()
        self._descriptor = descriptor
        self._grown = grown
        self._changed = asyncio.Event()
        self.data = bytearray()
        self.closed = False
        os.set_blocking(descriptor, False)
        self._loop.add_reader(descriptor, self._read)

    def _read(self) -> None:
        try:
            piece = os.read(self._descriptor, _PIECE)
        except (BlockingIOError, InterruptedError):
            return
        except OSError:
            piece = b""
        if piece:
            self.data += piece
            self._changed.set()
            self._grown(self)
        else:
            self.close()

    def close(self) -> None:
        """Stop reading; what was read stays."""
        if not self.closed:
            self.closed = True
            self._loop.remove_reader(self._descriptor)
            os.close(self._descriptor)
            self._changed.set()

    async def changed(self) -> None:
        """Wait until there is more data or the end."""
        if not self.closed:
            self._changed.clear()
            await self._changed.wait()

    async def ended(self) -> None:
        """Wait for the end of the data."""
        while not self.closed:
            await self.changed()


class PipeWriter:
    """The write end of a pipe."""

    def __init__(self, descriptor: int) -> None:
        self._loop = asyncio.get_running_loop()
        self._descriptor = descriptor
        self._turn = asyncio.Lock()
        self._room_made = asyncio.Event()
        self.closed = False
        os.set_blocking(descriptor, False)

    async def write(self, data: bytes) -> None:
        """Write all of it, one caller at a time. Raises BrokenPipeError when nobody reads any more."""
        async with self._turn:
            rest = memoryview(data)
            while rest:
                if self.closed:
                    raise BrokenPipeError("the pipe is closed")
                try:
                    rest = rest[os.write(self._descriptor, rest) :]
                except (BlockingIOError, InterruptedError):
                    await self._room()

    async def _room(self) -> None:
        """Wait until the pipe takes more, or has been closed at either end."""
        self._room_made.clear()
        self._loop.add_writer(self._descriptor, self._room_made.set)
        try:
            await self._room_made.wait()
        finally:
            if not self.closed:
                self._loop.remove_writer(self._descriptor)

    def close(self) -> None:
        """Close the end; a writer that waits sees it as broken."""
        if not self.closed:
            self.closed = True
            self._loop.remove_writer(self._descriptor)
            os.close(self._descriptor)
            self._room_made.set()
