"""One configured external server: started once, and restarted once when it dies."""

from __future__ import annotations

import asyncio
import unicodedata
from collections.abc import AsyncIterator, Iterable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx2

from ....config.tool_servers import ToolServer
from ....config.variables import Variables
from ....core.errors import EnvironmentFault, ToolFailure, ToolTimeout
from ....utils.bounded_stream import BoundedStream
from ....utils.redact import REDACTED, Redactor, is_secret_name
from ...sdk import CallToolResult, Tool, Transport, TransportStreams, streamable_http_client
from .connection import CallRefused, CallTimedOut, Connection, ConnectionLost, OpenTransport
from .diagnostics import ServerDiagnostics
from .process import ServerCommand, server_environment, stdio_streams

_CONNECT_SECONDS = 10.0
_MARGIN_SECONDS = 30.0

MAX_TEXT_CHARS = 2000
_MIN_SECRET_CHARS = 6
"""Shorter values are not removed: they would be found in ordinary words."""

_MAX_TIMEOUTS = 2
"""So many calls in a row without an answer in time, and a server is given up."""


class ServerGone(Exception):
    """The server has died or hangs, and is not restarted any more; the message says how it ended."""


@dataclass(frozen=True, slots=True)
class ServerFacts:
    """One server, as the report shows it."""

    name: str
    transport: str
    tools: tuple[str, ...]
    restarts: int
    state: str


class ExternalServer:
    """An external server. Open and close it in one event loop; calls may be concurrent.

    Args:
        entry: its configuration.
        transport: opens a connection to it.
        untrusted: cleans its texts.
    """

    def __init__(self, entry: ToolServer, transport: OpenTransport, untrusted: UntrustedText) -> None:
        self.entry = entry
        self.untrusted = untrusted
        self.restarts = 0
        self._transport = transport
        self._connection: Connection | None = None
        self._restart_lock = asyncio.Lock()
        self._end = ""
        self._timeouts = 0

    @property
    def name(self) -> str:
        """Its name in the configuration."""
        return self.entry.name

    @property
    def tools(self) -> dict[str, Tool]:
        """Its tools, by its own names; empty before it is open."""
        return self._connection.tools if self._connection is not None else {}

    @property
    def state(self) -> str:
        """`not started`, `ready` or `given up`."""
        if self._connection is None:
            return "not started"
        return "given up" if self._end else "ready"

    async def open(self) -> None:
        """Starts it. Raises EnvironmentFault, with the last lines of its stderr, if it does not start."""
        connection = Connection(self._transport, self.entry.start_timeout)
        try:
            await connection.open()
        except ConnectionLost as error:
            raise EnvironmentFault(
                f"The tool server {self.name!r} cannot be used: {self._explain(str(error), connection.diagnostics)}",
                advice="See that it starts by itself, correct its entry, or say `optional` there to go on without it.",
                details={"server": self.name},
            ) from error
        self._connection = connection

    async def close(self) -> None:
        """Ends it, and every process in its group."""
        if self._connection is not None:
            await self._connection.close()

    async def call(self, tool: str, arguments: dict[str, Any]) -> CallToolResult:
        """Calls one of its tools, by its own name.

        Raises:
            ServerGone: it has died and is not restarted, or hangs.
            ToolTimeout: no answer within its `timeout`.
            ToolFailure: a protocol error, an answer outside its declared schema, or one that is too large.
        """
        seconds = self.entry.timeout
        connection = await self._live_connection(self._connection)
        # The second attempt is for a server that died between two calls; a call that kills it twice is not repeated.
        for attempt in (1, 2):
            try:
                result = await connection.call(tool, arguments, seconds)
            except ConnectionLost:
                # It died again in the same call: further restarts would end the same way.
                if attempt == 2:
                    await connection.close()
                    self._end = self._explain("it died again", connection.diagnostics)
                    raise ServerGone(self._end) from None
                connection = await self._live_connection(connection, is_dead=True)
                continue
            except CallTimedOut:
                self._timeouts += 1
                # A server that hangs would cost every further call its time limit.
                if self._timeouts >= _MAX_TIMEOUTS:
                    await connection.close()
                    self._end = f"it did not answer within {seconds:g} s, {self._timeouts} times in a row"
                    raise ServerGone(self._end) from None
                raise ToolTimeout(
                    f"{tool} of the tool server {self.name!r} did not answer within {seconds:g} s",
                    advice="Give it more time with `timeout` in its entry.",
                    details={"tool": tool, "server": self.name},
                ) from None
            except CallRefused as error:
                raise self.failure(tool, f"answered outside its contract: {error}") from error
            self._timeouts = 0
            size = len(result.model_dump_json(by_alias=True, exclude_unset=True))
            if size > self.entry.answer_bytes:
                limit = self.entry.answer_bytes
                raise self.failure(tool, f"answered with {size} bytes, more than the {limit} that it may", bytes=size)
            return result
        raise AssertionError("unreachable")

    def failure(self, tool: str, what: str, **details: object) -> ToolFailure:
        """Builds an error that names the server; `what` is cleaned."""
        return ToolFailure(
            f"{tool} of the tool server {self.name!r} {self.untrusted.clean(what)}",
            details={"tool": tool, "server": self.name, **details},
        )

    async def _live_connection(self, used: Connection | None, *, is_dead: bool = False) -> Connection:
        """Returns the connection to use, after one restart if the connection that the caller used has died."""
        async with self._restart_lock:
            current = self._connection
            if current is None or self._end:
                raise ServerGone(self._end or "it was never started")
            if current is not used or (current.is_alive and not is_dead):
                return current  # another call has restarted it already
            await current.close()
            how = self._explain("it died", current.diagnostics)
            # One restart per run; calls that wait for the lock see the same end.
            if self.restarts:
                self._end = how
                raise ServerGone(how)
            self.restarts += 1
            restarted = Connection(self._transport, self.entry.start_timeout)
            try:
                await restarted.open()
            except ConnectionLost as error:
                self._end = f"{how}; started again, {self._explain(str(error), restarted.diagnostics)}"
                raise ServerGone(self._end) from error
            self._connection = restarted
            return restarted

    def _explain(self, what: str, diagnostics: ServerDiagnostics) -> str:
        more = diagnostics.describe()
        return self.untrusted.clean(f"{what}; {more}" if more else what)


