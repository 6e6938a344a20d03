"""Adapts a tool to the SDK: checks arguments once, and turns answers and errors into results of the protocol."""

from __future__ import annotations

import errno
import json
import logging
from collections.abc import Awaitable, Callable
from typing import Any

from jsonschema import Draft202012Validator

from ...core.errors import StoreFull, TestwrightError, ToolFailure, ToolInputError
from ...utils.json_bounds import is_within
from ...utils.outgoing_text import valid_json
from ...utils.redact import Redact
from ..sdk import (
    CallToolResult,
    ContentBlock,
    Context,
    FuncMetadata,
    MCPError,
    ResourceLink,
    ServerTool,
    TextContent,
    ToolAnnotations,
    UncheckedArguments,
)
from .tool_spec import CACHED_META, ERROR_META, Json, ToolAnswer, ToolSpec, check_arguments

_LOG = logging.getLogger(__name__)
_SHORTEN = "give less of it, or a smaller file"
_OF_THE_PATH = (errno.ENAMETOOLONG, errno.ELOOP, errno.EINVAL, errno.ENOENT, errno.ENOTDIR, errno.EISDIR)

Invoke = Callable[[Json, Context[Any, Any]], Awaitable[ToolAnswer]]


def as_mcp_tool(
    spec: ToolSpec, invoke: Invoke, *, redact: Redact = lambda value: value, meta: Json | None = None
) -> ServerTool:
    """Builds the SDK's form of a tool, with exactly the schemas it declares.

    Args:
        invoke: does the work; called with checked arguments.
        redact: removes secrets from a JSON value before an error leaves the process.
    """
    validator = Draft202012Validator(spec.input_schema)

    async def call(arguments: Json, context: Context[Any, Any]) -> CallToolResult:
        try:
            return _success(await invoke(check_arguments(spec.name, validator, arguments), context))
        except MCPError:
            raise
        except Exception as error:  # noqa: BLE001 - whatever a caller sends, the answer says what to do
            return _failure(as_typed(error, spec.name), redact)

    # Built directly: the SDK's decorators would derive the schemas from the function's signature.
    return ServerTool(
        fn=call,
        name=spec.name,
        title=spec.title,
        description=spec.description,
        parameters=spec.input_schema,
        fn_metadata=FuncMetadata(arg_model=UncheckedArguments, output_schema=spec.output_schema),
        is_async=True,
        context_kwarg="context",
        icons=None,
        annotations=ToolAnnotations(
            title=spec.title,
            read_only_hint=spec.read_only,
            destructive_hint=spec.destructive,
            idempotent_hint=spec.idempotent,
            open_world_hint=spec.open_world,
        ),
        meta=meta,
    )


def _success(answer: ToolAnswer) -> CallToolResult:
    # Text repeats the data: clients of older protocols read no structured content.
    if not is_within(answer.data):
        raise ToolFailure("the answer is nested too deeply to be sent", advice="ask about a smaller part")
    data = valid_json(answer.data)
    content: list[ContentBlock] = [TextContent(type="text", text=json.dumps(data, ensure_ascii=False))]
    content += [
        ResourceLink(
            type="resource_link", uri=link.uri, name=link.name, description=link.description, mime_type=link.mime_type
        )
        for link in answer.links
    ]
    meta = {CACHED_META: answer.source} if answer.source else None
    return CallToolResult(content=content, structured_content=data, _meta=meta)


def _failure(error: TestwrightError, redact: Redact) -> CallToolResult:
    """An error in words for a model, and typed for a program.

    It has no structured content: clients check that by the schema of the answer, and show nothing of what does not fit.
    """
    details = json.loads(json.dumps(error.details, default=str))
    typed = valid_json(
        redact({"type": type(error).__name__, "message": error.message, "advice": error.advice, "details": details})
    )
    text = typed["message"] + (f"\nWhat to do: {typed['advice']}" if typed["advice"] else "")
    return CallToolResult(content=[TextContent(type="text", text=text)], is_error=True, _meta={ERROR_META: typed})


def as_typed(error: Exception, tool: str) -> TestwrightError:
    """Returns an error of ours as it is, and others typed; defects of ours are logged with their traceback."""
    if isinstance(error, TestwrightError):
        return error
    if isinstance(error, RecursionError):
        return ToolInputError(f"{tool} was given something nested too deeply", advice="give it with fewer levels")
    if isinstance(error, MemoryError):
        return ToolInputError(f"{tool} was given more than fits into memory", advice=_SHORTEN)
    if isinstance(error, OSError):
        reason = error.strerror or type(error).__name__
        if error.errno == errno.ENOSPC:
            return StoreFull(f"{tool} found no space left", advice="make room on the disk, then call again")
        if error.errno in _OF_THE_PATH:
            return ToolInputError(f"{tool} was given a path that cannot be used: {reason}", advice="give another path")
        return ToolFailure(f"{tool} could not read or write a file: {reason}", advice="mend that, then call again")
    # Python refuses to convert whole numbers of thousands of digits.
    if isinstance(error, ValueError) and "integer string conversion" in str(error):
        return ToolInputError(f"{tool} was given a number with too many digits", advice="give a smaller number")
    _LOG.error("the tool %s failed", tool, exc_info=error)
    return ToolFailure(
        f"{tool} failed: a fault of testwright's own ({type(error).__name__})",
        advice="other arguments may work; please report it, the server's log has the traceback",
        details={"defect": True},
    )
