"""The tools, prompts and resources that the conformance suite calls by name, in its own words."""

from __future__ import annotations

import base64
import json
from typing import Annotated, Any

from mcp.server.mcpserver import Context
from mcp.server.mcpserver.exceptions import ToolError
from mcp.server.mcpserver.prompts import Prompt
from mcp.server.mcpserver.prompts.base import UserMessage
from mcp.server.mcpserver.resources import Resource
from mcp.server.mcpserver.resources.types import BinaryResource, TextResource
from mcp.server.mcpserver.tools import Tool
from mcp.types import (
    AudioContent,
    CallToolResult,
    EmbeddedResource,
    ImageContent,
    SamplingMessage,
    TextContent,
    TextResourceContents,
)
from pydantic import AnyUrl, Field

from testwright.mcp.sdk import ResourceTemplateSpec

PIXEL = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg=="
)
SOUND = b"RIFF$\0\0\0WAVEfmt \x10\0\0\0\x01\0\x01\0\x40\x1f\0\0\x80\x3e\0\0\x02\0\x10\0data\0\0\0\0"
DATA_PATH_HEADER = "Region"
DIALECT_TOOL = "json_schema_2020_12_tool"
DIALECT_SCHEMA: dict[str, Any] = {
    "$schema": "https://json-schema.org/draft/2020-12/schema",
    "type": "object",
    "$defs": {
        "address": {
            "$anchor": "addressDef",
            "type": "object",
            "properties": {"street": {"type": "string"}, "city": {"type": "string"}},
        }
    },
    "properties": {
        "name": {"type": "string"},
        "address": {"$ref": "#/$defs/address"},
        "contactMethod": {"type": "string", "enum": ["phone", "email"]},
        "phone": {"type": "string"},
        "email": {"type": "string"},
    },
    "allOf": [{"anyOf": [{"required": ["phone"]}, {"required": ["email"]}]}],
    "if": {"properties": {"contactMethod": {"const": "phone"}}, "required": ["contactMethod"]},
    "then": {"required": ["phone"]},
    "else": {"required": ["email"]},
    "additionalProperties": False,
}


def fixture_tools() -> list[Tool]:
    """Tools that answer with every kind of content, and those that ask the client back."""
    plain = [
        _tool("test_simple_text", _simple_text),
        _tool("test_image_content", _image),
        _tool("test_audio_content", _audio),
        _tool("test_embedded_resource", _embedded),
        _tool("test_multiple_content_types", _mixed),
        _tool("test_error_handling", _error),
        _tool("test_tool_with_logging", _logging),
        _tool("test_tool_with_progress", _progress),
        _tool("test_sampling", _sampling),
        _tool("test_elicitation", _elicitation),
        _tool("test_elicitation_sep1034_defaults", _elicitation_defaults),
        _tool("test_elicitation_sep1330_enums", _elicitation_enums),
        _tool("test_mirrored_header", _mirrored),
        _tool("test_reconnection", _reconnection),
    ]
    return [*plain, _tool(DIALECT_TOOL, _simple_text).model_copy(update={"parameters": DIALECT_SCHEMA})]


def fixture_prompts() -> list[Prompt]:
    """The four prompts."""
    return [
        _prompt("test_simple_prompt", lambda: [UserMessage("This is a simple prompt for testing.")]),
        _prompt("test_prompt_with_arguments", _prompt_with_arguments),
        _prompt("test_prompt_with_embedded_resource", _prompt_with_resource),
        _prompt(
            "test_prompt_with_image",
            lambda: [UserMessage(_pixel()), UserMessage("Please analyze the image above.")],
        ),
    ]


def fixture_resources() -> list[Resource]:
    """A text, some bytes, and one to watch."""
    text = "This is the content of the static text resource."
    told = "for the conformance suite"
    return [
        TextResource(uri="test://static-text", name="text", description=told, mime_type="text/plain", text=text),
        BinaryResource(uri="test://static-binary", name="binary", description=told, mime_type="image/png", data=PIXEL),
        TextResource(uri="test://watched-resource", name="watched", description=told, text="watched"),
    ]


def fixture_templates() -> list[ResourceTemplateSpec]:
    """The one template."""
    return [
        ResourceTemplateSpec(
            uri="test://template/{id}/data",
            read=_templated,
            name="template",
            description="for the conformance suite",
            mime_type="application/json",
        )
    ]


def _tool(name: str, function: Any) -> Tool:
    return Tool.from_function(function, name=name, description="for the conformance suite", structured_output=False)


def _prompt(name: str, function: Any) -> Prompt:
    return Prompt.from_function(function, name=name, description="for the conformance suite")


def _simple_text() -> str:
    return "This is a simple text response for testing."


