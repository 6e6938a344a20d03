"""One way to make any MCP server: what it offers is given, nothing of the host is changed."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from typing import Any

from mcp.server import MCPServer
from mcp.server.context import CallNext, HandlerResult, ServerMiddleware, ServerRequestContext
from mcp.server.mcpserver.prompts import Prompt
from mcp.server.mcpserver.resources import Resource
from mcp.server.mcpserver.tools import Tool
from mcp.shared.exceptions import MCPError
from mcp.types import INVALID_PARAMS

from ..sdk import root_logger_kept

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
    with root_logger_kept():
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
    server.middleware.append(KnownNames(server))
    return server


class KnownNames:
    """Middleware: what asks for a tool or prompt that is not offered is told what is, as an error of the protocol.

    Args:
        server: whose tools and prompts are meant, also those that are added later.
    """

    def __init__(self, server: MCPServer[Any]) -> None:
        self._server = server
        self._known: set[str] = set()

    async def __call__(self, ctx: ServerRequestContext[Any, Any], call_next: CallNext) -> HandlerResult:
        """Pass a message on whose names are known. Raises MCPError (-32602)."""
        params = ctx.params or {}
        name = params.get("name")
        if isinstance(name, str) and ctx.method == "tools/call" and name not in self._known:
            _require_known("tool", name, (one.name for one in await self._server.list_tools()))
            self._known.add(name)
        elif isinstance(name, str) and ctx.method == "prompts/get":
            offered = {one.name: one for one in await self._server.list_prompts()}
            _require_known("prompt", name, offered)
            given = params.get("arguments")
            wanted = [one.name for one in offered[name].arguments or () if one.required]
            missing = [one for one in wanted if one not in (given if isinstance(given, dict) else {})]
            if missing:
                raise MCPError(INVALID_PARAMS, f"The prompt {name!r} needs: {', '.join(missing)}")
        return await call_next(ctx)


def _require_known(kind: str, name: str, known: Iterable[str]) -> None:
    names = sorted(known)
    if name in names:
        return
    near = difflib.get_close_matches(name, names, n=3)
    hint = f"did you mean {', '.join(near)}?" if near else f"there are: {', '.join(names) or 'none'}"
    raise MCPError(INVALID_PARAMS, f"Unknown {kind}: {name[:200]!r}; {hint}", {kind: name[:200], "suggestions": near})
