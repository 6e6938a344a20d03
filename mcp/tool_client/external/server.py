"""One configured server: started once, asked many times, started again once when it dies (T-12)."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from mcp.client import Transport
from mcp.types import CallToolResult, TextContent, Tool

from ....config.tool_servers import ToolServer
from ....config.variables import Variables
from ....core.errors import EnvironmentFault, ToolFailure, ToolTimeout
from ....utils.redact import is_secret_name
from .connection import CallRefused, CallTimedOut, Connection, ConnectionLost, OpenTransport
from .http import http_streams
from .journal import Journal
from .process import Launch, server_environment, stdio_streams
from .untrusted import Untrusted


class ServerGone(Exception):
    """The server is dead, and was started again as often as it may be; the message says how it ended."""


@dataclass(frozen=True, slots=True)
class ServerFacts:
    """One server as the report tells of it."""

    name: str
    transport: str
    tools: tuple[str, ...]
    restarts: int
    state: str


class ExternalServer:
    """A server of somebody else. Open and close it in one event loop; calls may be made at the same time.

    Args:
        entry: what the configuration says.
        transport: opens a way to it.
        untrusted: cleans what it says.
    """

    def __init__(self, entry: ToolServer, transport: OpenTransport, untrusted: Untrusted) -> None:
        self.entry = entry
        self.untrusted = untrusted
        self.restarts = 0
        self._transport = transport
        self._connection: Connection | None = None
        self._one_at_a_time = asyncio.Lock()
        self._gone = ""

    @property
    def name(self) -> str:
        """The name that the configuration gives it."""
        return self.entry.name

    @property
    def tools(self) -> dict[str, Tool]:
        """What it offers, by its own names; empty before it is open."""
        return self._connection.tools if self._connection is not None else {}

    @property
    def state(self) -> str:
        """`ready`, or what became of it."""
        if self._connection is None:
            return "not started"
        return "given up" if self._gone else "ready"

    async def open(self) -> None:
        """Raises EnvironmentFault: it does not start; the message has the last lines of its stderr."""
        connection = Connection(self._transport, self.entry.start_timeout)
        try:
            await connection.open()
        except ConnectionLost as error:
            raise EnvironmentFault(
                f"The tool server {self.name!r} cannot be used: {self._told(str(error), connection.journal)}",
                advice="See that it starts by itself, correct its entry, or say `optional` there to go on without it.",
                details={"server": self.name},
            ) from error
        self._connection = connection

    async def close(self) -> None:
        """End it, and every process it started in its group."""
        if self._connection is not None:
            await self._connection.close()

    async def call(self, tool: str, arguments: dict[str, Any]) -> CallToolResult:
        """Ask one of its tools, by its own name.

        Raises:
            ServerGone: it has died and cannot be had again.
            ToolTimeout: no answer within its `timeout`.
            ToolFailure: a protocol error, an answer outside its declared schema, or one that is too large.
        """
        seconds = self.entry.timeout
        connection = await self._living(self._connection)
        for attempt in (1, 2):
            try:
                result = await connection.call(tool, arguments, seconds)
            except ConnectionLost:
                if attempt == 2:
                    await connection.close()
                    self._gone = self._told("it died again", connection.journal)
                    raise ServerGone(self._gone) from None
                connection = await self._living(connection, dead=True)
                continue
            except CallTimedOut:
                raise ToolTimeout(
                    f"{tool} of the tool server {self.name!r} did not answer within {seconds:g} s",
                    advice="Give it more time with `timeout` in its entry.",
                    details={"tool": tool, "server": self.name},
                ) from None
            except CallRefused as error:
                raise self.failure(tool, f"answered outside its contract: {error}") from error
            return self._bounded(tool, result)
        raise AssertionError("unreachable")

    def failure(self, tool: str, what: str, **details: object) -> ToolFailure:
        """A failure that names the server; `what` is cleaned."""
        told = self.untrusted.shown(what)
        return ToolFailure(
            f"{tool} of the tool server {self.name!r} {told}", details={"tool": tool, "server": self.name, **details}
        )

    async def _living(self, seen: Connection | None, *, dead: bool = False) -> Connection:
        """The connection to use; a new one, once, when the one that was seen has died."""
        async with self._one_at_a_time:
            now = self._connection
            if now is None or self._gone:
                raise ServerGone(self._gone or "it was never started")
            if now is not seen or (now.alive and not dead):
                return now
            await now.close()
            how = self._told("it died", now.journal)
            if self.restarts:
                self._gone = how
                raise ServerGone(how)
            self.restarts += 1
            again = Connection(self._transport, self.entry.start_timeout)
            try:
                await again.open()
            except ConnectionLost as error:
                self._gone = f"{how}; started again, {self._told(str(error), again.journal)}"
                raise ServerGone(self._gone) from error
            self._connection = again
            return again

    def _bounded(self, tool: str, result: CallToolResult) -> CallToolResult:
        size = len(result.model_dump_json(by_alias=True, exclude_unset=True))
        if size > self.entry.answer_bytes:
            raise self.failure(
                tool, f"answered with {size} bytes, more than the {self.entry.answer_bytes} that it may", bytes=size
            )
        return result

    def _told(self, what: str, journal: Journal) -> str:
        more = journal.told()
        return self.untrusted.shown(f"{what}; {more}" if more else what)


def text_of(result: CallToolResult) -> str:
    """The text blocks of an answer."""
    return "\n".join(block.text for block in result.content if isinstance(block, TextContent))


def external_servers(
    entries: tuple[ToolServer, ...], environment: Mapping[str, str], *, root: Path
) -> tuple[ExternalServer, ...]:
    """The servers, not yet started; their variables are filled in from the environment now, and kept nowhere else.

    Raises:
        SettingsError: a variable is missing; the message names it and the server.
    """
    return tuple(_server(entry, environment, root) for entry in entries)


def _server(entry: ToolServer, environment: Mapping[str, str], root: Path) -> ExternalServer:
    variables = Variables(environment)
    args = tuple(variables.filled(one) for one in entry.args)
    env = {name: variables.filled(value, secret=is_secret_name(name)) for name, value in entry.env}
    headers = {name: variables.filled(value, secret=True) for name, value in entry.headers}
    url = variables.filled(entry.url or "")
    variables.require(f"The tool server {entry.name!r}")
    untrusted = Untrusted(environment, variables.secrets)
    if entry.command is None:
        # An event of a stream is one answer; a JSON body is at most a little more than one.
        most = 4 * entry.answer_bytes + 64 * 1024

        def reach(journal: Journal) -> Transport:
            return http_streams(url, headers, journal, seconds=entry.timeout, most_bytes=most)

        return ExternalServer(entry, reach, untrusted)
    launch = Launch((entry.command, *args), server_environment(environment, env), entry.cwd or root)
    return ExternalServer(entry, lambda journal: stdio_streams(launch, journal), untrusted)