def _pixel() -> ImageContent:
    return ImageContent(type="image", data=base64.b64encode(PIXEL).decode(), mime_type="image/png")


def _image() -> CallToolResult:
    return CallToolResult(content=[_pixel()])


def _audio() -> CallToolResult:
    data = base64.b64encode(SOUND).decode()
    return CallToolResult(content=[AudioContent(type="audio", data=data, mime_type="audio/wav")])


def _resource(uri: str, text: str, mime_type: str = "text/plain") -> EmbeddedResource:
    return EmbeddedResource(type="resource", resource=TextResourceContents(uri=uri, mime_type=mime_type, text=text))


def _embedded() -> CallToolResult:
    return CallToolResult(content=[_resource("test://embedded-resource", "This is an embedded resource content.")])


def _mixed() -> CallToolResult:
    data = json.dumps({"test": "data", "value": 123})
    return CallToolResult(
        content=[
            TextContent(type="text", text="Multiple content types test:"),
            _pixel(),
            _resource("test://mixed-content-resource", data, "application/json"),
        ]
    )


def _error() -> str:
    raise ToolError("This tool intentionally returns an error for testing")


async def _logging(ctx: Context[Any, Any]) -> str:
    for text in ("Tool execution started", "Tool processing data", "Tool execution completed"):
        await ctx.session.send_log_message("info", text, related_request_id=ctx.request_id)
    return "logged"


async def _progress(ctx: Context[Any, Any]) -> str:
    for done in (0, 50, 100):
        await ctx.report_progress(done, 100)
    return "done"


async def _sampling(prompt: str, ctx: Context[Any, Any]) -> str:
    asked = SamplingMessage(role="user", content=TextContent(type="text", text=prompt))
    answer = await ctx.session.create_message([asked], max_tokens=100, related_request_id=ctx.request_id)
    return f"LLM response: {answer.content}"


async def _elicited(ctx: Context[Any, Any], message: str, properties: dict[str, Any], required: list[str]) -> str:
    schema = {"type": "object", "properties": properties, "required": required}
    answer = await ctx.session.elicit_form(message, schema, related_request_id=ctx.request_id)
    return f"action={answer.action}, content={json.dumps(answer.content)}"


async def _elicitation(message: str, ctx: Context[Any, Any]) -> str:
    properties = {
        "username": {"type": "string", "description": "User's response"},
        "email": {"type": "string", "description": "User's email address"},
    }
    return "User response: " + await _elicited(ctx, message, properties, ["username", "email"])


async def _elicitation_defaults(ctx: Context[Any, Any]) -> str:
    properties = {
        "name": {"type": "string", "default": "John Doe"},
        "age": {"type": "integer", "default": 30},
        "score": {"type": "number", "default": 95.5},
        "status": {"type": "string", "enum": ["active", "inactive", "pending"], "default": "active"},
        "verified": {"type": "boolean", "default": True},
    }
    return "Elicitation completed: " + await _elicited(ctx, "Please fill in", properties, [])


async def _elicitation_enums(ctx: Context[Any, Any]) -> str:
    options = ["option1", "option2", "option3"]
    titled = [{"const": f"value{n}", "title": title} for n, title in enumerate(["First", "Second", "Third"], 1)]
    properties = {
        "untitledSingle": {"type": "string", "enum": options},
        "titledSingle": {"type": "string", "oneOf": titled},
        "legacyEnum": {
            "type": "string",
            "enum": ["opt1", "opt2", "opt3"],
            "enumNames": ["Option One", "Option Two", "Option Three"],
        },
        "untitledMulti": {"type": "array", "items": {"type": "string", "enum": options}},
        "titledMulti": {"type": "array", "items": {"anyOf": titled}},
    }
    return "Elicitation completed: " + await _elicited(ctx, "Please choose", properties, [])


async def _reconnection(ctx: Context[Any, Any]) -> str:
    await ctx.close_sse_stream()
    return "answered after the client has come back"


def _mirrored(region: Annotated[str, Field(json_schema_extra={"x-mcp-header": DATA_PATH_HEADER})]) -> str:
    return f"region {region}"


def _prompt_with_arguments(arg1: str, arg2: str) -> list[UserMessage]:
    return [UserMessage(f"Prompt with arguments: arg1='{arg1}', arg2='{arg2}'")]


def _prompt_with_resource(resourceUri: str) -> list[UserMessage]:  # noqa: N803 - the suite's name
    embedded = _resource(str(AnyUrl(resourceUri)), "Embedded resource content for testing.")
    return [UserMessage(embedded), UserMessage("Please process the embedded resource above.")]


def _templated(id: str) -> str:  # noqa: A002 - the suite's name
    return json.dumps({"id": id, "templateTest": True, "data": f"Data for ID: {id}"})