def external_servers(
    entries: tuple[ToolServer, ...], environment: Mapping[str, str], *, root: Path
) -> tuple[ExternalServer, ...]:
    """Builds the servers, not yet started; variables are filled in from the environment now, and stored nowhere else.

    Raises:
        SettingsError: a variable is missing; the message names it and the server.
    """
    return tuple(_server(entry, environment, root) for entry in entries)


def _server(entry: ToolServer, environment: Mapping[str, str], root: Path) -> ExternalServer:
    variables = Variables(environment)
    args = tuple(variables.filled(argument) for argument in entry.args)
    env = {name: variables.filled(value, secret=is_secret_name(name)) for name, value in entry.env}
    headers = {name: variables.filled(value, secret=True) for name, value in entry.headers}
    url = variables.filled(entry.url or "")
    # All missing variables are named in one error.
    variables.require(f"The tool server {entry.name!r}")
    untrusted = UntrustedText(environment, variables.secrets)
    # A line, or an event of a stream, is one answer, and a JSON body is a little more than one.
    max_bytes = 4 * entry.answer_bytes + 64 * 1024
    if entry.command is None:

        def connect(diagnostics: ServerDiagnostics) -> Transport:
            return http_streams(url, headers, diagnostics, seconds=entry.timeout, max_bytes=max_bytes)

        return ExternalServer(entry, connect, untrusted)
    command = ServerCommand((entry.command, *args), server_environment(environment, env), entry.cwd or root)
    return ExternalServer(
        entry, lambda diagnostics: stdio_streams(command, diagnostics, max_bytes=max_bytes), untrusted
    )


class UntrustedText:
    """Cleans the text of one server.

    Args:
        environment: the values of variables with secret names are removed from every text that is shown.
        secrets: the secrets that the server itself received; removed from its answers as well.
    """

    def __init__(self, environment: Mapping[str, str], secrets: Iterable[str] = ()) -> None:
        self._secrets = sorted(
            (secret for secret in secrets if len(secret) >= _MIN_SECRET_CHARS), key=len, reverse=True
        )
        self._redactor = Redactor.from_environment(environment, self._secrets)

    def clean(self, text: str, max_chars: int = MAX_TEXT_CHARS) -> str:
        """Returns text for messages: no control or formatting characters but line ends, cut to `max_chars`."""
        plain = "".join(
            char if char in "\n\t" or unicodedata.category(char) not in ("Cc", "Cf", "Cs", "Co") else "�"
            for char in self._redactor.text(text[: 4 * max_chars])
        ).strip()
        return plain if len(plain) <= max_chars else plain[: max_chars - 1] + "…"

    def without_secrets(self, value: Any) -> Any:
        """Returns a JSON value without the secrets that the server received; everything else is unchanged."""
        if not self._secrets:
            return value
        if isinstance(value, str):
            for secret in self._secrets:
                value = value.replace(secret, REDACTED)
            return value
        if isinstance(value, Mapping):
            return {self.without_secrets(key): self.without_secrets(part) for key, part in value.items()}
        if isinstance(value, list):
            return [self.without_secrets(part) for part in value]
        return value


class AnswerTooLong(httpx2.StreamError):
    """The body of a response exceeds the limit."""

    def __init__(self, limit: int) -> None:
        super().__init__(f"the answer is larger than {limit} bytes")


@asynccontextmanager
async def http_streams(
    url: str, headers: Mapping[str, str], diagnostics: ServerDiagnostics, *, seconds: float, max_bytes: int
) -> AsyncIterator[TransportStreams]:
    """Connects to a URL. Redirects to another origin are not followed, so that no other host receives the headers.

    Args:
        seconds: the maximum duration of a call.
        max_bytes: the maximum size of a body, and of an event of a stream.
    """

    async def limit_response(response: httpx2.Response) -> None:
        if response.status_code >= 400:
            diagnostics.status = response.status_code
        # Streams are endless; the SDK limits each of their events.
        if "text/event-stream" not in response.headers.get("content-type", "") and isinstance(
            response.stream, httpx2.AsyncByteStream
        ):
            response.stream = BoundedStream(response.stream, max_bytes, AnswerTooLong(max_bytes))

    timeout = httpx2.Timeout(seconds + _MARGIN_SECONDS, connect=_CONNECT_SECONDS)
    async with (
        httpx2.AsyncClient(headers=dict(headers), timeout=timeout, event_hooks={"response": [limit_response]}) as http,
        streamable_http_client(url, http_client=http, max_sse_event_size=max_bytes) as streams,
    ):
        yield streams
