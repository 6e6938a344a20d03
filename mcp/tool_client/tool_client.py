"""Calls tools by name: of the toolbox in this process, or of external servers behind a command or a URL.

Sessions are opened once and reused; each is opened and closed by a task of its own, because its cancel scopes must be
left in the task that entered them. Calls are made from the caller's task and may run at the same time.
"""

from __future__ import annotations

import asyncio
import time
from collections import deque
from collections.abc import Callable, Coroutine, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal

from ...core import errors
from ...core.errors import EnvironmentFault, ToolFailure, ToolInputError, ToolTimeout
from ..sdk import Client, MCPServer, Tool, trust_output_schemas
from ..toolbox.tool_spec import Json
from .built_in import BuiltInTools
from .external.routing import ExternalRoute, check_mappings, plan_routes
from .external.server import ExternalServer, ServerFacts, ServerGone

BUILT_IN = "built-in"
_MAX_RECORDED_CALLS = 50_000
"""More than a run makes; a server that runs for months must not keep all."""


@dataclass(frozen=True, slots=True)
class ToolCall:
    """One call, as the report shows it.

    Attributes:
        seconds: wall time.
        cached: the answer came from another call of this run.
        kept: the answer came from an earlier run. Agents count `cached` only: their output must not depend on earlier
            runs.
    """

    tool: str
    served_by: str
    seconds: float
    outcome: Literal["ok", "failed", "refused", "timed_out"]
    cached: bool = False
    kept: bool = False


