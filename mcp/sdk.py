"""The only module under `mcp/` that imports the MCP SDK; everything else takes the SDK's names from here.

It re-exports what we use of the SDK, its private parts included, and wraps the few places where the SDK must be bent:
tools whose schemas are checked by us, servers that leave the host's logging alone, and serving over our own streams.
One module costs no start-up time: importing any part of the SDK loads all of it.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractAsyncContextManager, contextmanager
from dataclasses import dataclass
from typing import Any

from jsonschema.validators import validator_for
from mcp import Client as Client
from mcp import MCPError as MCPError
from mcp.client import Transport as Transport
from mcp.client._transport import TransportStreams as TransportStreams
from mcp.client.streamable_http import streamable_http_client as streamable_http_client
from mcp.server import MCPServer as MCPServer
from mcp.server.context import CallNext as CallNext
from mcp.server.context import HandlerResult as HandlerResult
from mcp.server.context import ServerMiddleware
from mcp.server.context import ServerRequestContext as ServerRequestContext
from mcp.server.mcpserver import Context as Context
from mcp.server.mcpserver import tools
from mcp.server.mcpserver.exceptions import ResourceError as ResourceError
from mcp.server.mcpserver.exceptions import ResourceNotFoundError as ResourceNotFoundError
from mcp.server.mcpserver.prompts import Prompt as Prompt
from mcp.server.mcpserver.resources import Resource
from mcp.server.mcpserver.utilities.func_metadata import ArgModelBase
from mcp.server.mcpserver.utilities.func_metadata import FuncMetadata as FuncMetadata
from mcp.server.streamable_http import GET_STREAM_KEY as GET_STREAM_KEY
from mcp.server.streamable_http import EventCallback as EventCallback
from mcp.server.streamable_http import EventMessage as EventMessage
from mcp.server.streamable_http import EventStore as EventStore
from mcp.server.transport_security import TransportSecuritySettings as TransportSecuritySettings
from mcp.shared.message import SessionMessage as SessionMessage
from mcp.types import (
    CONNECTION_CLOSED as CONNECTION_CLOSED,
)
from mcp.types import (
    INVALID_PARAMS as INVALID_PARAMS,
)
from mcp.types import (
    REQUEST_TIMEOUT as REQUEST_TIMEOUT,
)
from mcp.types import (
    CallToolResult as CallToolResult,
)
from mcp.types import (
    ContentBlock as ContentBlock,
)
from mcp.types import (
    Implementation as Implementation,
)
from mcp.types import (
    JSONRPCError as JSONRPCError,
)
from mcp.types import (
    JSONRPCMessage as JSONRPCMessage,
)
from mcp.types import (
    JSONRPCResponse as JSONRPCResponse,
)
from mcp.types import (
    ResourceLink as ResourceLink,
)
from mcp.types import (
    TextContent as TextContent,
)
from mcp.types import (
    Tool as Tool,
)
from mcp.types import (
    ToolAnnotations as ToolAnnotations,
)
from mcp.types import (
    jsonrpc_message_adapter as jsonrpc_message_adapter,
)
from pydantic import ConfigDict
from referencing import Registry

from ..utils.names.similar_names import similar_names
from ..utils.outgoing_text import valid_json, valid_text

ServerTool = tools.Tool
Lifespan = Callable[[MCPServer[Any]], AbstractAsyncContextManager[Any]]
_CONSTRUCTION = threading.Lock()


@dataclass(frozen=True, slots=True)
class ResourceTemplateSpec:
    """Describes resources of one shape.

    Attributes:
        uri: RFC 6570 template; its variables are the parameters of `read`.
        read: returns text or bytes; a parameter annotated as `Context` receives the request's. Raises ResourceError.
    """

    uri: str
    read: Callable[..., Any]
    name: str
    description: str
    title: str | None = None
    mime_type: str = "text/plain"


def new_server(
    name: str,
    *,
    version: str,
    instructions: str | None = None,
    title: str | None = None,
    description: str | None = None,
    tools: Sequence[ServerTool] = (),
    resources: Sequence[Resource] = (),
    templates: Sequence[ResourceTemplateSpec] = (),
    prompts: Sequence[Prompt] = (),
    middleware: Sequence[ServerMiddleware[Any]] = (),
    lifespan: Lifespan | None = None,
) -> MCPServer[Any]:
    """Builds a server that offers exactly these parts; nothing listens yet, see `serve_stdio` and `serve_http`.

    Args:
        middleware: called for every message, the first one outermost.
        lifespan: entered before the first message, left after the last.
    """
    with _root_logger_unchanged():
        server: MCPServer[Any] = MCPServer(
            name,
            title=title,
            description=description,
            instructions=instructions and valid_text(instructions),
            version=version,
            tools=list(tools),
            resources=list(resources),
            middleware=[_encode_result, *middleware],
            lifespan=lifespan,
        )
    # The SDK adds templates by a decorator.
    for template in templates:
        server.resource(
            template.uri,
            name=template.name,
            title=template.title,
            description=template.description,
            mime_type=template.mime_type,
        )(template.read)
    for prompt in prompts:
        server.add_prompt(prompt)
    server.middleware.append(_UnknownNameMiddleware(server))
    return server


@contextmanager
def _root_logger_unchanged() -> Iterator[None]:
    """Keeps `MCPServer()` from configuring the root logger, which it does when the host has set no handler."""
    handler = logging.NullHandler()
    # One at a time: the root logger is global.
    with _CONSTRUCTION:
        logging.getLogger().addHandler(handler)
        try:
            yield
        finally:
            logging.getLogger().removeHandler(handler)


async def _encode_result(ctx: ServerRequestContext[Any, Any], call_next: CallNext) -> HandlerResult:
    """Encodes a result: one lone surrogate would end the connection."""
    return valid_json(await call_next(ctx))


class _UnknownNameMiddleware:
    """Answers a call of an unknown tool or prompt with a protocol error that lists similar names.

    Args:
        server: its tools and prompts are looked up per request, so that those added later count.
    """

    def __init__(self, server: MCPServer[Any]) -> None:
        self._server = server
        self._known_tools: set[str] = set()

    async def __call__(self, ctx: ServerRequestContext[Any, Any], call_next: CallNext) -> HandlerResult:
        """Passes on a message whose names are known. Raises MCPError (-32602)."""
        params = ctx.params or {}
        name = params.get("name")
        if isinstance(name, str) and ctx.method == "tools/call" and name not in self._known_tools:
            _require_known("tool", name, (tool.name for tool in await self._server.list_tools()))
            self._known_tools.add(name)
        elif isinstance(name, str) and ctx.method == "prompts/get":
            prompts = {prompt.name: prompt for prompt in await self._server.list_prompts()}
            _require_known("prompt", name, prompts)
            sent = params.get("arguments")
            required = [argument.name for argument in prompts[name].arguments or () if argument.required]
            missing = [argument for argument in required if argument not in (sent if isinstance(sent, dict) else {})]
            if missing:
                raise MCPError(INVALID_PARAMS, f"The prompt {name!r} needs: {', '.join(missing)}")
        return await call_next(ctx)


def _require_known(kind: str, name: str, known: Iterable[str]) -> None:
    names = sorted(known)
    if name in names:
        return
    near = similar_names(name, names)
    hint = f"did you mean {', '.join(near)}?" if near else f"there are: {', '.join(names) or 'none'}"
    raise MCPError(INVALID_PARAMS, f"Unknown {kind}: {name[:200]!r}; {hint}", {kind: name[:200], "suggestions": near})


class UncheckedArguments(ArgModelBase):
    """Hands a tool's arguments over unchanged: our own check reports every error of its schema at once."""

    model_config = ConfigDict(extra="allow")

    def model_dump_one_level(self) -> dict[str, Any]:
        """The keyword arguments of the tool's function: all arguments as one mapping, `arguments`."""
        return {"arguments": dict(self.model_extra or {})}


