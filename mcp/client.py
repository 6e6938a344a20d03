"""One way to call a tool, wherever it lives: in this process, behind a command, or behind a URL (T-12).

Sessions are opened once and reused; each is opened and closed by a task of its own, because its cancel scopes must end
where they began. Calls are made from the caller's task and may run at the same time.
"""

from __future__ import annotations

import asyncio
import time
from collections import deque
from collections.abc import Callable, Coroutine, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from jsonschema import Draft202012Validator
from mcp import Client, MCPError
from mcp.server import MCPServer
from mcp.types import REQUEST_TIMEOUT, CallToolResult, Tool

from .. import errors
from ..errors import EnvironmentFault, ToolFailure, ToolInputError, ToolTimeout
from ..utils.error_formatter import schema_issues
from .answers import ToolCall, structured
from .definition import CACHED_META, TIMEOUT_META
from .external.routing import ExternalRoute, check_mappings, routed
from .external.server import ExternalServer, ServerFacts, ServerGone

BUILT_IN = "built-in"
DEFAULT_TIMEOUT_SECONDS = 60.0
_REMEMBERED_CALLS = 50_000
"""More than a run makes; a server that lives for months must not remember all."""


class ToolClient:
    """Calls tools by name. Use it as an async context manager, in one event loop.

    Args:
        toolbox: our tools; every tool is served by it unless a server of others serves it.
        servers: servers of others, in order of precedence; they are started, side by side, on entering.
        root: the project, for the templates of their mappings.
        timeouts: tool name → seconds, where a built-in tool's own time limit shall not hold.
        warn: told, as it happens, of what a report has to mention: a server that was given up, a tool it lacks.

    Raises (on entering):
        EnvironmentFault: a server does not start and is not optional.
        SettingsError: a mapping of a server is wrong.
    """

    def __init__(
        self,
        toolbox: MCPServer,
        *,
        servers: Sequence[ExternalServer] = (),
        root: Path | None = None,
        timeouts: Mapping[str, float] | None = None,
        warn: Callable[[str], None] | None = None,
    ) -> None:
        self._toolbox = toolbox
        self._servers = tuple(servers)
        self._root = root or Path()
        self._timeouts = dict(timeouts or {})
        self._warn = warn
        self._warnings: list[str] = []
        self._calls: deque[ToolCall] = deque(maxlen=_REMEMBERED_CALLS)
        self._built_in: dict[str, Tool] = {}
        self._validators: dict[str, Draft202012Validator] = {}
        self._routes: dict[str, ExternalRoute] = {}
        self._client: Client | None = None
        self._owner: asyncio.Task[None] | None = None
        self._closing = asyncio.Event()

    async def __aenter__(self) -> ToolClient:
        if self._owner is not None:
            raise RuntimeError("a ToolClient is opened once")
        opened: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._owner = asyncio.create_task(self._own(opened), name="testwright tool sessions")
        try:
            await asyncio.wait({opened, self._owner}, return_when=asyncio.FIRST_COMPLETED)
        except asyncio.CancelledError:
            self._owner.cancel()
            await _ended(self._owner)
            raise
        if not opened.done():
            await self._owner
        elif opened.exception() is not None:
            await _ended(self._owner)
        opened.result()
        return self

    async def __aexit__(self, *_: object) -> None:
        self._closing.set()
        if self._owner is not None:
            await _ended(self._owner)

    async def _own(self, opened: asyncio.Future[None]) -> None:
        """Opens everything, waits, closes it; what is wrong is told to `opened`, for the session would wrap it."""
        try:
            async with Client(self._toolbox) as client:
                await self._learn(client)
                try:
                    await self._open_servers()
                except errors.TestwrightError as error:
                    opened.set_exception(error)
                    return
                self._client = client
                opened.set_result(None)
                await self._closing.wait()
        finally:
            self._client = None
            await asyncio.gather(*(server.close() for server in self._servers), return_exceptions=True)

    async def _learn(self, client: Client) -> None:
        cursor: str | None = None
        while True:
            page = await client.list_tools(cursor=cursor)
            for tool in page.tools:
                self._built_in[tool.name] = tool
                self._validators[tool.name] = Draft202012Validator(tool.input_schema)
            cursor = page.next_cursor
            if cursor is None:
                return

    async def _open_servers(self) -> None:
        check_mappings(self._servers, self._built_in)
        outcomes = await asyncio.gather(*(server.open() for server in self._servers), return_exceptions=True)
        usable: list[ExternalServer] = []
        for server, outcome in zip(self._servers, outcomes, strict=True):
            if outcome is None:
                usable.append(server)
            elif isinstance(outcome, EnvironmentFault) and server.entry.optional:
                self._note(f"{outcome.message} It is optional: the built-in tools serve.")
            else:
                raise outcome
        routing = routed(usable, self._built_in, self._root)
        self._routes = routing.routes
        for warning in routing.warnings:
            self._note(warning)

    def _note(self, warning: str) -> None:
        self._warnings.append(warning)
        if self._warn is not None:
            self._warn(warning)

    def tools(self) -> dict[str, Tool]:
        """The tools that can be called, by name; a built-in one as we describe it, whoever serves it."""
        theirs = {name: route.theirs for name, route in self._routes.items()}
        return dict(sorted({**theirs, **self._built_in}.items()))

    def calls(self) -> tuple[ToolCall, ...]:
        """Every call so far, in the order in which they ended."""
        return tuple(self._calls)

    def warnings(self) -> tuple[str, ...]:
        """What the report has to mention of servers and tools, each once."""
        return tuple(self._warnings)

    def servers(self) -> tuple[ServerFacts, ...]:
        """The servers of others, with the tools of ours that each serves, or served until it was given up."""
        return tuple(
            ServerFacts(
                server.name,
                server.entry.transport,
                tuple(sorted(name for name, route in self._routes.items() if route.server is server)),
                server.restarts,
                server.state,
            )
            for server in self._servers
        )

    async def call(
        self, name: str, arguments: Mapping[str, Any], *, timeout_seconds: float | None = None
    ) -> dict[str, Any]:
        """Call a tool and return its structured answer.

        Args:
            timeout_seconds: how long to wait for a built-in tool; the tool's own limit without it. A server of others
                has the limit of its entry.

        Raises:
            ToolInputError: the arguments do not fit the tool's input schema.
            ToolTimeout: no answer in time; a built-in tool is cancelled.
            ToolFailure: the tool answered with an error, outside a schema, or is not there.
            EnvironmentFault, StorageError, SandboxFailure: a built-in tool met one, as if called directly.
        """
        self._require(name)
        given = dict(arguments)
        route = self._routes.get(name)
        if route is None or route.server.state == "given up":
            return await self._recorded(name, BUILT_IN, self._call_built_in(name, given, timeout_seconds))
        try:
            return await self._recorded(name, route.server.name, self._call_external(route, name, given))
        except ServerGone as gone:
            return await self._instead(route, name, given, timeout_seconds, gone)

    async def call_all(
        self, calls: Sequence[tuple[str, Mapping[str, Any]]], *, at_once: int = 8
    ) -> list[dict[str, Any] | errors.TestwrightError]:
        """Make several independent calls at the same time (T-16); answers in the order of the calls.

        An error of ours stands in the place of its answer, so that one call never takes the others with it.
        """
        gate = asyncio.Semaphore(at_once)

        async def one(name: str, arguments: Mapping[str, Any]) -> dict[str, Any] | errors.TestwrightError:
            async with gate:
                try:
                    return await self.call(name, arguments)
                except errors.TestwrightError as error:
                    return error

        return list(await asyncio.gather(*(one(name, arguments) for name, arguments in calls)))

    def _require(self, name: str) -> None:
        if self._client is None or self._closing.is_set():
            raise ToolFailure(f"the tool {name!r} was called outside the client's context")
        if name not in self._built_in and name not in self._routes:
            known = ", ".join(sorted({*self._built_in, *self._routes}))
            raise ToolFailure(f"there is no tool {name!r}", advice=f"known tools: {known}")

    async def _recorded(
        self, name: str, served_by: str, work: Coroutine[Any, Any, tuple[dict[str, Any], Any]]
    ) -> dict[str, Any]:
        record = ToolCall(name, served_by, 0.0, "failed")
        started = time.monotonic()
        try:
            answer, source = await work
            record = replace(record, outcome="ok", cached=source == "run", kept=source == "kept")
            return answer
        except ToolInputError:
            record = replace(record, outcome="refused")
            raise
        except ToolTimeout:
            record = replace(record, outcome="timed_out")
            raise
        finally:
            self._calls.append(replace(record, seconds=time.monotonic() - started))

    async def _call_external(
        self, route: ExternalRoute, name: str, given: dict[str, Any]
    ) -> tuple[dict[str, Any], Any]:
        self._refuse_misfit(name, given)
        return await route.call(given), None

    async def _instead(
        self, route: ExternalRoute, name: str, given: dict[str, Any], seconds: float | None, gone: ServerGone
    ) -> dict[str, Any]:
        """Our own tool, for one whose server has died for good."""
        server = route.server
        instead = "the built-in tools serve" if name in self._built_in else f"nobody else serves {name}"
        if not any(f"{server.name!r} was given up" in one for one in self._warnings):
            self._note(f"The tool server {server.name!r} was given up: {gone}; {instead}.")
        if name not in self._built_in:
            raise server.failure(route.theirs.name, f"cannot be had any more: {gone}") from gone
        return await self._recorded(name, BUILT_IN, self._call_built_in(name, given, seconds))

    async def _call_built_in(
        self, name: str, given: dict[str, Any], timeout_seconds: float | None
    ) -> tuple[dict[str, Any], Any]:
        if name not in self._built_in:
            raise ToolFailure(f"{name} is not served any more: its tool server was given up")
        self._refuse_misfit(name, given)
        own = (self._built_in[name].meta or {}).get(TIMEOUT_META)
        limit = float(own) if isinstance(own, int | float) else DEFAULT_TIMEOUT_SECONDS
        result = await self._send(name, given, timeout_seconds or self._timeouts.get(name) or limit)
        return structured(name, result), (result.meta or {}).get(CACHED_META)

    def _refuse_misfit(self, name: str, arguments: dict[str, Any]) -> None:
        validator = self._validators.get(name)
        issues = schema_issues(validator.iter_errors(arguments)) if validator is not None else []
        if issues:
            told = "; ".join(f"{issue.path}: {issue.message}" for issue in issues)
            raise ToolInputError(
                f"the arguments of {name} do not fit: {told}",
                advice="; ".join(issue.suggestion for issue in issues if issue.suggestion),
                details={"errors": [issue.to_dict() for issue in issues]},
            )

    async def _send(self, name: str, arguments: dict[str, Any], seconds: float) -> CallToolResult:
        assert self._client is not None
        try:
            return await self._client.call_tool(name, arguments, read_timeout_seconds=seconds)
        except MCPError as error:
            if error.code == REQUEST_TIMEOUT:
                raise ToolTimeout(f"{name} did not answer within {seconds:g} s", details={"tool": name}) from error
            raise ToolFailure(f"{name} failed: {error}", details={"tool": name, "code": error.code}) from error
        except (RuntimeError, ValueError) as error:
            raise ToolFailure(f"{name} answered outside its contract: {error}", details={"tool": name}) from error


async def _ended(task: asyncio.Task[None]) -> None:
    """Wait for a task that closes sessions, also when cancelled meanwhile: no process may be left behind."""
    cancelled = False
    while not task.done():
        try:
            await asyncio.wait({task})
        except asyncio.CancelledError:
            cancelled = True
    if not task.cancelled() and task.exception() is not None and not cancelled:
        raise task.exception() or RuntimeError
    if cancelled:
        raise asyncio.CancelledError
