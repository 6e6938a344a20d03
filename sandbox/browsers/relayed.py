"""Lets the browsers of a run reach one address of this machine, which the user has named, and nothing else."""

from __future__ import annotations

import asyncio
import contextlib
import shutil
import tempfile
from collections.abc import AsyncGenerator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from urllib.parse import urlsplit

from ..protocol import Completed, Program, Sandbox, SandboxKind, Session
from ..worker_files import WORKER_FOLDER

_CHUNK = 65536


@dataclass(frozen=True, slots=True)
class RelayedSandbox:
    """A sandbox whose programs with `opens_site` find at one port of theirs what listens there on this machine.

    All others run as they would without it: what they change must not reach the user's site.

    Attributes:
        inner: runs the programs; in that of bubblewrap each of them has a loopback device of its own.
        origin: of the site, with its port.
    """

    inner: Sandbox
    origin: str

    @property
    def kind(self) -> SandboxKind:
        """See `Sandbox.kind`."""
        return self.inner.kind

    async def run(self, program: Program) -> Completed:
        """See `Sandbox.run`."""
        if not self._relays(program):
            return await self.inner.run(program)
        async with self._relay() as place:
            return await self.inner.run(self._with_relay(program, place))

    @asynccontextmanager
    async def session(self, program: Program) -> AsyncGenerator[Session]:
        """See `Sandbox.session`."""
        async with AsyncExitStack() as stack:
            if self._relays(program):
                program = self._with_relay(program, await stack.enter_async_context(self._relay()))
            yield await stack.enter_async_context(self.inner.session(program))

    def _relays(self, program: Program) -> bool:
        """Whether a program gets a relay; the weak sandbox's share the machine's loopback device."""
        return program.opens_site and self.kind == "bubblewrap"

    @property
    def _address(self) -> tuple[str, int]:
        parts = urlsplit(self.origin)
        return parts.hostname or "", parts.port or 0

    def _with_relay(self, program: Program, place: Path) -> Program:
        python, port = program.argv[0], str(self._address[1])
        argv = (python, "-I", "-S", str(WORKER_FOLDER / "relay.py"), port, str(place), *program.argv)
        return replace(
            program, argv=argv, readable=tuple(dict.fromkeys((*program.readable, WORKER_FOLDER, place.parent)))
        )

    @asynccontextmanager
    async def _relay(self) -> AsyncGenerator[Path]:
        """A socket of the file system, behind which the address answers; where it does not, connections end."""
        folder = Path(await asyncio.to_thread(tempfile.mkdtemp, prefix="testwright-relay-"))
        passing: set[asyncio.Task[None]] = set()

        async def connected(inside: asyncio.StreamReader, answers: asyncio.StreamWriter) -> None:
            task = asyncio.current_task()
            if task is not None:
                passing.add(task)
                task.add_done_callback(passing.discard)
            with contextlib.closing(answers):
                try:
                    outside, asked = await asyncio.open_connection(*self._address)
                except OSError:
                    return
                with contextlib.closing(asked):
                    await asyncio.gather(_pass_on(inside, asked), _pass_on(outside, answers))

        try:
            server = await asyncio.start_unix_server(connected, folder / "site")
            async with server:
                try:
                    yield folder / "site"
                finally:  # the server waits for every connection that is open
                    server.close()
                    for task in passing:
                        task.cancel()
        finally:
            await asyncio.to_thread(shutil.rmtree, folder, ignore_errors=True)


async def _pass_on(source: asyncio.StreamReader, sink: asyncio.StreamWriter) -> None:
    with contextlib.suppress(OSError):
        while chunk := await source.read(_CHUNK):
            sink.write(chunk)
            await sink.drain()
        if sink.can_write_eof():
            sink.write_eof()
