"""One way to make any MCP server: what it offers is given, nothing of the host is changed."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from typing import Any

from mcp.server import MCPServer
from mcp.server.context import ServerMiddleware
from mcp.server.mcpserver.prompts import Prompt
from mcp.server.mcpserver.resources import Resource
from mcp.server.mcpserver.tools import Tool

Lifespan = Callable[[MCPServer[Any]], AbstractAsyncContextManager[Any]]


@dataclass(frozen=True, slots=True)
class OfferedTemplate:
    """Resources of one shape.

    Attributes:
        uri: RFC 6570 template; its variables are the parameters of `read`.
        read: gives text or bytes; a parameter annotated as `Context` is given the request's. Raises ResourceError.
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
    tools: Sequence[Tool] = (),
    resources: Sequence[Resource] = (),
    templates: Sequence[OfferedTemplate] = (),
    prompts: Sequence[Prompt] = (),
    middleware: Sequence[ServerMiddleware[Any]] = (),
    lifespan: Lifespan | None = None,
    settings: Mapping[str, Any] | None = None,
) -> MCPServer[Any]:
    """A server with exactly what is given; nothing listens yet, see `serve_stdio` and `serve_http`.

    The host's logging is left as it is: the SDK would configure the root logger.

    Args:
        middleware: sees every message, the first of them outermost.
        lifespan: entered before the first message, left after the last.
        settings: further arguments of `MCPServer`.
    """
    with _CONSTRUCTION, _RootLoggerKept():
        server: MCPServer[Any] = MCPServer(
            name,
            title=title,
            description=description,
            instructions=instructions,
            version=version,
            tools=list(tools),
            resources=list(resources),
            middleware=middleware,
            lifespan=lifespan,
            **(settings or {}),
        )
    for one in templates:
        server.resource(one.uri, name=one.name, title=one.title, description=one.description, mime_type=one.mime_type)(
            one.read
        )
    for prompt in prompts:
        server.add_prompt(prompt)
    return server


_CONSTRUCTION = threading.Lock()


class _RootLoggerKept:
    """Constructing an MCPServer configures the root logger when it has no handler; the host's logging is not ours."""

    def __enter__(self) -> None:
        self._handler = logging.NullHandler()
        logging.getLogger().addHandler(self._handler)

    def __exit__(self, *_: object) -> None:
        logging.getLogger().removeHandler(self._handler)
