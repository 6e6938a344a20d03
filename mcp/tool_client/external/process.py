"""A server behind a command: newline-delimited JSON-RPC over its stdin and stdout.

The SDK's own transport has no bound on a line and logs what it cannot read; this one is for servers that may do
anything. The command runs in a process group of its own, below `guard.py`; the group has ended when the block is left,
and when testwright is killed.
"""

from __future__ import annotations

import asyncio
import errno
import os
import shutil
import signal
import sys
from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from contextlib import asynccontextmanager, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import anyio
from mcp.shared.message import SessionMessage
from mcp.types import jsonrpc_message_adapter

from .journal import Journal

if TYPE_CHECKING:
    from mcp.client._transport import TransportStreams

LONGEST_LINE = 32 * 1024 * 1024
_PIECE = 64 * 1024
_GUARD = Path(__file__).with_name("guard.py")
_GRACE_SECONDS = 1.0
_PAUSE_SECONDS = 0.01
_INHERITED = ("HOME", "LANG", "LC_ALL", "LC_CTYPE", "LOGNAME", "PATH", "SHELL", "TERM", "TMPDIR", "TZ", "USER")


@dataclass(frozen=True, slots=True)
class Launch:
    """What to start. `environment` is all the process gets."""

    argv: tuple[str, ...]
    environment: Mapping[str, str]
    cwd: Path


def server_environment(environment: Mapping[str, str], given: Mapping[str, str]) -> dict[str, str]:
    """The basics of our environment, none of its keys, and what the server's entry names."""
    basics = {name: environment[name] for name in _INHERITED if name in environment}
    return {**basics, **given}


@asynccontextmanager
async def stdio_streams(launch: Launch, journal: Journal) -> AsyncIterator[TransportStreams]:
    """Start the command and speak to it.

    Raises:
        OSError: it cannot be started.
    """
    guarded, control = os.pipe()
    try:
        process = await _started(launch, guarded)
    except BaseException:
        os.close(control)
        raise
    finally:
        os.close(guarded)
    incoming, read_stream = anyio.create_memory_object_stream[SessionMessage | Exception](0)
    write_stream, outgoing = anyio.create_memory_object_stream[SessionMessage](0)
    assert process.stdin is not None
    assert process.stdout is not None
    assert process.stderr is not None
    work = [
        asyncio.create_task(_messages(process.stdout, incoming, journal)),
        asyncio.create_task(_requests(outgoing, process.stdin, incoming)),
        asyncio.create_task(_complaints(process.stderr, journal)),
    ]
    try:
        yield read_stream, write_stream
    finally:
        with anyio.CancelScope(shield=True), _closed(control):
            journal.exit_code = await _ended(process)
            await asyncio.wait(work, timeout=_GRACE_SECONDS)
            for task in work:
                task.cancel()
            await asyncio.gather(*work, return_exceptions=True)
            for stream in (incoming, read_stream, write_stream, outgoing):
                stream.close()


@contextmanager
def _closed(descriptor: int) -> Iterator[None]:
    try:
        yield
    finally:
        os.close(descriptor)


async def _started(launch: Launch, guarded: int) -> asyncio.subprocess.Process:
    """The guard with the command below it. Raises OSError: there is no such command or folder."""
    command = launch.argv[0]
    place = str(launch.cwd / command) if os.sep in command else command
    if shutil.which(place, path=launch.environment.get("PATH")) is None:
        known = os.sep in command and Path(place).exists()
        number = errno.EACCES if known else errno.ENOENT
        raise OSError(number, os.strerror(number), command)
    return await asyncio.create_subprocess_exec(
        *(sys.executable, "-I", "-S", str(_GUARD), str(guarded), *launch.argv),
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
        env=dict(launch.environment),
        cwd=launch.cwd,
        pass_fds=(guarded,),
        start_new_session=True,
    )


async def _messages(
    stdout: asyncio.StreamReader, incoming: anyio.abc.ObjectSendStream[SessionMessage | Exception], journal: Journal
) -> None:
    """Hand on each line that is a message; note the others. Goes on reading when nobody listens any more."""
    async with incoming:
        async for line in _lines(stdout, journal):
            try:
                message = jsonrpc_message_adapter.validate_json(line, by_name=False)
            except ValueError:
                if line.strip() and journal.noise(line):
                    journal.broken = "it writes too much on stdout that is no message"
                    break
                continue
            try:
                await incoming.send(SessionMessage(message))
            except (anyio.ClosedResourceError, anyio.BrokenResourceError):
                break
    while await stdout.read(_PIECE):
        pass


async def _lines(stdout: asyncio.StreamReader, journal: Journal) -> AsyncIterator[bytes]:
    held = bytearray()
    while piece := await stdout.read(_PIECE):
        *whole, rest = piece.split(b"\n")
        for line in whole:
            held += line
            yield bytes(held)
            held.clear()
        held += rest
        if len(held) > LONGEST_LINE:
            journal.broken = f"it wrote a line of more than {LONGEST_LINE // 1024 // 1024} MiB"
            return
    if held:
        yield bytes(held)


async def _requests(
    outgoing: anyio.abc.ObjectReceiveStream[SessionMessage],
    stdin: asyncio.StreamWriter,
    incoming: anyio.abc.ObjectSendStream[SessionMessage | Exception],
) -> None:
    with suppress(anyio.ClosedResourceError, anyio.BrokenResourceError, ConnectionError):
        async with outgoing:
            async for one in outgoing:
                text = one.message.model_dump_json(by_alias=True, exclude_unset=True)
                stdin.write(text.encode() + b"\n")
                await stdin.drain()
    # A request that cannot be sent must not wait for its answer: the session ends when this stream does.
    await incoming.aclose()


async def _complaints(stderr: asyncio.StreamReader, journal: Journal) -> None:
    """Read stderr to its end, so that it never blocks the server, keeping its last lines."""
    held = b""
    while piece := await stderr.read(_PIECE):
        *whole, held = (held + piece).split(b"\n")
        for line in whole[-20:]:
            journal.wrote(line)
        held = held[:_PIECE]
    journal.wrote(held)


async def _ended(process: asyncio.subprocess.Process) -> int | None:
    """End the process as the protocol asks for, then its group, whatever is left of it.

    Returns:
        How it ended by itself; None when it had to be ended.
    """
    assert process.stdin is not None
    with suppress(OSError, RuntimeError):
        process.stdin.close()
    try:
        await _until(lambda: process.returncode is not None)
        code = process.returncode
        for number in (signal.SIGTERM, signal.SIGKILL):
            if process.returncode is not None and not _signalled(process.pid, 0):
                break
            _signalled(process.pid, number)
            await _until(lambda: process.returncode is not None and not _signalled(process.pid, 0))
    except asyncio.CancelledError:
        _signalled(process.pid, signal.SIGKILL)  # somebody is in a hurry: no more asking
        raise
    return code


async def _until(ended: Callable[[], bool]) -> None:
    """Look again and again: `Process.wait` would also wait for pipes that a grandchild holds."""
    deadline = asyncio.get_running_loop().time() + _GRACE_SECONDS
    while not ended() and asyncio.get_running_loop().time() < deadline:  # noqa: ASYNC110 - nothing signals a group's end
        await asyncio.sleep(_PAUSE_SECONDS)


def _signalled(group: int, number: int) -> bool:
    """Send a signal to a group; whether there is anybody in it."""
    try:
        os.killpg(group, number)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True
