"""A server over the process's own stdin and stdout (T-11)."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import Any

import anyio
from mcp.server import MCPServer
from mcp.shared.message import SessionMessage
from mcp.types import jsonrpc_message_adapter
from pydantic import ValidationError

from .messages import INVALID_REQUEST, Refusal, refusal_of, too_large
from .signals import signals_answered_by
from .stdio_lines import LineReader, LineWriter, standard_streams_claimed

MESSAGE_LIMIT_BYTES = 4 * 1024 * 1024
"""The largest message taken, over stdio and over HTTP, unless said otherwise."""

_Received = SessionMessage | Exception


async def serve_stdio(server: MCPServer[Any], *, message_limit_bytes: int = MESSAGE_LIMIT_BYTES) -> None:
    """Serve the one client at the other end of stdin and stdout until it closes them, or SIGTERM or SIGINT comes.

    Nothing but protocol reaches stdout: what anything prints meanwhile goes to stderr. A line that is no message is
    answered with a JSON-RPC error and costs nothing else. At the end, calls in flight are cancelled.
    """
    with standard_streams_claimed() as (source, sink):
        reader, writer = LineReader(source, message_limit_bytes), LineWriter(sink)
        inward, received = anyio.create_memory_object_stream[_Received](0)
        outward, to_send = anyio.create_memory_object_stream[SessionMessage](0)
        with anyio.CancelScope() as whole, signals_answered_by(whole.cancel):
            async with anyio.create_task_group() as tasks:

                async def take_in() -> None:
                    async with inward:
                        async for line in reader.lines():
                            await _take(line, message_limit_bytes, inward, writer)

                async def send_out() -> None:
                    async with to_send:
                        async for message in to_send:
                            text = message.message.model_dump_json(by_alias=True, exclude_unset=True)
                            await writer.write(text.encode())

                async def until_gone(work: Callable[[], Awaitable[None]]) -> None:
                    # A client that no longer reads is a client that has left.
                    with suppress(anyio.BrokenResourceError, anyio.ClosedResourceError):
                        try:
                            await work()
                        except OSError:
                            whole.cancel()

                tasks.start_soon(until_gone, take_in)
                tasks.start_soon(until_gone, send_out)
                low = server._lowlevel_server  # the SDK offers no other way to serve streams of one's own
                await low.run(received, outward, low.create_initialization_options())
                tasks.cancel_scope.cancel()


async def _take(line: bytes | None, limit: int, inward: Any, writer: LineWriter) -> None:
    if line is not None and not line.strip():
        return
    refusal = too_large(limit) if line is None else refusal_of(line)
    if refusal is None and line is not None:
        try:
            await inward.send(SessionMessage(jsonrpc_message_adapter.validate_json(line, by_name=False)))
        except ValidationError:
            refusal = Refusal(INVALID_REQUEST, "the message is no JSON-RPC request, notification or response")
    if refusal is not None:
        await writer.write(refusal.body())
