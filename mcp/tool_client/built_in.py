"""Calls the tools of the toolbox through one in-memory session."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping

from ...core import errors
from ...core.errors import (
    EnvironmentFault,
    GitHubFailure,
    SandboxFailure,
    StorageError,
    TestwrightError,
    ToolFailure,
    ToolTimeout,
)
from ..sdk import REQUEST_TIMEOUT, CallToolResult, Client, MCPError, Tool, text_of
from ..toolbox.tool_spec import CACHED_META, ERROR_META, TIMEOUT_META, Json

_DEFAULT_TIMEOUT_SECONDS = 60.0
_PRESERVED_ERRORS = (EnvironmentFault, GitHubFailure, StorageError, SandboxFailure, ToolFailure)


class BuiltInTools:
    """Our tools by name, for the lifetime of a session. An in-memory session runs a tool in its caller's task.

    Attributes:
        tools: as the toolbox describes them.
    """

    def __init__(self, client: Client, tools: Mapping[str, Tool]) -> None:
        self.tools = dict(tools)
        self._client = client

    @classmethod
    async def discover(cls, client: Client) -> BuiltInTools:
        """Lists the tools of a toolbox."""
        return cls(client, {tool.name: tool async for tool in list_tools(client)})

    async def call(self, name: str, arguments: Json, seconds: float | None = None) -> tuple[Json, str | None]:
        """Returns the structured answer and its source, see `CACHED_META`. Raises as `ToolClient.call`.

        The toolbox checks the arguments.
        """
        if name not in self.tools:
            raise ToolFailure(f"{name} is not served any more: its tool server was given up")
        # The toolbox declares each tool's time limit in its `_meta`.
        declared = (self.tools[name].meta or {}).get(TIMEOUT_META)
        limit = float(declared) if isinstance(declared, int | float) else _DEFAULT_TIMEOUT_SECONDS
        result = await self._send(name, arguments, seconds or limit)
        if result.is_error:
            raise _as_error(name, result)
        answer = result.structured_content
        if not isinstance(answer, dict):
            text = text_of(result)
            raise ToolFailure(f"{name} gave no structured answer", details={"tool": name, "text": text})
        return answer, (result.meta or {}).get(CACHED_META)

    async def _send(self, name: str, arguments: Json, seconds: float) -> CallToolResult:
        try:
            return await self._client.call_tool(name, arguments, read_timeout_seconds=seconds)
        except MCPError as error:
            if error.code == REQUEST_TIMEOUT:
                raise ToolTimeout(f"{name} did not answer within {seconds:g} s", details={"tool": name}) from error
            raise ToolFailure(f"{name} failed: {error}", details={"tool": name, "code": error.code}) from error
        except (RuntimeError, ValueError) as error:
            # The SDK's client raises these when an answer does not fit the tool's output schema.
            raise ToolFailure(f"{name} answered outside its contract: {error}", details={"tool": name}) from error


async def list_tools(client: Client) -> AsyncIterator[Tool]:
    """Yields all tools of a server, page by page."""
    cursor: str | None = None
    while True:
        page = await client.list_tools(cursor=cursor)
        for tool in page.tools:
            yield tool
        cursor = page.next_cursor
        if cursor is None:
            return


def _as_error(tool: str, result: CallToolResult) -> TestwrightError:
    """Rebuilds the error a tool raised; kinds that are not for callers of tools become ToolFailure."""
    sent = (result.meta or {}).get(ERROR_META)
    if not isinstance(sent, dict):
        return ToolFailure(f"{tool} failed: {text_of(result)}", details={"tool": tool})
    # The error's type travels by name; a name that is no error of ours falls back to ToolFailure.
    kind = getattr(errors, str(sent.get("type")), ToolFailure)
    details = {**sent.get("details", {}), "tool": tool, "error_type": sent.get("type")}
    is_preserved = isinstance(kind, type) and issubclass(kind, _PRESERVED_ERRORS)
    return (kind if is_preserved else ToolFailure)(sent["message"], advice=sent.get("advice", ""), details=details)
