"""The server that others use: what testwright can do, offered as tools, resources and prompts (T-11, B-10)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from mcp.server import MCPServer

from ...core.version import VERSION
from ...utils.redact import Redactor
from .admission import WorkSlots
from .backend import ServedApplication
from .progress import BEAT_SECONDS
from .prompts import job_prompts
from .resources import RunResources, run_templates
from .roots import Roots
from .sdk_server import Lifespan, OfferedTemplate, new_server
from .sessions import connection_lifespan
from .tool_adapter import as_mcp_tool
from .tool_definition import Desk
from .tools.offered import offered_tools

__all__ = ["Lifespan", "OfferedTemplate", "ServerOptions", "build_server", "new_server"]

SERVER_NAME = "testwright"
INSTRUCTIONS = """\
testwright writes tests for Python projects and keeps only those that hold: it runs the code in a sandbox, writes test \
specs, writes tests, repeats them in other orders and processes, and tells of defects it suspects.

For a request like "cover this module": generate_tests, then get_report; plan_tests shows beforehand what a request \
covers. Step by step: generate_test_spec, generate_tests_from_spec, run_tests, analyze_test_results. Nothing is added \
to the project until apply_tests is called; call it only when the user wants that.

Long tools report progress and can be cancelled; a cancelled run goes on with resume_run. Answers are small: details \
are resources, testwright://runs/ID/report.md and others. Paths are relative to the served root. An error says how to \
call again; a server that is busy says in how many seconds.
"""


@dataclass(frozen=True, slots=True)
class ServerOptions:
    """How a server serves.

    Attributes:
        roots: the projects' folders; no path leads out of them.
        running: runs at the same time; one project has one at a time.
        waiting: runs that may wait for a place; one more is told to call again.
        redactor: takes secrets out of errors.
        beat_seconds: a client hears of work in which nothing happens so often.
    """

    roots: Sequence[Path]
    running: int = 2
    waiting: int = 8
    redactor: Redactor = field(default_factory=Redactor)
    beat_seconds: float = BEAT_SECONDS


def build_server(application: ServedApplication, options: ServerOptions) -> MCPServer[Any]:
    """The server, for any transport; several connections may share it.

    Raises:
        ProjectError: a root is no folder.
    """
    slots = WorkSlots(options.running, options.waiting)
    desk = Desk(application, Roots(options.roots), slots, beat_seconds=options.beat_seconds)
    return new_server(
        SERVER_NAME,
        version=VERSION,
        title="testwright",
        description="From a request in plain words to tests a team would keep.",
        instructions=INSTRUCTIONS
        + f"\nServed roots: {', '.join(f'{root.name} ({root.path})' for root in desk.roots)}.\n",
        tools=[as_mcp_tool(tool, desk, options.redactor.value) for tool in offered_tools()],
        templates=run_templates(desk),
        prompts=job_prompts(),
        middleware=[RunResources(desk)],
        lifespan=connection_lifespan,
    )
