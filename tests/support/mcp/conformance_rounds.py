"""Fixtures for the 2026-07-28 protocol, where an answer requests input that the next call sends."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from mcp.server.mcpserver import Context
from mcp.server.mcpserver.prompts import Prompt
from mcp.server.mcpserver.prompts.base import UserMessage
from mcp.server.mcpserver.tools import Tool
from mcp.shared.exceptions import MCPError
from mcp.types import (
    MISSING_REQUIRED_CLIENT_CAPABILITY,
    CreateMessageRequest,
    CreateMessageRequestParams,
    ElicitRequest,
    ElicitRequestFormParams,
    ElicitResult,
    InputRequiredResult,
    ListRootsRequest,
    SamplingMessage,
    TextContent,
)

_Asked = Mapping[str, Any]


def round_tools() -> list[Tool]:
    """One tool for each way of asking."""
    named = {
        "elicitation": _elicitation,
        "sampling": _sampling,
        "list_roots": _roots,
        "request_state": _state,
        "multiple_inputs": _multiple,
        "multi_round": _multi_round,
        "tampered_state": _state,
        "capabilities": _capabilities,
    }
    return [
        Tool.from_function(
            function,
            name=f"test_input_required_result_{name}",
            description="for the conformance suite",
            structured_output=False,
        )
        for name, function in named.items()
    ]


def diagnostic_tools() -> list[Tool]:
    """A tool that needs a capability, one that asks in mid-call, one that logs."""
    named = {
        "test_missing_capability": _needs_sampling,
        "test_streaming_elicitation": _elicitation,
        "test_logging_tool": _logs,
    }
    return [
        Tool.from_function(function, name=name, description="for the conformance suite", structured_output=False)
        for name, function in named.items()
    ]


def round_prompts() -> list[Prompt]:
    """The prompt that asks."""
    name = "test_input_required_result_prompt"
    return [Prompt.from_function(_prompt, name=name, description="for the conformance suite")]


def _form(message: str, **properties: str) -> ElicitRequest:
    schema = {
        "type": "object",
        "properties": {name: {"type": kind} for name, kind in properties.items()},
        "required": list(properties),
    }
    return ElicitRequest(params=ElicitRequestFormParams(message=message, requested_schema=schema))


def _question(text: str, max_tokens: int) -> CreateMessageRequest:
    asked = SamplingMessage(role="user", content=TextContent(type="text", text=text))
    return CreateMessageRequest(params=CreateMessageRequestParams(messages=[asked], max_tokens=max_tokens))


def _answers(ctx: Context[Any, Any], asked: _Asked, state: str | None = None) -> Any:
    """The answers to everything asked, or the result that asks."""
    given = ctx.input_responses or {}
    if all(name in given for name in asked):
        return given
    return InputRequiredResult(input_requests=dict(asked), request_state=state)


def _accepted(answer: Any, name: str) -> Any:
    return (answer.content or {}).get(name) if isinstance(answer, ElicitResult) else None


async def _elicitation(ctx: Context[Any, Any]) -> str | InputRequiredResult:
    given = _answers(ctx, {"user_name": _form("What is your name?", name="string")})
    return given if isinstance(given, InputRequiredResult) else f"Hello, {_accepted(given['user_name'], 'name')}!"


async def _sampling(ctx: Context[Any, Any]) -> str | InputRequiredResult:
    given = _answers(ctx, {"capital_question": _question("What is the capital of France?", 100)})
    return given if isinstance(given, InputRequiredResult) else f"The model said {given['capital_question'].content}"


async def _roots(ctx: Context[Any, Any]) -> str | InputRequiredResult:
    given = _answers(ctx, {"client_roots": ListRootsRequest()})
    if isinstance(given, InputRequiredResult):
        return given
    return "roots: " + ", ".join(str(root.uri) for root in given["client_roots"].roots)


async def _state(ctx: Context[Any, Any]) -> str | InputRequiredResult:
    given = _answers(ctx, {"confirm": _form("Please confirm", ok="boolean")}, state="asked")
    if isinstance(given, InputRequiredResult):
        return given
    return "state-ok" if ctx.request_state == "asked" else "state-lost"


async def _multiple(ctx: Context[Any, Any]) -> str | InputRequiredResult:
    asked = {
        "user_name": _form("What is your name?", name="string"),
        "greeting": _question("Generate a greeting", 50),
        "client_roots": ListRootsRequest(),
    }
    given = _answers(ctx, asked, state="asked")
    return given if isinstance(given, InputRequiredResult) else "all three are there"


async def _multi_round(ctx: Context[Any, Any]) -> str | InputRequiredResult:
    first: dict[str, Any] = {"step1": _form("Step 1: What is your name?", name="string")}
    second: dict[str, Any] = {"step2": _form("Step 2: What is your favorite color?", color="string")}
    if ctx.request_state is None:
        return InputRequiredResult(input_requests=first, request_state="first")
    given = _answers(ctx, first if ctx.request_state == "first" else second, state=ctx.request_state)
    if isinstance(given, InputRequiredResult):
        return given
    if ctx.request_state == "first":
        return InputRequiredResult(input_requests=second, request_state="second")
    return f"color {_accepted(given['step2'], 'color')}"


async def _capabilities(ctx: Context[Any, Any]) -> str | InputRequiredResult:
    """Asks only for what the client says it can do."""
    can = ctx.client_capabilities
    asked: dict[str, Any] = {}
    if can is not None and can.elicitation is not None:
        asked["user_name"] = _form("What is your name?", name="string")
    if can is not None and can.sampling is not None:
        asked["greeting"] = _question("Generate a greeting", 50)
    if can is not None and can.roots is not None:
        asked["client_roots"] = ListRootsRequest()
    given = _answers(ctx, asked)
    return given if isinstance(given, InputRequiredResult) else "nothing more to ask"


async def _needs_sampling(ctx: Context[Any, Any]) -> str | InputRequiredResult:
    if ctx.client_capabilities is None or ctx.client_capabilities.sampling is None:
        required = {"requiredCapabilities": {"sampling": {}}}
        raise MCPError(code=MISSING_REQUIRED_CLIENT_CAPABILITY, message="this tool needs sampling", data=required)
    return await _sampling(ctx)


async def _logs(ctx: Context[Any, Any]) -> str:
    await ctx.session.send_log_message("info", "working", related_request_id=ctx.request_id)
    return "logged"


async def _prompt(ctx: Context[Any, Any]) -> list[UserMessage] | InputRequiredResult:
    given = _answers(ctx, {"user_context": _form("What context should the prompt use?", context="string")})
    if isinstance(given, InputRequiredResult):
        return given
    return [UserMessage(f"In the context of {_accepted(given['user_context'], 'context')}")]
