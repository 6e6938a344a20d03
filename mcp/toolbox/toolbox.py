"""The built-in tools as an MCP server, reached in memory (T-12)."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, Sequence
from typing import Any

from jsonschema import Draft202012Validator
from mcp.server import MCPServer
from mcp.server.mcpserver.tools import Tool
from mcp.server.mcpserver.utilities.func_metadata import FuncMetadata
from mcp.types import CallToolResult, TextContent, ToolAnnotations

from ...core.errors import TestwrightError, ToolInputError
from ...utils.error_formatter import issues_told, schema_issues
from ..sdk import AnyArguments, root_logger_kept
from ..tools import built_in_tools
from .cached_tool import RememberedTool, Source
from .definition import CACHED_META, TIMEOUT_META, ToolDefinition, defaults_of
from .services import ToolServices

SERVER_NAME = "testwright-tools"


def build_toolbox(services: ToolServices, tools: Sequence[ToolDefinition] | None = None) -> MCPServer:
    """The tools as a server; nothing listens, a client connects to the object itself.

    Args:
        tools: the tools to offer; all built-in ones without it.
    """
    offered = [as_mcp_tool(tool, services) for tool in (built_in_tools() if tools is None else tools)]
    with root_logger_kept():
        return MCPServer(SERVER_NAME, tools=offered)


def as_mcp_tool(definition: ToolDefinition, services: ToolServices) -> Tool:
    """One tool for an MCP server, with exactly the schemas it declares."""
    return Tool(
        fn=_caller(definition, services),
        name=definition.name,
        title=None,
        context_kwarg=None,
        icons=None,
        description=definition.description,
        parameters=definition.input_schema,
        fn_metadata=FuncMetadata(arg_model=AnyArguments, output_schema=definition.output_schema),
        is_async=True,
        annotations=ToolAnnotations(
            read_only_hint=definition.read_only,
            destructive_hint=False,
            idempotent_hint=definition.idempotent,
            open_world_hint=False,
        ),
        meta={TIMEOUT_META: definition.timeout_seconds},
    )


def _caller(
    definition: ToolDefinition, services: ToolServices
) -> Callable[[dict[str, Any]], Awaitable[CallToolResult]]:
    validator = Draft202012Validator(definition.input_schema)
    remembered = RememberedTool(definition, services)

    async def call(arguments: dict[str, Any]) -> CallToolResult:
        try:
            result, source = await remembered.run(_checked(validator, definition, arguments))
            return _answer(result, source)
        except TestwrightError as error:
            return _failure(error)

    return call


def _checked(validator: Draft202012Validator, definition: ToolDefinition, arguments: dict[str, Any]) -> dict[str, Any]:
    complete = defaults_of(definition.input_schema) | arguments
    issues = schema_issues(validator.iter_errors(complete))
    if issues:
        raise ToolInputError(
            f"the arguments of {definition.name} do not fit: {issues_told(issues)}",
            advice="; ".join(issue.suggestion for issue in issues if issue.suggestion),
        )
    return complete


def _answer(result: dict[str, Any], source: Source) -> CallToolResult:
    return CallToolResult(
        content=[TextContent(type="text", text=json.dumps(result, ensure_ascii=False))],
        structured_content=result,
        _meta={CACHED_META: source} if source else None,
    )


def _failure(error: TestwrightError) -> CallToolResult:
    told = {
        "type": type(error).__name__,
        "message": error.message,
        "advice": error.advice,
        "details": error.details,
    }
    text = error.message + (f" ({error.advice})" if error.advice else "")
    return CallToolResult(
        content=[TextContent(type="text", text=text)], structured_content={"error": told}, is_error=True
    )
