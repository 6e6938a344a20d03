"""The transport to a server behind a command: newline-delimited JSON-RPC over its stdin and stdout.

The SDK's own transport does not limit the length of a line and logs invalid ones; this one expects any behaviour of a
server. The command runs in a process group of its own, below `guard.py`, and in a process namespace where there is one
(`own_processes.py`); all of it has ended when the block is left, and when testwright is killed.
"""

from __future__ import annotations

import asyncio
import errno
import os
import shutil
import signal
import sys
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

import anyio

from ...sdk import SessionMessage, TransportStreams, jsonrpc_message_adapter
from .diagnostics import ServerDiagnostics
from .own_processes import namespace_command

MAX_LINE_BYTES = 32 * 1024 * 1024
_CHUNK_BYTES = 64 * 1024
_MOST_UNANSWERED = 1000
"""Requests of a server that wait for our answers; one that asks and never reads would fill memory with them."""
_GUARD = Path(__file__).with_name("guard.py")
_GRACE_SECONDS = 3.0
_POLL_SECONDS = 0.01
_SHELL_SIGNALS = 128
_INHERITED = ("HOME", "LANG", "LC_ALL", "LC_CTYPE", "LOGNAME", "PATH", "SHELL", "TERM", "TMPDIR", "TZ", "USER")


@dataclass(slots=True)
class _Requests:
    """How many requests of the server were received, and how many answers of ours it took."""

    received: int = 0
    answered: int = 0


@dataclass(frozen=True, slots=True)
class ServerCommand:
    """A command to start; `environment` is the complete environment of the process."""

    argv: tuple[str, ...]
    environment: Mapping[str, str]
    cwd: Path


def server_environment(environment: Mapping[str, str], entry: Mapping[str, str]) -> dict[str, str]:
    """Selects a server's environment: basic variables of ours, no secrets, and the variables of the server's entry."""
    basics = {name: environment[name] for name in _INHERITED if name in environment}
    return {**basics, **entry}


@asynccontextmanager
async def stdio_streams(
    command: ServerCommand, diagnostics: ServerDiagnostics, *, max_bytes: int = MAX_LINE_BYTES
) -> AsyncIterator[TransportStreams]:
    """Starts the command and connects to it.

    Args:
        max_bytes: the longest line it may write.

    Raises:
        OSError: it cannot be started.
    """
    # The guard ends the group when this pipe closes, which the kernel does even if testwright is killed.
    guarded, control = os.pipe()
    try:
        process = await _start(command, guarded)
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
    requests = _Requests()
    work = [
        asyncio.create_task(_receive_messages(process.stdout, incoming, diagnostics, max_bytes, requests)),
        asyncio.create_task(_send_messages(outgoing, process.stdin, incoming, requests)),
        asyncio.create_task(_read_stderr(process.stderr, diagnostics)),
    ]
    try:
        yield read_stream, write_stream
    finally:
        # Shielded: the SDK's cancel scopes would interrupt the end of the process.
        with anyio.CancelScope(shield=True):
            diagnostics.exit_code = _own_code(await _end_process(process, control))
            # What the process wrote last may explain its end.
            await asyncio.wait(work, timeout=_GRACE_SECONDS)
            for task in work:
                task.cancel()
            await asyncio.gather(*work, return_exceptions=True)
            for stream in (incoming, read_stream, write_stream, outgoing):
                stream.close()


async def _start(command: ServerCommand, guarded: int) -> asyncio.subprocess.Process:
    """Starts the guard with the command below it. Raises OSError: there is no such command or folder."""
    program = command.argv[0]
    path = str(command.cwd / program) if os.sep in program else program
    # Checked here, because the guard itself always starts.
    if shutil.which(path, path=command.environment.get("PATH")) is None:
        exists = os.sep in program and Path(path).exists()
        number = errno.EACCES if exists else errno.ENOENT
        raise OSError(number, os.strerror(number), program)
    apart = await asyncio.to_thread(namespace_command)
    return await asyncio.create_subprocess_exec(
        *(sys.executable, "-I", "-S", str(_GUARD), str(guarded), *apart, *command.argv),
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
        env=dict(command.environment),
        cwd=command.cwd,
        pass_fds=(guarded,),
        start_new_session=True,
    )


