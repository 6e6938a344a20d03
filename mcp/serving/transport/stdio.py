"""Serves over the process's own stdin and stdout."""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import Any

import anyio
from pydantic import ValidationError

from ...sdk import JSONRPCMessage, MCPServer, SessionMessage, jsonrpc_message_adapter, run_over_streams
from .messages import INTERNAL_ERROR, INVALID_REQUEST, MESSAGE_LIMIT_BYTES, Refusal, check_message, too_large
from .signals import stop_on_signals
from .stdio_lines import LineReader, LineWriter, claim_standard_streams

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
