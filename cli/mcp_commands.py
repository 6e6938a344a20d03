"""mcp serve: what testwright can do, for other agents (T-11)."""

from __future__ import annotations

import asyncio
import os
from pathlib import Path
from typing import Annotated

import typer

from . import options as given
from .failures import failures_shown

SERVE_HELP = """Serve testwright to MCP clients over stdio, until the client closes its end.

Paths are confined to the roots. Nothing is added to a project unless a client calls apply_tests.

Example: testwright mcp serve --root examples/shop
"""
_DEFAULT_RUNNING, _DEFAULT_WAITING = 2, 8


def register(group: typer.Typer) -> None:
    """Add the commands to the group."""
    group.command("serve", help=SERVE_HELP)(serve)


def serve(
    root: Annotated[
        list[Path] | None,
        typer.Option("--root", help="A project to serve. May be repeated. Default: the current folder."),
    ] = None,
    max_runs: Annotated[
        int, typer.Option("--max-runs", min=1, max=64, help="Runs at the same time; one for each project.")
    ] = _DEFAULT_RUNNING,
    max_waiting: Annotated[
        int, typer.Option("--max-waiting", min=0, max=1000, help="Runs that may wait; one more is told to call again.")
    ] = _DEFAULT_WAITING,
    state_dir: given.StateDir = None,
    python: given.Python = None,
    sandbox: given.Sandbox = None,
    model: given.Model = None,
    base_url: given.BaseUrl = None,
    debug: given.Debug = False,
) -> None:
    """See SERVE_HELP."""
    flags = {
        "state_dir": state_dir,
        "python": python,
        "sandbox": sandbox,
        "model": model,
        "base_url": base_url,
    }
    with failures_shown(debug=debug):
        asyncio.run(_serve(root or [Path()], flags, max_runs, max_waiting))


async def _serve(roots: list[Path], flags: dict[str, object], max_runs: int, max_waiting: int) -> None:
    # The SDK and everything behind the server take a second to load; other commands need not wait for it.
    from ..mcp.server import ServerOptions, build_server
    from ..served_application import served_application
    from ..settings import load_settings
    from ..utils.redact import Redactor

    for one in roots:
        await asyncio.to_thread(load_settings, {**flags, "root": one})  # what is wrong is said at the start
    redactor = Redactor.from_environment(os.environ)
    async with served_application(flags) as application:
        server = build_server(application, ServerOptions(roots, max_runs, max_waiting, redactor))
        await server.run_stdio_async()
