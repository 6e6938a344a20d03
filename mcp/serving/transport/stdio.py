"""Serves over the process's own stdin and stdout."""

from __future__ import annotations

import asyncio
import logging
import os
import queue
import sys
import threading
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from concurrent.futures import CancelledError
from contextlib import contextmanager, redirect_stdout, suppress
from itertools import chain
from typing import Any

import anyio
from pydantic import ValidationError

from ...sdk import JSONRPCMessage, MCPServer, SessionMessage, jsonrpc_message_adapter, run_over_streams
from .messages import INTERNAL_ERROR, INVALID_REQUEST, MESSAGE_LIMIT_BYTES, Refusal, check_message, too_large
from .signals import stop_on_signals

_CHUNK = 65_536

_LOG = logging.getLogger(__name__)


async def serve_stdio(server: MCPServer[Any], *, message_limit_bytes: int = MESSAGE_LIMIT_BYTES) -> None:
    """Serves the one client at the other end of stdin and stdout until it closes them, or SIGTERM or SIGINT arrives.

    Only protocol messages reach stdout: whatever else is printed goes to stderr. A malformed line is answered with a
    JSON-RPC error and has no other effect. At the end, calls in flight are cancelled.
    """
    with claim_standard_streams() as (source, sink):
        reader, writer = LineReader(source, message_limit_bytes), LineWriter(sink)
        inward, received = anyio.create_memory_object_stream[SessionMessage | Exception](0)
        outward, to_send = anyio.create_memory_object_stream[SessionMessage](0)
        with anyio.CancelScope() as whole, stop_on_signals(whole.cancel):
            async with anyio.create_task_group() as tasks:

                async def receive() -> None:
                    async with inward:
                        async for line in reader.lines():
                            await _receive_line(line, message_limit_bytes, inward, writer)

                async def send() -> None:
                    async with to_send:
                        async for message in to_send:
                            await writer.write(_line(message.message))

                async def until_disconnected(work: Callable[[], Awaitable[None]]) -> None:
                    # A client that no longer reads counts as disconnected.
                    with suppress(anyio.BrokenResourceError, anyio.ClosedResourceError):
                        try:
                            await work()
                        except OSError:
                            whole.cancel()

                tasks.start_soon(until_disconnected, receive)
                tasks.start_soon(until_disconnected, send)
                await run_over_streams(server, received, outward)
                tasks.cancel_scope.cancel()


def _line(message: JSONRPCMessage) -> bytes:
    try:
        return message.model_dump_json(by_alias=True, exclude_unset=True).encode()
    # A message that cannot be written costs its request an answer, not every client the server.
    except ValueError:
        _LOG.exception("a message cannot be written")
        return Refusal(INTERNAL_ERROR, "the answer cannot be written as JSON", getattr(message, "id", None)).body()


async def _receive_line(line: bytes | None, limit: int, inward: Any, writer: LineWriter) -> None:
    if line is not None and not line.strip():
        return
    # The reader yields None for a line above the limit.
    refusal = too_large(limit) if line is None else check_message(line)
    if refusal is None and line is not None:
        try:
            await inward.send(SessionMessage(jsonrpc_message_adapter.validate_json(line, by_name=False)))
        except ValidationError:
            refusal = Refusal(INVALID_REQUEST, "the message is no JSON-RPC request, notification or response")
    if refusal is not None:
        await writer.write(refusal.body())


@contextmanager
def claim_standard_streams() -> Iterator[tuple[int, int]]:
    """Yields descriptors of the real stdin and stdout; meanwhile 0 reads nothing and 1 writes to stderr.

    The output of a tool or a child process can thus never end up between two messages.
    """
    originals = os.dup(0), os.dup(1)
    nothing = os.open(os.devnull, os.O_RDONLY)
    try:
        os.dup2(nothing, 0)
        sys.stdout.flush()
        os.dup2(2, 1)
        with redirect_stdout(sys.stderr):
            yield originals
    finally:
        # Flushed before descriptor 1 is the client's again: buffered output would reach it otherwise.
        sys.stdout.flush()
        os.close(nothing)
        for number, original in enumerate(originals):
            os.dup2(original, number)


class _End:
    """Marks the end of the lines."""


class LineReader:
    """Reads lines from a descriptor in a daemon thread, which never delays the end of the process.

    Args:
        limit: the maximum of bytes of a line, without its end; a longer one is dropped and yielded as None.
    """

    def __init__(self, descriptor: int, limit: int) -> None:
        self._descriptor = descriptor
        self._limit = limit
        # One line at a time: backpressure reaches a client that sends faster than it is served.
        self._lines: asyncio.Queue[bytes | _End | None] = asyncio.Queue(1)
        self._loop = asyncio.get_running_loop()

    async def lines(self) -> AsyncIterator[bytes | None]:
        """Yields each line without its end, None for one above the limit; the last line may lack its end."""
        threading.Thread(target=self._read, name="mcp-stdin", daemon=True).start()
        while not isinstance(line := await self._lines.get(), _End):
            yield line

    def _read(self) -> None:
        try:
            for line in chain(self._split(), [_End()]):
                asyncio.run_coroutine_threadsafe(self._lines.put(line), self._loop).result()
        except (RuntimeError, CancelledError):
            return  # the event loop has ended

    def _split(self) -> Iterator[bytes | None]:
        pending = bytearray()
        dropping = False
        while chunk := self._chunk():
            *complete, rest = chunk.split(b"\n")
            for part in complete:
                pending += part
                # The rest of a line that was too long ends here.
                yield None if dropping or len(pending) > self._limit else bytes(pending)
                pending.clear()
                dropping = False
            pending += rest
            if len(pending) > self._limit:
                pending.clear()
                dropping = True
        if dropping or pending:
            yield None if dropping else bytes(pending)

    def _chunk(self) -> bytes:
        try:
            return os.read(self._descriptor, _CHUNK)
        except OSError:
            return b""


class LineWriter:
    """Writes lines to a descriptor in a daemon thread, in order."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor
        self._loop = asyncio.get_running_loop()
        self._pending: queue.SimpleQueue[tuple[bytes, asyncio.Future[None]]] = queue.SimpleQueue()
        threading.Thread(target=self._write, name="mcp-stdout", daemon=True).start()

    async def write(self, line: bytes) -> None:
        """Writes a line and its end.

        Raises:
            OSError: the other end is closed.
        """
        written: asyncio.Future[None] = self._loop.create_future()
        self._pending.put((line + b"\n", written))
        await written

    def _write(self) -> None:
        while True:
            data, written = self._pending.get()
            failure: OSError | None = None
            try:
                while data:
                    data = data[os.write(self._descriptor, data) :]
            except OSError as error:
                failure = error
            try:
                self._loop.call_soon_threadsafe(_settle, written, failure)
            except RuntimeError:
                return  # the event loop has ended


def _settle(written: asyncio.Future[None], failure: OSError | None) -> None:
    if written.done():
        return
    if failure is None:
        written.set_result(None)
    else:
        written.set_exception(failure)
