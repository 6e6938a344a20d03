"""Offers the tools for graphs as an MCP server, which `ToolClient` reaches in memory."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from jsonschema import Draft202012Validator

from ...core.errors import TestwrightError
from ...core.version import VERSION
from ...utils.own_source import own_digest
from ..sdk import MCPServer, ServerTool, new_server
from .content_cache import Source, content_key
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


class CachedTool:
    """Runs a tool, or returns a cached answer; equal calls at the same time share one computation.

    Only tools with a `cache_key` are cached, and only their answers, never their failures.
    """

    def __init__(self, spec: ToolSpec, services: ToolServices) -> None:
        self._spec = spec
        self._services = services
        self._fits = Draft202012Validator(spec.output_schema).is_valid

    async def run(self, arguments: Json) -> tuple[Json, Source]:
        """Returns the answer and its source.

        Args:
            arguments: checked, with all defaults.
        """
        spec, services = self._spec, self._services
        content = None
        if spec.cache_key is not None:
            content = await asyncio.to_thread(spec.cache_key, services, arguments)
        if content is None:
            return await spec.call(services, arguments), ""
        key = f"{spec.name}:{content}"
        return await services.cache.get_or_compute(
            key,
            lambda: spec.call(services, arguments),
            store_key=lambda: content_key(own_digest(), key),
            fits=self._fits,
            may_keep=lambda result: self._key_of(arguments, result) == content,
        )

    def _key_of(self, arguments: Json, result: Json) -> str | None:
        """The key of an answer; it differs from the call's key when a file changed during the work."""
        spec = self._spec
        if spec.answer_key is not None:
            return spec.answer_key(arguments, result)
        assert spec.cache_key is not None
        try:
            return spec.cache_key(self._services, arguments)
        except TestwrightError:
            return None  # a file the key is made of has gone meanwhile
