"""Offers the tools for graphs as an MCP server, which `ToolClient` reaches in memory."""

from __future__ import annotations

from collections.abc import Sequence

from ...core.version import VERSION
from ..sdk import MCPServer, ServerTool, new_server
from .cached_tool import CachedTool
from .registry import tools_for
from .services import ToolServices
from .tool_adapter import as_mcp_tool
from .tool_spec import TIMEOUT_META, Json, ToolAnswer, ToolSpec

SERVER_NAME = "testwright-tools"


def build_toolbox(services: ToolServices, tools: Sequence[ToolSpec] | None = None) -> MCPServer:
    """Builds the server; nothing listens, a client connects to the object itself.

    Args:
        tools: the tools to offer; by default all for graphs, by name.
    """
    specs = sorted(tools_for("graphs"), key=lambda spec: spec.name) if tools is None else tools
    return new_server(SERVER_NAME, version=VERSION, tools=[_adapted(spec, services) for spec in specs])


def _adapted(spec: ToolSpec, services: ToolServices) -> ServerTool:
    cached = CachedTool(spec, services)

    async def invoke(arguments: Json, _: object) -> ToolAnswer:
        result, source = await cached.run(arguments)
        return ToolAnswer(result, source=source)

    return as_mcp_tool(spec, invoke, meta={TIMEOUT_META: spec.timeout_seconds})
