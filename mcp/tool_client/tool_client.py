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

from mcp import Client
from mcp.server import MCPServer
from mcp.types import Tool

from ...core import errors
from ...core.errors import EnvironmentFault, ToolFailure, ToolInputError, ToolTimeout
from ..toolbox.answers import ToolCall
from .built_in import BuiltInTools
from .external.routing import ExternalRoute, check_mappings, routed
from .external.server import ExternalServer, ServerFacts, ServerGone

BUILT_IN = "built-in"
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
        self._gone: set[str] = set()
        self._calls: deque[ToolCall] = deque(maxlen=_REMEMBERED_CALLS)
        self._built_in: BuiltInTools | None = None
        self._routes: dict[str, ExternalRoute] = {}
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
                built_in = await BuiltInTools.learned(client, self._timeouts)
                try:
                    await self._open_servers(built_in.tools)
                except errors.TestwrightError as error:
                    opened.set_exception(error)
                    return
                self._built_in = built_in
                opened.set_result(None)
                await self._closing.wait()
        finally:
            self._closing.set()
            await asyncio.gather(*(server.close() for server in self._servers), return_exceptions=True)

    async def _open_servers(self, built_in: Mapping[str, Tool]) -> None:
        check_mappings(self._servers, built_in)
        outcomes = await asyncio.gather(*(server.open() for server in self._servers), return_exceptions=True)
        usable: list[ExternalServer] = []
        for server, outcome in zip(self._servers, outcomes, strict=True):
            if outcome is None:
                usable.append(server)
            elif isinstance(outcome, EnvironmentFault) and server.entry.optional:
                self._note(f"{outcome.message} It is optional: the built-in tools serve.")
            else:
                raise outcome
        routing = routed(usable, built_in, self._root)
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
        ours = self._built_in.tools if self._built_in is not None else {}
        return dict(sorted({**theirs, **ours}.items()))

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
        ours = self._required(name)
        given = dict(arguments)
        route = self._routes.get(name)
        if route is None or route.server.state == "given up":
            return await self._recorded(name, BUILT_IN, ours.call(name, given, timeout_seconds))
        try:
            return await self._recorded(name, route.server.name, self._asked(ours, route, name, given))
        except ServerGone as gone:
            self._note_gone(ours, route, name, gone)
        return await self._recorded(name, BUILT_IN, ours.call(name, given, timeout_seconds))

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

    def _required(self, name: str) -> BuiltInTools:
        if self._built_in is None or self._closing.is_set():
            raise ToolFailure(f"the tool {name!r} was called outside the client's context")
        if name not in self._built_in.tools and name not in self._routes:
            known = ", ".join(self.tools())
            raise ToolFailure(f"there is no tool {name!r}", advice=f"known tools: {known}")
        return self._built_in

    async def _recorded(
        self, name: str, served_by: str, work: Coroutine[Any, Any, tuple[dict[str, Any], str | None]]
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

    @staticmethod
    async def _asked(
        ours: BuiltInTools, route: ExternalRoute, name: str, given: dict[str, Any]
    ) -> tuple[dict[str, Any], str | None]:
        ours.refuse_misfit(name, given)
        return await route.call(given), None

    def _note_gone(self, ours: BuiltInTools, route: ExternalRoute, name: str, gone: ServerGone) -> None:
        """Tell once that a server has died for good. Raises ToolFailure: nobody else serves the tool."""
        server = route.server
        instead = "the built-in tools serve" if name in ours.tools else f"nobody else serves {name}"
        if server.name not in self._gone:
            self._gone.add(server.name)
            self._note(f"The tool server {server.name!r} was given up: {gone}; {instead}.")
        if name not in ours.tools:
            raise server.failure(route.theirs.name, f"cannot be had any more: {gone}") from gone


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
