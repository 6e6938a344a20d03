"""One live session with a server, opened and closed by one task: its cancel scopes must end where they began."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from contextlib import suppress
from typing import Any

import anyio
from mcp import Client, MCPError
from mcp.client import Transport
from mcp.types import CONNECTION_CLOSED, REQUEST_TIMEOUT, CallToolResult, Implementation, Tool
from pydantic import ValidationError

from ....core.version import VERSION
from .journal import Journal

_MOST_TOOLS = 2000
_BACKSTOP_SECONDS = 2.0
OpenTransport = Callable[[Journal], Transport]


class ConnectionLost(Exception):
    """There is no session, or no longer one; the message says why."""


class CallTimedOut(Exception):
    """The server did not answer in time."""


class CallRefused(Exception):
    """The server answered with a protocol error, or outside the schema it declares."""


class Connection:
    """A session from `open` to `close`.

    Args:
        transport: opens the way to the server.
        start_seconds: how long it may take until it has listed its tools.
    """

    def __init__(self, transport: OpenTransport, start_seconds: float) -> None:
        self.journal = Journal()
        self.tools: dict[str, Tool] = {}
        self._transport = transport
        self._start_seconds = start_seconds
        self._owner: asyncio.Task[None] | None = None
        self._closing = asyncio.Event()
        self._client: Client | None = None

    @property
    def alive(self) -> bool:
        """Whether calls can be tried."""
        return self._client is not None and self._owner is not None and not self._owner.done()

    async def open(self) -> None:
        """Raises ConnectionLost: it does not start, does not speak the protocol, or is too slow."""
        quiet_libraries()
        opened: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._owner = asyncio.create_task(self._own(opened), name="testwright tool server")
        try:
            await asyncio.wait({opened, self._owner}, return_when=asyncio.FIRST_COMPLETED)
        except asyncio.CancelledError:
            await self.close()
            raise
        if not opened.done():
            raise ConnectionLost("its session broke off")
        if opened.exception() is not None:
            await asyncio.wait({self._owner})
        opened.result()

    async def close(self) -> None:
        """End the session, and the process behind it; waits until that is done, also when cancelled meanwhile."""
        self._closing.set()
        cancelled = False
        while self._owner is not None and not self._owner.done():
            if self._client is None:
                self._owner.cancel()
            try:
                await asyncio.wait({self._owner})
            except asyncio.CancelledError:
                cancelled = True
        if cancelled:
            raise asyncio.CancelledError

    async def _own(self, opened: asyncio.Future[None]) -> None:
        """Open, wait, close. What goes wrong is told to `opened` while somebody waits for that."""
        try:
            async with asyncio.timeout(self._start_seconds) as limit:
                client = Client(
                    self._transport(self.journal),
                    client_info=Implementation(name="testwright", version=VERSION),
                    cache=None,
                )
                async with client:
                    await self._learn(client)
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
        except Exception as error:  # noqa: BLE001 - libraries raise their own kinds here, in groups: all end the session
            self._lost(opened, _innermost(error))
        finally:
            self._client = None

    def _lost(self, opened: asyncio.Future[None], why: str) -> None:
        if not opened.done():
            opened.set_exception(ConnectionLost(why))
        elif not self.journal.broken:
            self.journal.broken = why

    async def _learn(self, client: Client) -> None:
        cursor: str | None = None
        while True:
            page = await client.list_tools(cursor=cursor)
            for tool in page.tools:
                self.tools.setdefault(tool.name, tool)
            cursor = page.next_cursor
            if cursor is None or len(self.tools) > _MOST_TOOLS:
                return

    async def call(self, tool: str, arguments: dict[str, Any], seconds: float) -> CallToolResult:
        """Call one tool of the server.

        Raises:
            ConnectionLost, CallTimedOut, CallRefused: there is no answer that could be used.
        """
        client, owner = self._client, self._owner
        if client is None or owner is None or owner.done():
            raise ConnectionLost("its session has ended")
        asked = asyncio.ensure_future(self._asked(client, tool, arguments, seconds))
        try:
            done, _ = await asyncio.wait(
                {asked, owner}, timeout=seconds + _BACKSTOP_SECONDS, return_when=asyncio.FIRST_COMPLETED
            )
        except asyncio.CancelledError:
            asked.cancel()
            raise
        if asked in done:
            return asked.result()
        asked.cancel()
        with suppress(asyncio.CancelledError, Exception):
            await asked
        if owner.done():
            raise ConnectionLost("its session broke off")
        raise CallTimedOut

    async def _asked(self, client: Client, tool: str, arguments: dict[str, Any], seconds: float) -> CallToolResult:
        try:
            return await client.call_tool(tool, arguments, read_timeout_seconds=seconds)
        except MCPError as error:
            if error.code == REQUEST_TIMEOUT:
                raise CallTimedOut from error
            if error.code == CONNECTION_CLOSED or str(error) == "Session terminated":
                raise ConnectionLost("its connection has closed") from error
            raise CallRefused(str(error)) from error
        except (anyio.ClosedResourceError, anyio.BrokenResourceError) as error:
            raise ConnectionLost("its connection has closed") from error
        except (RuntimeError, ValueError) as error:
            raise CallRefused(str(error)) from error


def quiet_libraries() -> None:
    """The SDK logs what servers do wrong; without a handler of the host's, Python would print that to stderr."""
    for name in ("mcp", "client"):
        logger = logging.getLogger(name)
        if not logger.handlers:
            logger.addHandler(logging.NullHandler())


def _innermost(error: BaseException) -> str:
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    if isinstance(error, ValidationError):
        [first, *_] = error.errors(include_url=False, include_input=False)
        return f"what it says is not MCP: {'.'.join(str(part) for part in first['loc'])}: {first['msg']}"
    if isinstance(error, OSError) and error.strerror:
        return f"{error.strerror}: {error.filename}" if error.filename else error.strerror
    return str(error) or type(error).__name__
