"""One way to call a tool, wherever it lives: in this process, behind a command, or behind a URL (T-12).

Sessions are opened and closed by one task, because their cancel scopes must end where they began. Calls are made from
the caller's task and may run at the same time: an in-memory session runs the tool in that task, a remote one matches
answers to requests by id.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Mapping, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass, replace
from typing import Any, Literal

from jsonschema import Draft202012Validator
from mcp import Client, MCPError, StdioServerParameters
from mcp.server import MCPServer
from mcp.types import CONNECTION_CLOSED, REQUEST_TIMEOUT, CallToolResult, TextContent, Tool

from .. import errors
from ..errors import EnvironmentFault, SandboxFailure, StorageError, ToolFailure, ToolInputError, ToolTimeout
from ..utils.error_formatter import schema_issues
from .definition import CACHED_META, TIMEOUT_META

Connection = MCPServer | StdioServerParameters | str
BUILT_IN = "built-in"
DEFAULT_TIMEOUT_SECONDS = 60.0
_OWN_ERRORS = (EnvironmentFault, StorageError, SandboxFailure)


@dataclass(frozen=True, slots=True)
class ToolCall:
    """One call as the report tells it; `seconds` is wall time."""

    tool: str
    served_by: str
    seconds: float
    outcome: Literal["ok", "failed", "refused", "timed_out"]
    cached: bool = False


@dataclass(frozen=True, slots=True)
class _Route:
    """Where a tool lives; `trusted` servers are ours, and may raise our errors."""

    tool: Tool
    client: Client
    served_by: str
    trusted: bool
    validator: Draft202012Validator

    @property
    def timeout_seconds(self) -> float:
        given = (self.tool.meta or {}).get(TIMEOUT_META)
        return float(given) if self.trusted and isinstance(given, int | float) else DEFAULT_TIMEOUT_SECONDS


class ToolClient:
    """Calls tools by name. Use it as an async context manager, in one event loop.

    Args:
        connections: a toolbox, or connections by name, in order of precedence: the first that offers a tool serves it.
            A connection is an `MCPServer` (in memory), `StdioServerParameters` (a command) or a URL.
        routes: tool name → connection name, for tools that another connection than the first shall serve.
        timeouts: tool name → seconds, where the tool's own time limit shall not hold.

    Raises (on entering):
        EnvironmentFault: a server cannot be reached, or does not offer what `routes` says.
    """

    def __init__(
        self,
        connections: MCPServer | Mapping[str, Connection],
        *,
        routes: Mapping[str, str] | None = None,
        timeouts: Mapping[str, float] | None = None,
    ) -> None:
        self._connections = dict(connections) if isinstance(connections, Mapping) else {BUILT_IN: connections}
        self._wanted = dict(routes or {})
        self._timeouts = dict(timeouts or {})
        self._routes: dict[str, _Route] = {}
        self._calls: list[ToolCall] = []
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
            await asyncio.wait({self._owner})
            raise
        if not opened.done() or opened.exception() is not None:
            await self._owner
        opened.result()
        return self

    async def __aexit__(self, *_: object) -> None:
        self._closing.set()
        self._routes.clear()
        if self._owner is not None:
            await self._owner

    async def _own(self, opened: asyncio.Future[None]) -> None:
        """Opens the sessions, waits, closes them; a fault is told to `opened`, for the sessions would wrap it."""
        async with AsyncExitStack() as stack:
            try:
                await self._open(stack)
            except EnvironmentFault as fault:
                opened.set_exception(fault)
                return
            opened.set_result(None)
            await self._closing.wait()

    async def _open(self, stack: AsyncExitStack) -> None:
        for name, connection in self._connections.items():
            try:
                client = await stack.enter_async_context(Client(connection))
                await self._learn(name, client, trusted=isinstance(connection, MCPServer))
            except (MCPError, OSError, RuntimeError, ValueError, ExceptionGroup) as error:
                raise EnvironmentFault(
                    f"the tool server {name!r} cannot be used: {_innermost(error)}",
                    advice="check its entry in the configuration, and that it starts by itself",
                ) from error
        self._check_routes()

    async def _learn(self, name: str, client: Client, *, trusted: bool) -> None:
        cursor: str | None = None
        while True:
            page = await client.list_tools(cursor=cursor)
            for tool in page.tools:
                if self._wanted.get(tool.name, name) != name or tool.name in self._routes:
                    continue
                validator = Draft202012Validator(tool.input_schema)
                self._routes[tool.name] = _Route(tool, client, name, trusted, validator)
            cursor = page.next_cursor
            if cursor is None:
                return

    def _check_routes(self) -> None:
        for tool, name in self._wanted.items():
            if tool not in self._routes:
                raise EnvironmentFault(
                    f"the tool server {name!r} does not offer {tool!r}",
                    advice="remove the tool from its entry in the configuration",
                )

    def tools(self) -> dict[str, Tool]:
        """The tools that can be called, by name."""
        return {name: route.tool for name, route in sorted(self._routes.items())}

    def calls(self) -> tuple[ToolCall, ...]:
        """Every call so far, in the order in which they ended."""
        return tuple(self._calls)

    async def call(
        self, name: str, arguments: Mapping[str, Any], *, timeout_seconds: float | None = None
    ) -> dict[str, Any]:
        """Call a tool and return its structured answer.

        Args:
            timeout_seconds: how long to wait; the tool's own limit without it.

        Raises:
            ToolInputError: the arguments do not fit the tool's input schema.
            ToolTimeout: no answer in time; a built-in tool is cancelled.
            ToolFailure: the tool answered with an error, outside its output schema, or is not there.
            EnvironmentFault, StorageError, SandboxFailure: a built-in tool met one, as if called directly.
        """
        route = self._route(name)
        given = dict(arguments)
        record = ToolCall(name, route.served_by, 0.0, "failed")
        started = time.monotonic()
        try:
            self._refuse_misfit(route, given)
            result = await self._send(
                route, given, timeout_seconds or self._timeouts.get(name) or route.timeout_seconds
            )
            answer = _structured(route, result)
            record = replace(record, outcome="ok", cached=route.trusted and bool((result.meta or {}).get(CACHED_META)))
            return answer
        except ToolInputError:
            record = replace(record, outcome="refused")
            raise
        except ToolTimeout:
            record = replace(record, outcome="timed_out")
            raise
        finally:
            self._calls.append(replace(record, seconds=time.monotonic() - started))

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

    def _route(self, name: str) -> _Route:
        if self._owner is None or self._closing.is_set():
            raise ToolFailure(f"the tool {name!r} was called outside the client's context")
        route = self._routes.get(name)
        if route is None:
            raise ToolFailure(f"there is no tool {name!r}", advice=f"known tools: {', '.join(sorted(self._routes))}")
        return route

    def _refuse_misfit(self, route: _Route, arguments: dict[str, Any]) -> None:
        issues = schema_issues(route.validator.iter_errors(arguments))
        if issues:
            told = "; ".join(f"{issue.path}: {issue.message}" for issue in issues)
            raise ToolInputError(
                f"the arguments of {route.tool.name} do not fit: {told}",
                advice="; ".join(issue.suggestion for issue in issues if issue.suggestion),
                details={"errors": [issue.to_dict() for issue in issues]},
            )

    async def _send(self, route: _Route, arguments: dict[str, Any], seconds: float) -> CallToolResult:
        name = route.tool.name
        try:
            return await route.client.call_tool(name, arguments, read_timeout_seconds=seconds)
        except MCPError as error:
            if error.code == REQUEST_TIMEOUT:
                raise ToolTimeout(f"{name} did not answer within {seconds:g} s", details={"tool": name}) from error
            what = "its connection has closed" if error.code == CONNECTION_CLOSED else str(error)
            passing = error.code == CONNECTION_CLOSED and not route.trusted
            details: dict[str, object] = {"tool": name, "code": error.code, "transient": passing}
            raise ToolFailure(f"{name} failed: {what}", details=details) from error
        except (RuntimeError, ValueError) as error:
            raise ToolFailure(
                f"{name} answered outside its contract: {error}",
                advice=f"the server {route.served_by!r} does not keep what it declares",
                details={"tool": name},
            ) from error


def _structured(route: _Route, result: CallToolResult) -> dict[str, Any]:
    if result.is_error:
        raise _told_error(route, result)
    answer = result.structured_content
    if isinstance(answer, dict):
        return answer
    raise ToolFailure(
        f"{route.tool.name} gave no structured answer", details={"tool": route.tool.name, "text": _text(result)}
    )


def _told_error(route: _Route, result: CallToolResult) -> errors.TestwrightError:
    told = result.structured_content.get("error") if isinstance(result.structured_content, dict) else None
    name = route.tool.name
    if not (route.trusted and isinstance(told, dict)):
        return ToolFailure(f"{name} failed: {_text(result)}", details={"tool": name})
    kind = getattr(errors, str(told.get("type")), ToolFailure)
    details = {**told.get("details", {}), "tool": name, "error_type": told.get("type")}
    known = isinstance(kind, type) and issubclass(kind, (*_OWN_ERRORS, ToolFailure))
    return (kind if known else ToolFailure)(told["message"], advice=told.get("advice", ""), details=details)


def _text(result: CallToolResult) -> str:
    return "\n".join(block.text for block in result.content if isinstance(block, TextContent))


def _innermost(error: BaseException) -> str:
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    return str(error) or type(error).__name__
