"""Exchanges lines with a running program."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

from ..core.errors import SandboxFailure
from .protocol import Completed
from .running import KeptProgram, RunningProgram, started


class LineSession:
    """The `Session` of both kinds of sandbox; see the protocol for what each method promises."""

    def __init__(self, running: RunningProgram, name: str) -> None:
        self._running = running
        self._name = name
        self._searched = 0

    async def send(self, line: bytes) -> None:
        """Write one line. Raises SandboxFailure when the program is gone."""
        try:
            await self._running.stdin.write(line + b"\n")
        except BrokenPipeError as fault:
            raise SandboxFailure(f"{self._name} has ended and takes no more input") from fault

    async def receive(self, timeout: float) -> bytes | None:  # noqa: ASYNC109 - the protocol's word
        """The next line without its newline, None at the end. Raises TimeoutError after `timeout` seconds."""
        stdout = self._running.stdout
        async with asyncio.timeout(timeout):
            while (end := stdout.data.find(b"\n", self._searched)) < 0:
                self._searched = len(stdout.data)
                if stdout.closed:
                    return self._take(len(stdout.data), len(stdout.data)) if stdout.data else None
                await stdout.changed()
        return self._take(end, end + 1)

    def _take(self, end: int, until: int) -> bytes:
        data = self._running.stdout.data
        line = bytes(data[:end])
        del data[:until]
        self._searched = 0
        return line

    async def ended(self) -> Completed:
        """Wait for the end of the program."""
        return await self._running.wait()


@asynccontextmanager
async def line_session(launch: KeptProgram, name: str) -> AsyncGenerator[LineSession]:
    """A session; leaving the context kills the program with all its children."""
    async with started(launch) as running:
        yield LineSession(running, name)
