"""An offered tool as the SDK knows tools: schemas exactly as declared, errors that say how to call again."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable
from typing import Any

from jsonschema import Draft202012Validator
from mcp.server.mcpserver import Context
from mcp.server.mcpserver.tools import Tool
from mcp.server.mcpserver.utilities.func_metadata import FuncMetadata
from mcp.types import CallToolResult, ContentBlock, ResourceLink, TextContent, ToolAnnotations

from ...core.errors import TestwrightError, ToolInputError
from ...utils.error_formatter import issues_told, schema_issues
from ...utils.redact import Redact
from ..sdk import AnyArguments
from ..toolbox.definition import CACHED_META, defaults_of
from .backend import Json
from .sessions import session_of
from .tool_definition import Answer, Call, Desk, ServedTool


def as_mcp_tool(tool: ServedTool, desk: Desk, redact: Redact) -> Tool:
    """One tool for an MCP server.

    Args:
        redact: takes secrets out of a JSON value, before an error leaves the process.
    """
    return Tool(
        fn=_caller(tool, desk, redact),
        name=tool.name,
        title=tool.title,
        context_kwarg="context",
        icons=None,
        description=tool.description,
        parameters=tool.input_schema,
        fn_metadata=FuncMetadata(arg_model=AnyArguments, output_schema=tool.output_schema),
        is_async=True,
        annotations=ToolAnnotations(
            title=tool.title,
            read_only_hint=tool.read_only,
            destructive_hint=tool.destructive,
            idempotent_hint=tool.idempotent,
            open_world_hint=tool.open_world,
        ),
    )


def _caller(tool: ServedTool, desk: Desk, redact: Redact) -> Callable[..., Awaitable[CallToolResult]]:
    validator = Draft202012Validator(tool.input_schema)

    async def call(arguments: Json, context: Context[Any, Any]) -> CallToolResult:
        try:
            complete = _checked(validator, tool, arguments)
            caller = Call(session_of(context.request_context), context.report_progress)
            return _answered(await tool.serve(desk, caller, **complete))
        except TestwrightError as error:
            return failure(error, redact)

    return call


def _checked(validator: Draft202012Validator, tool: ServedTool, arguments: Json) -> Json:
    properties: Json = tool.input_schema.get("properties", {})
    complete = defaults_of(tool.input_schema) | arguments
    issues = schema_issues(validator.iter_errors(complete))
    if issues:
        takes = ", ".join(
            f"{name}{'' if name in tool.input_schema.get('required', ()) else '?'}" for name in properties
        )
        raise ToolInputError(
            f"the arguments of {tool.name} do not fit: {issues_told(issues)}",
            advice="; ".join([*(one.suggestion for one in issues if one.suggestion), f"it takes {tool.name}({takes})"]),
            details={"errors": [issue.to_dict() for issue in issues]},
        )
    return {name: value for name, value in complete.items() if name in properties}


def _answered(answer: Answer) -> CallToolResult:
    content: list[ContentBlock] = [TextContent(type="text", text=json.dumps(answer.data, ensure_ascii=False))]
    content += [
        ResourceLink(
            type="resource_link", uri=one.uri, name=one.name, description=one.description, mime_type=one.mime_type
        )
        for one in answer.links
    ]
    return CallToolResult(
        content=content, structured_content=answer.data, _meta={CACHED_META: "memory"} if answer.cached else None
    )


def failure(error: TestwrightError, redact: Redact) -> CallToolResult:
    """An error as the caller reads it: in words, and typed."""
    told = redact(
        {
            "type": type(error).__name__,
            "message": error.message,
            "advice": error.advice,
            "details": json.loads(json.dumps(error.details, default=str)),
        }
    )
    text = told["message"] + (f"\nWhat to do: {told['advice']}" if told["advice"] else "")
    return CallToolResult(
        content=[TextContent(type="text", text=text)], structured_content={"error": told}, is_error=True
    )
