"""The client that speaks to tool servers of others, as the conformance suite starts it: with the URL as last argument.

It opens a session as a run does, calls every tool it is told to call, or each that is offered, and ends the session.
"""

from __future__ import annotations

import asyncio
import json
import os
import sys
from contextlib import suppress
from typing import Any

from mcp.types import Tool

from testwright.mcp.tool_client.external.connection import CallRefused, Connection
from testwright.mcp.tool_client.external.server import http_streams

_SECONDS = 25.0
_VALUES = {"string": "text", "number": 2, "integer": 2, "boolean": True, "array": [], "object": {}}


async def speak(url: str, told: list[dict[str, Any]]) -> None:
    """One session.

    Args:
        told: tools to call, `name` and `arguments`; without any, each tool with arguments that its schema asks for.
    """
    connection = Connection(
        lambda diagnostics: http_streams(url, {}, diagnostics, seconds=_SECONDS, max_bytes=1_000_000), _SECONDS
    )
    await connection.open()
    try:
        tools = list(connection.tools.values())
        for call in told or [{"name": tool.name, "arguments": _arguments(tool, tools)} for tool in tools]:
            # A refused call is one tool's failure, as in a run; the suite judges what was sent.
            with suppress(CallRefused):
                await connection.call(call["name"], call["arguments"], _SECONDS)
    finally:
        await connection.close()


def _arguments(tool: Tool, offered: list[Tool]) -> dict[str, Any]:
    properties = tool.input_schema.get("properties", {})
    required = tool.input_schema.get("required", [])
    arguments = {name: _VALUES[properties.get(name, {}).get("type", "string")] for name in required}
    if tool.name == "json_schema_echo":
        arguments["schema"] = offered[0].input_schema
    return arguments


if __name__ == "__main__":
    context = json.loads(os.environ.get("MCP_CONFORMANCE_CONTEXT", "{}"))
    asyncio.run(speak(sys.argv[-1], context.get("toolCalls", [])))