async def _receive_messages(
    stdout: asyncio.StreamReader,
    incoming: anyio.abc.ObjectSendStream[SessionMessage | Exception],
    diagnostics: ServerDiagnostics,
    max_bytes: int,
    requests: _Requests,
) -> None:
    """Passes on each line that is a message, and records the others; reads on when the session has ended."""
    async with incoming:
        async for line in _lines(stdout, diagnostics, max_bytes):
            try:
                message = jsonrpc_message_adapter.validate_json(line, by_name=False)
            # Servers print banners and logs to stdout; a few such lines are tolerated.
            except ValueError:
                if diagnostics.add_invalid_line(line):
                    diagnostics.broken = "it writes too much on stdout that is no message"
                    break
                continue
            requests.received += hasattr(message, "method") and hasattr(message, "id")
            if requests.received - requests.answered > _MOST_UNANSWERED:
                diagnostics.broken = f"it asked more than {_MOST_UNANSWERED} times without reading an answer"
                break
            try:
                await incoming.send(SessionMessage(message))
            except (anyio.ClosedResourceError, anyio.BrokenResourceError):
                break
    while await stdout.read(_CHUNK_BYTES):
        pass  # drained, so that the server is not blocked while it ends


async def _lines(stdout: asyncio.StreamReader, diagnostics: ServerDiagnostics, max_bytes: int) -> AsyncIterator[bytes]:
    buffer = bytearray()
    while chunk := await stdout.read(_CHUNK_BYTES):
        *complete, rest = chunk.split(b"\n")
        for line in complete:
            buffer += line
            yield bytes(buffer)
            buffer.clear()
        buffer += rest
        if len(buffer) > max_bytes:
            diagnostics.broken = f"it wrote a line of more than {max_bytes // 1024 // 1024} MiB"
            return
    if buffer:
        yield bytes(buffer)


async def _send_messages(
    outgoing: anyio.abc.ObjectReceiveStream[SessionMessage],
    stdin: asyncio.StreamWriter,
    incoming: anyio.abc.ObjectSendStream[SessionMessage | Exception],
    requests: _Requests,
) -> None:
    with suppress(anyio.ClosedResourceError, anyio.BrokenResourceError, ConnectionError):
        async with outgoing:
            async for message in outgoing:
                text = message.message.model_dump_json(by_alias=True, exclude_unset=True)
                stdin.write(text.encode() + b"\n")
                await stdin.drain()
                requests.answered += not hasattr(message.message, "method")
    # Closing this stream ends the session: a request that cannot be sent must not wait for an answer.
    await incoming.aclose()


async def _read_stderr(stderr: asyncio.StreamReader, diagnostics: ServerDiagnostics) -> None:
    """Reads stderr to its end, so that it never blocks the server, and keeps its last lines."""
    rest = b""
    while chunk := await stderr.read(_CHUNK_BYTES):
        *complete, rest = (rest + chunk).split(b"\n")
        for line in complete[-20:]:
            diagnostics.add_stderr(line)
        rest = rest[:_CHUNK_BYTES]
    diagnostics.add_stderr(rest)


async def _end_process(process: asyncio.subprocess.Process, control: int) -> int | None:
    """Ends the process as the protocol demands, by closing its stdin, then the rest of its group by signals.

    Args:
        control: the end of the guard's pipe; closing it has the guard kill all that it started, in other sessions too.

    Returns:
        The exit code if it ended by itself; None if a signal had to end it.
    """
    assert process.stdin is not None
    with suppress(OSError, RuntimeError):
        process.stdin.close()
    try:
        await _wait_for(lambda: process.returncode is not None)
        code = process.returncode
        # The group may outlive its leader, and a leader may ignore SIGTERM.
        for number in (signal.SIGTERM, None, signal.SIGKILL):
            if process.returncode is not None and not _signal_group(process.pid, 0):
                break
            if number is None:
                control = _closed(control)
            else:
                _signal_group(process.pid, number)
            await _wait_for(lambda: process.returncode is not None and not _signal_group(process.pid, 0))
    except asyncio.CancelledError:
        # Cancelled again: no more time to end by itself. The guard kills what it started, itself included.
        control = _closed(control)
        raise
    finally:
        _closed(control)
    return code


def _own_code(code: int | None) -> int | None:
    """The exit code of the command: bubblewrap exits as a shell does for a command that a signal has ended."""
    in_shell = code is not None and code > _SHELL_SIGNALS and bool(namespace_command())
    return _SHELL_SIGNALS - code if in_shell and code is not None else code


def _closed(descriptor: int) -> int:
    if descriptor >= 0:
        os.close(descriptor)
    return -1


async def _wait_for(has_ended: Callable[[], bool]) -> None:
    """Polls for an end: `Process.wait` would also wait for pipes that a grandchild keeps open."""
    deadline = asyncio.get_running_loop().time() + _GRACE_SECONDS
    while not has_ended() and asyncio.get_running_loop().time() < deadline:  # noqa: ASYNC110 - nothing signals a group's end
        await asyncio.sleep(_POLL_SECONDS)


def _signal_group(group: int, number: int) -> bool:
    """Sends a signal to a process group, and returns whether the group has any process."""
    try:
        os.killpg(group, number)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True  # it has changed its user
    return True
