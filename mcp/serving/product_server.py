"""Builds the product's MCP server: tools, resources and prompts over an application."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ...core.version import VERSION
from ...utils.outgoing_text import valid_text
from ...utils.redact import Redact, Redactor
from ..sdk import Context, MCPServer, ServerTool, new_server
from ..toolbox.registry import tools_for
from ..toolbox.tool_adapter import as_mcp_tool
from ..toolbox.tool_spec import Json, ToolAnswer, ToolSpec
from .admission import WorkSlots
from .backend import McpBackend
from .context import ClientCall, ServerContext
from .progress import HEARTBEAT_SECONDS
from .project_tools import for_clients
from .prompts import job_prompts
from .resources import RunResourceMiddleware, run_templates
from .roots import Roots
from .sessions import connection_lifespan, connection_session, session_of
from .waiting import answer_in_time, with_waiting

SERVER_NAME = "testwright"
INSTRUCTIONS = """\
testwright writes tests for Python projects and keeps only those that hold: it runs the code in a sandbox, writes test \
specs, writes tests, repeats them in other orders and processes, and tells of defects it suspects.

For a request like "cover this module": generate_tests, then get_report; plan_tests shows beforehand what a request \
covers. Step by step: generate_test_spec, generate_tests_from_spec, run_tests, analyze_test_results. Nothing is added \
to the project until apply_tests is called; call it only when the user wants that.

Long tools report progress and can be cancelled; after wait_seconds they answer with status running, and run_status \
waits for the rest. A cancelled run goes on with resume_run. Answers are small: details \
are resources, testwright://runs/ID/report.md and others. Paths are relative to the served root. An error says how to \
call again; a server that is busy says in how many seconds.
"""


@dataclass(frozen=True, slots=True)
class ServerOptions:
    """How a server serves.

    Attributes:
        roots: the projects' folders; no path leads out of them.
        running: the maximum of runs at the same time; one project has one at a time.
        waiting: the maximum of runs that wait for a slot; further calls are refused with a time to retry.
        redactor: removes secrets from errors.
        heartbeat_seconds: the maximum interval between two progress notifications.
    """

    roots: Sequence[Path]
    running: int = 2
    waiting: int = 8
    redactor: Redactor = field(default_factory=Redactor)
    heartbeat_seconds: float = HEARTBEAT_SECONDS


def build_server(backend: McpBackend, options: ServerOptions) -> MCPServer[Any]:
    """Builds the server, for any transport; several connections may share it.

    Raises:
        ProjectError: a root is no folder.
    """
    slots = WorkSlots(options.running, options.waiting)
    server = ServerContext(backend, Roots(options.roots), slots, heartbeat_seconds=options.heartbeat_seconds)

    @asynccontextmanager
    async def lifespan(mcp_server: MCPServer[Any]) -> AsyncIterator[dict[str, str]]:
        async with connection_lifespan(mcp_server) as state:
            try:
                yield state
            finally:
                await server.calls.stop(connection_session(state))

    roots = ", ".join(f"{root.name} ({root.path})" for root in server.roots)
    return new_server(
        SERVER_NAME,
        version=VERSION,
        title="testwright",
        description="From a request in plain words to tests a team would keep.",
        instructions=f"{INSTRUCTIONS}\nServed roots: {roots}.\n",
        tools=[_adapted(for_clients(spec), server, options.redactor.value) for spec in tools_for("clients")],
        templates=run_templates(server),
        prompts=job_prompts(),
        middleware=[RunResourceMiddleware(server)],
        lifespan=lifespan,
    )


def _adapted(spec: ToolSpec, server: ServerContext, redact: Redact) -> ServerTool:
    async def invoke(arguments: Json, context: Context[Any, Any]) -> ToolAnswer:
        async def send_progress(progress: float, total: float | None, message: str | None) -> None:
            await context.report_progress(progress, total, message and valid_text(message))

        call = ClientCall(server, session_of(context.request_context), send_progress)
        return await (answer_in_time(call, spec, arguments) if spec.is_long else spec.call(call, arguments))

    return as_mcp_tool(with_waiting(spec) if spec.is_long else spec, invoke, redact=redact)
