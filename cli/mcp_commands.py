"""mcp serve: what testwright can do, for other agents."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ..core.errors import SettingsError
from ..utils.redact import Redactor
from . import options as given
from .failures import report_failures
from .loading import load_settings_aloud

if TYPE_CHECKING:
    from ..mcp.sdk import MCPServer

_DEFAULT_RUNNING, _DEFAULT_WAITING = 2, 8


def register(group: typer.Typer) -> None:
    """Add the commands to the group."""
    group.command("serve")(serve)


@given.with_options(
    ("state_dir", "store", "python", "sandbox", "trust_project"), given.MODEL_OPTIONS, given.TOOL_OPTIONS
)
def serve(
    root: Annotated[
        list[Path] | None,
        typer.Option("--root", help="A project to serve. May be repeated. Default: the current folder."),
    ] = None,
    http: Annotated[
        str | None, typer.Option("--http", metavar="HOST:PORT", help="Listen there instead; port 0 takes a free one.")
    ] = None,
    token_env: Annotated[
        str | None,
        typer.Option(
            "--token-env",
            metavar="NAME",
            help="The environment variable with the token HTTP clients must send; optional on loopback only.",
        ),
    ] = None,
    allowed_host: Annotated[
        list[str] | None, typer.Option("--allowed-host", help="A further name HTTP clients may use for this server.")
    ] = None,
    allowed_origin: Annotated[
        list[str] | None, typer.Option("--allowed-origin", help="A web origin whose pages may call over HTTP.")
    ] = None,
    max_runs: Annotated[
        int, typer.Option("--max-runs", min=1, max=64, help="Runs at the same time; one for each project.")
    ] = _DEFAULT_RUNNING,
    max_waiting: Annotated[
        int, typer.Option("--max-waiting", min=0, max=1000, help="Runs that may wait; one more is told to call again.")
    ] = _DEFAULT_WAITING,
    debug: given.Debug = False,
    **options: Any,
) -> None:
    """Serve testwright to MCP clients, over stdio, or over streamable HTTP with --http.

    Paths are confined to the roots. Nothing is added to a project unless a client calls apply_tests.

    Example: testwright mcp serve --root examples/shop
    """
    with report_failures(debug=debug):
        listening = _listening(http, token_env, allowed_host or [], allowed_origin or [])
        asyncio.run(_serve(root or [Path()], given.flags_of(options), (max_runs, max_waiting), listening))


def _listening(
    http: str | None, token_env: str | None, hosts: list[str], origins: list[str]
) -> Callable[[MCPServer[Any]], Awaitable[None]]:
    """The transport that was asked for. Raises SettingsError when it makes no sense."""
    from ..mcp.serving.transport.http_server import serve_http
    from ..mcp.serving.transport.options import HttpOptions
    from ..mcp.serving.transport.stdio import serve_stdio

    if http is None:
        if token_env or hosts or origins:
            raise SettingsError(
                "--token-env, --allowed-host and --allowed-origin are for HTTP.",
                advice="Say where to listen: --http 127.0.0.1:8080.",
            )
        return serve_stdio
    host, _, port = http.rpartition(":")
    if not host or not port.isdecimal():
        raise SettingsError(f"{http!r} is no HOST:PORT.", advice="Say it like 127.0.0.1:8080, or [::1]:8080.")
    options = HttpOptions(
        host=host.removeprefix("[").removesuffix("]"),
        port=int(port),
        token=_token(token_env) if token_env else None,
        allowed_hosts=tuple(hosts),
        allowed_origins=tuple(origins),
    )
    return lambda server: serve_http(server, options)


def _token(name: str) -> str:
    # Taken out: no process that the server starts has it.
    token = os.environ.pop(name, "")
    if not token:
        raise SettingsError(
            f"The environment variable {name} holds no token.", advice=f"Set {name}, or leave --token-env out."
        )
    return token


async def _serve(
    roots: list[Path],
    flags: dict[str, object],
    limits: tuple[int, int],
    listening: Callable[[MCPServer[Any]], Awaitable[None]],
) -> None:
    # The SDK and everything behind the server take a second to load; other commands need not wait for it.
    from ..app.mcp_application import served_application
    from ..mcp.serving.product_server import ServerOptions, build_server

    for root in roots:
        await asyncio.to_thread(load_settings_aloud, {**flags, "root": root})  # what is wrong is said at the start
    redactor = Redactor.from_environment(os.environ)
    async with served_application(flags) as application:
        await listening(build_server(application, ServerOptions(roots, *limits, redactor)))
