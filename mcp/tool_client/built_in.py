"""The toolbox's tools, through one session with it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from jsonschema import Draft202012Validator
from mcp import Client, MCPError
from mcp.types import REQUEST_TIMEOUT, CallToolResult, Tool

from ...core.errors import ToolFailure, ToolInputError, ToolTimeout
from ...utils.error_formatter import issues_told, schema_issues
from ..toolbox.answers import structured
from ..toolbox.definition import CACHED_META, TIMEOUT_META

DEFAULT_TIMEOUT_SECONDS = 60.0


class BuiltInTools:
    """Our tools by name, as long as the session lives. An in-memory session runs a tool in its caller's task.

    Attributes:
        tools: as the toolbox describes them.
    """

    def __init__(self, client: Client, tools: Mapping[str, Tool], timeouts: Mapping[str, float]) -> None:
        self.tools = dict(tools)
        self._client = client
        self._timeouts = timeouts
        self._validators = {name: Draft202012Validator(tool.input_schema) for name, tool in tools.items()}

    @classmethod
    async def learned(cls, client: Client, timeouts: Mapping[str, float]) -> BuiltInTools:
        """What a toolbox offers.

        Args:
            timeouts: tool name → seconds, where a tool's own limit shall not hold.
        """
        tools: dict[str, Tool] = {}
        cursor: str | None = None
        while True:
            page = await client.list_tools(cursor=cursor)
            tools |= {tool.name: tool for tool in page.tools}
            cursor = page.next_cursor
            if cursor is None:
                return cls(client, tools, timeouts)

    def refuse_misfit(self, name: str, arguments: dict[str, Any]) -> None:
        """Raises ToolInputError: the arguments do not fit. A tool that is not ours takes any."""
        validator = self._validators.get(name)
        issues = schema_issues(validator.iter_errors(arguments)) if validator is not None else []
        if issues:
            raise ToolInputError(
                f"the arguments of {name} do not fit: {issues_told(issues)}",
                advice="; ".join(issue.suggestion for issue in issues if issue.suggestion),
                details={"errors": [issue.to_dict() for issue in issues]},
            )

    async def call(
        self, name: str, arguments: dict[str, Any], seconds: float | None = None
    ) -> tuple[dict[str, Any], str | None]:
        """The structured answer, and whose it is, see `CACHED_META`. Raises as `ToolClient.call`."""
        if name not in self.tools:
            raise ToolFailure(f"{name} is not served any more: its tool server was given up")
        self.refuse_misfit(name, arguments)
        own = (self.tools[name].meta or {}).get(TIMEOUT_META)
        limit = float(own) if isinstance(own, int | float) else DEFAULT_TIMEOUT_SECONDS
        result = await self._send(name, arguments, seconds or self._timeouts.get(name) or limit)
        return structured(name, result), (result.meta or {}).get(CACHED_META)

    async def _send(self, name: str, arguments: dict[str, Any], seconds: float) -> CallToolResult:
        try:
            return await self._client.call_tool(name, arguments, read_timeout_seconds=seconds)
        except MCPError as error:
            if error.code == REQUEST_TIMEOUT:
                raise ToolTimeout(f"{name} did not answer within {seconds:g} s", details={"tool": name}) from error
            raise ToolFailure(f"{name} failed: {error}", details={"tool": name, "code": error.code}) from error
        except (RuntimeError, ValueError) as error:
            raise ToolFailure(f"{name} answered outside its contract: {error}", details={"tool": name}) from error