def text_of(result: CallToolResult) -> str:
    """The text blocks of a tool's answer, joined by line ends."""
    return "\n".join(block.text for block in result.content if isinstance(block, TextContent))


def trust_output_schemas(client: Client, tools: Iterable[Tool]) -> None:
    """Spares a session with a server of ours the check of each output schema itself; answers are checked all the same.

    The SDK compares every schema with its metaschema, for each session anew. Ours are compared in tests.
    """
    for tool in tools:
        if tool.output_schema is not None:
            validator = validator_for(tool.output_schema)(tool.output_schema, registry=Registry())
            client.session._tool_output_validators[tool.name] = validator


async def run_over_streams(server: MCPServer[Any], received: Any, outward: Any) -> None:
    """Serves one client over memory streams of `SessionMessage`; the SDK has no public way to serve foreign streams."""
    low = server._lowlevel_server
    await low.run(received, outward, low.create_initialization_options())


@contextmanager
def silence_session_ids() -> Iterator[None]:
    """Keeps session ids out of the log: the SDK logs each at level INFO, and an id is enough to use the session."""
    loggers = [logging.getLogger(f"mcp.server.streamable_http{suffix}") for suffix in ("", "_manager")]
    before = [logger.level for logger in loggers]
    for logger in loggers:
        logger.setLevel(logging.WARNING)
    try:
        yield
    finally:
        for logger, level in zip(loggers, before, strict=True):
            logger.setLevel(level)
