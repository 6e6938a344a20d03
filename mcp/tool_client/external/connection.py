"""One session with an external server, opened and closed by one task, which must leave the cancel scopes it entered."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from contextlib import suppress
from typing import Any

import anyio
from pydantic import ValidationError

from ....core.version import VERSION
from ...sdk import (
    CONNECTION_CLOSED,
    REQUEST_TIMEOUT,
    CallToolResult,
    Client,
    Implementation,
    MCPError,
    Tool,
    Transport,
)
from ..built_in import list_tools
from .diagnostics import ServerDiagnostics
from .schemas import drop_unbounded, misfits

_MAX_TOOLS = 2000
_TIMEOUT_MARGIN_SECONDS = 2.0
_PROBE_SECONDS = 10.0
_MAX_LISTING_BYTES = 8 * 1024 * 1024
OpenTransport = Callable[[ServerDiagnostics], Transport]


class ConnectionLost(Exception):
    """There is no session, or it has ended; the message gives the reason."""


class CallTimedOut(Exception):
    """The server did not answer in time."""


class CallRefused(Exception):
    """The server answered with a protocol error, or outside the schema it declares."""


class Connection:
    """A session from `open` to `close`.

    Args:
        transport: opens the connection to the server.
        start_seconds: the maximum time until the server has listed its tools.
    """

    def __init__(self, transport: OpenTransport, start_seconds: float) -> None:
        self.diagnostics = ServerDiagnostics()
        self.tools: dict[str, Tool] = {}
        self._transport = transport
        self._start_seconds = start_seconds
        self._owner: asyncio.Task[None] | None = None
        self._closing = asyncio.Event()
        self._client: Client | None = None

    @property
    def is_alive(self) -> bool:
        """Whether the session can be called."""
        return self._client is not None and self._owner is not None and not self._owner.done()

    async def open(self) -> None:
        """Opens the session. Raises ConnectionLost: the server does not start, violates the protocol, or is slow."""
        _silence_libraries()
        opened: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._owner = asyncio.create_task(self._own(opened), name="testwright tool server")
        try:
            await asyncio.wait({opened, self._owner}, return_when=asyncio.FIRST_COMPLETED)
        except asyncio.CancelledError:
            await self.close()
            raise
        # The owner ended before it could report anything.
        if not opened.done():
            raise ConnectionLost("its session broke off")
        if opened.exception() is not None:
            await asyncio.wait({self._owner})
        opened.result()

    async def close(self) -> None:
        """Ends the session and the process behind it; waits for the end even when cancelled meanwhile."""
        self._closing.set()
        cancelled = False
        while self._owner is not None and not self._owner.done():
            # Not open yet, or ending already: the owner does not wait for `_closing`.
            if self._client is None:
                self._owner.cancel()
            try:
                await asyncio.wait({self._owner})
            except asyncio.CancelledError:
                cancelled = True
        if cancelled:
            raise asyncio.CancelledError

    async def _own(self, opened: asyncio.Future[None]) -> None:
        """Opens the session, waits, and closes it; an error is set on `opened` while `open` waits for it."""
        try:
            async with asyncio.timeout(self._start_seconds) as limit:
                client = Client(
                    self._transport(self.diagnostics),
                    client_info=Implementation(name="testwright", version=VERSION),
                    cache=None,
                )
                async with client:
                    await self._discover_tools(client)
                    # Ready: from here on only `close` ends the session.
                    limit.reschedule(None)
                    self._client = client
                    if not opened.done():
                        opened.set_result(None)
                    await self._closing.wait()
        except TimeoutError:
            self._lost(opened, f"it was not ready within {self._start_seconds:g} s")
        except MCPError as error:
            closed = error.code == CONNECTION_CLOSED
            self._lost(opened, "it closed the connection" if closed else f"it refused the session: {error}")
        except Exception as error:  # noqa: BLE001 - libraries raise errors of their own here, in groups: each ends the session
            self._lost(opened, _root_cause(error))
        finally:
            self._client = None

    def _lost(self, opened: asyncio.Future[None], why: str) -> None:
        # Later failures go to the diagnostics: the next call reports them.
        if not opened.done():
            opened.set_exception(ConnectionLost(why))
        elif not self.diagnostics.broken:
            self.diagnostics.broken = why

    async def _discover_tools(self, client: Client) -> None:
        size = 0
        async for tool in list_tools(client):
            for schema in (tool.input_schema, tool.output_schema):
                drop_unbounded(schema)
            self.tools.setdefault(tool.name, tool.model_copy(deep=True))
            # The SDK checks answers by this object, without bounds: we do so instead.
            if tool.output_schema is not None:
                tool.output_schema.clear()
            size += len(tool.model_dump_json())
            if len(self.tools) > _MAX_TOOLS or size > _MAX_LISTING_BYTES:
                return  # a server may list tools without end

    async def call(self, tool: str, arguments: dict[str, Any], seconds: float) -> CallToolResult:
        """Calls one tool of the server.

        Raises:
            ConnectionLost, CallTimedOut, CallRefused: there is no usable answer.
        """
        client, owner = self._client, self._owner
        if client is None or owner is None or owner.done():
            raise ConnectionLost("its session has ended")
        # In a task of its own: the session may end, or the SDK miss its own timeout, while the call waits.
        request = asyncio.ensure_future(self._send(client, tool, arguments, seconds))
        try:
            done, _ = await asyncio.wait(
                {request, owner}, timeout=seconds + _TIMEOUT_MARGIN_SECONDS, return_when=asyncio.FIRST_COMPLETED
            )
        except asyncio.CancelledError:
            request.cancel()
            raise
        if request in done:
            return request.result()
        request.cancel()
        with suppress(asyncio.CancelledError, Exception):
            await request
        # The session ended while the call waited; otherwise even the margin has passed.
        if owner.done():
            raise ConnectionLost("its session broke off")
        raise CallTimedOut

    async def _send(self, client: Client, tool: str, arguments: dict[str, Any], seconds: float) -> CallToolResult:
        try:
            result = await client.call_tool(tool, arguments, read_timeout_seconds=seconds)
        except MCPError as error:
            if error.code == REQUEST_TIMEOUT:
                raise CallTimedOut from error
            # Over HTTP a lost session has no code of its own. The code of a lost connection is not: servers use it too.
            is_lost = error.code == CONNECTION_CLOSED and not await _answers(client)
            if is_lost or str(error) == "Session terminated":
                raise ConnectionLost("its connection has closed") from error
            raise CallRefused(str(error)) from error
        except (anyio.ClosedResourceError, anyio.BrokenResourceError) as error:
            raise ConnectionLost("its connection has closed") from error
        except (RuntimeError, ValueError) as error:
            raise CallRefused(str(error)) from error
        schema = self.tools[tool].output_schema if tool in self.tools else None
        if schema and not result.is_error:
            wrong = await asyncio.to_thread(misfits, schema, result.structured_content)
            if wrong:
                raise CallRefused(f"Invalid structured content returned by tool {tool}: {wrong}")
        return result


async def _answers(client: Client) -> bool:
    """Whether the server still answers, be it with an error of its own."""
    try:
        async with asyncio.timeout(_PROBE_SECONDS):
            await client.list_tools()
    except MCPError as error:
        return error.code != CONNECTION_CLOSED
    except (TimeoutError, anyio.ClosedResourceError, anyio.BrokenResourceError):
        return False
    return True


def _silence_libraries() -> None:
    """Keeps the SDK's log of servers' errors away from stderr, where Python prints it if the host has no handler."""
    for name in ("mcp", "client"):
        logger = logging.getLogger(name)
        if not logger.handlers:
            logger.addHandler(logging.NullHandler())


def _root_cause(error: BaseException) -> str:
    """The message of the innermost error of nested groups."""
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    if isinstance(error, ValidationError):
        [first, *_] = error.errors(include_url=False, include_input=False)
        return f"what it says is not MCP: {'.'.join(str(part) for part in first['loc'])}: {first['msg']}"
    if isinstance(error, OSError) and error.strerror:
        return f"{error.strerror}: {error.filename}" if error.filename else error.strerror
    return str(error) or type(error).__name__