class ToolClient:
    """Calls tools by name. Use it as an async context manager, in one event loop.

    Args:
        toolbox: our tools; it serves every tool that no external server serves.
        servers: external servers, in order of precedence; they are started concurrently on entering.
        root: the project, for the templates of their mappings.
        warn: called at once with what a report has to mention: a server that was given up, a tool it lacks.

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
        warn: Callable[[str], None] | None = None,
    ) -> None:
        self._toolbox = toolbox
        self._servers = tuple(servers)
        self._root = root or Path()
        self._warn = warn
        self._warnings: list[str] = []
        self._gone: set[str] = set()
        self._calls: deque[ToolCall] = deque(maxlen=_MAX_RECORDED_CALLS)
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
            # Cancelled while opening: servers that were started already have to be ended before this returns.
            self._owner.cancel()
            await _ended(self._owner)
            raise
        # The owner ended without a word to `opened`: its own exception is the reason.
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
        """Opens all sessions, waits, and closes them. Errors are set on `opened`: the session would wrap them."""
        try:
            async with Client(self._toolbox) as client:
                built_in = await BuiltInTools.discover(client)
                trust_output_schemas(client, built_in.tools.values())
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
            # An error while closing one server must not keep the others from being closed.
            await asyncio.gather(*(server.close() for server in self._servers), return_exceptions=True)

    async def _open_servers(self, built_in: Mapping[str, Tool]) -> None:
        check_mappings(self._servers, built_in)
        outcomes = await asyncio.gather(*(server.open() for server in self._servers), return_exceptions=True)
        usable: list[ExternalServer] = []
        for server, outcome in zip(self._servers, outcomes, strict=True):
            # All servers were given time to start before any of them is judged.
            if outcome is None:
                usable.append(server)
            elif isinstance(outcome, EnvironmentFault) and server.entry.optional:
                self._add_warning(f"{outcome.message} It is optional: the built-in tools serve.")
            else:
                raise outcome
        routing = plan_routes(usable, built_in, self._root)
        self._routes = routing.routes
        for warning in routing.warnings:
            self._add_warning(warning)

    def _add_warning(self, warning: str) -> None:
        self._warnings.append(warning)
        if self._warn is not None:
            self._warn(warning)

    def tools(self) -> dict[str, Tool]:
        """The tools that can be called, by name; a tool of ours as we describe it, whichever server serves it."""
        external = {name: route.theirs for name, route in self._routes.items()}
        built_in = self._built_in.tools if self._built_in is not None else {}
        return dict(sorted({**external, **built_in}.items()))

    def calls(self) -> tuple[ToolCall, ...]:
        """Every call so far, in the order in which they ended."""
        return tuple(self._calls)

    def warnings(self) -> tuple[str, ...]:
        """The warnings about servers and tools, for the report."""
        return tuple(self._warnings)

    def servers(self) -> tuple[ServerFacts, ...]:
        """Describes the external servers, each with the tools it serves, or served until it was given up."""
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

    async def call(self, name: str, arguments: Mapping[str, Any], *, timeout_seconds: float | None = None) -> Json:
        """Calls a tool and returns its structured answer.

        Args:
            timeout_seconds: how long to wait for a built-in tool; by default the tool's own limit. An external server
                has the limit of its entry.

        Raises:
            ToolInputError: the arguments do not fit the tool's input schema.
            ToolTimeout: no answer in time; a built-in tool is cancelled.
            ToolFailure: the tool answered with an error, outside a schema, or is not there.
            EnvironmentFault, StorageError, SandboxFailure: a built-in tool raised one.
        """
        if self._built_in is None or self._closing.is_set():
            raise ToolFailure(f"the tool {name!r} was called outside the client's context")
        if name not in self._built_in.tools and name not in self._routes:
            known = ", ".join(self.tools())
            raise ToolFailure(f"there is no tool {name!r}", advice=f"known tools: {known}")
        built_in = self._built_in
        sent = dict(arguments)
        route = self._routes.get(name)
        # A server that was given up stays so: its tools are served by ours from then on.
        if route is not None and route.server.state != "given up":
            try:
                return await self._record(name, route.server.name, route.call(sent))
            except ServerGone as gone:
                self._warn_of_loss(built_in, route, name, gone)
        return await self._record(name, BUILT_IN, built_in.call(name, sent, timeout_seconds))

    async def call_all(
        self, calls: Sequence[tuple[str, Mapping[str, Any]]], *, at_once: int = 8
    ) -> list[Json | errors.TestwrightError]:
        """Makes several independent calls concurrently, and returns the answers in the order of the calls.

        An error of ours takes the place of its answer, so that one failed call does not cancel the others.
        """
        gate = asyncio.Semaphore(at_once)

        async def answer(name: str, arguments: Mapping[str, Any]) -> Json | errors.TestwrightError:
            async with gate:
                try:
                    return await self.call(name, arguments)
                except errors.TestwrightError as error:
                    return error

        return list(await asyncio.gather(*(answer(name, arguments) for name, arguments in calls)))

    async def _record(self, name: str, served_by: str, work: Coroutine[Any, Any, tuple[Json, str | None]]) -> Json:
        record = ToolCall(name, served_by, 0.0, "failed")
        started = time.monotonic()
        try:
            answer, source = await work
            # `cached` and `kept` are apart: agents' output may depend on the first only.
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

    def _warn_of_loss(self, built_in: BuiltInTools, route: ExternalRoute, name: str, gone: ServerGone) -> None:
        """Warns once that a server was given up. Raises ToolFailure if no built-in tool can take over."""
        server = route.server
        instead = "the built-in tools serve" if name in built_in.tools else f"no other server serves {name}"
        if server.name not in self._gone:
            self._gone.add(server.name)
            self._add_warning(f"The tool server {server.name!r} was given up: {gone}; {instead}.")
        if name not in built_in.tools:
            raise server.failure(route.theirs.name, f"cannot be had any more: {gone}") from gone


async def _ended(task: asyncio.Task[None]) -> None:
    """Waits for a task that closes sessions, even when cancelled meanwhile: no process may be left behind."""
    cancelled = False
    # `wait` neither cancels the task nor raises its error; a cancellation of this call is remembered and raised below.
    while not task.done():
        try:
            await asyncio.wait({task})
        except asyncio.CancelledError:
            cancelled = True
    if not task.cancelled() and task.exception() is not None and not cancelled:
        raise task.exception() or RuntimeError
    if cancelled:
        raise asyncio.CancelledError
