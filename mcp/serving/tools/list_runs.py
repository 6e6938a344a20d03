"""`list_runs`: lists the session's own runs."""

from __future__ import annotations

from ...toolbox.json_schema import array, closed_object, integer, open_object, string
from ...toolbox.tool_spec import Json, ToolAnswer, client_tool
from ..context import ClientCall, ServerContext
from ..handles import run_uri
from ..sessions import SessionRun


async def _run(call: ClientCall, /, limit: int, scope: str) -> ToolAnswer:
    """Lists the runs that this session began or continued, newest first, with status and counts. Use it to find a run
    whose answer was lost, also one that was cancelled. scope='project' lists all runs of the served projects, also
    after the server was started anew. run_status and get_report take any run's id. Costs nothing.
    """
    runs = await _stored(call.server) if scope == "project" else call.server.sessions.runs(call.session)
    rows = [row for run in runs[:limit] if (row := await _row(call.server, run)) is not None]
    answer: Json = {"runs": rows, "more": max(0, len(runs) - limit)}
    if not runs and scope == "session":
        answer["note"] = "This session has no runs; scope='project' lists those of earlier and other sessions."
    if call.session is None and scope == "session":
        answer["note"] = (
            "This connection has no session. Keep run ids, or name a session of your own in _meta: testwright/session."
        )
    return ToolAnswer(answer)


async def _stored(server: ServerContext) -> tuple[SessionRun, ...]:
    """All runs of the served projects, newest first, also those of servers that have ended."""
    found = [(row, root) for root in server.roots for row in await server.backend.runs(root.path)]
    found.sort(key=lambda pair: -pair[0]["created_at"])
    return tuple(SessionRun(root, row["run_id"], "run") for row, root in found)


async def _row(server: ServerContext, known: SessionRun) -> Json | None:
    run = await server.backend.run(known.root.path, known.run_id)
    if run is None:
        return None  # deleted since the session worked on it
    totals = run["totals"] or {}
    return {
        "run_id": known.run_id,
        "root": known.root.name,
        "kind": known.kind,
        "status": run["status"],
        "exit_reason": run["exit_reason"],
        "request": run["request"][:200],
        "kept": totals.get("kept"),
        "suspected_defects": totals.get("suspected_defects"),
        "resumable": run["resumable"],
        "report": run_uri(known.run_id, "report.md") if run["report"] else None,
    }


TOOL = client_tool(
    name="list_runs",
    title="List this session's runs",
    input_schema=closed_object(
        [],
        limit=integer(minimum=1, maximum=100, default=20),
        scope=string(enum=["session", "project"], default="session", description="Whose runs are listed."),
    ),
    output_schema=open_object(
        ["runs", "more"],
        runs=array(open_object(["run_id", "root", "kind", "status"])),
        more=integer(minimum=0, description="Runs that are not listed."),
        note=string(),
    ),
    run=_run,
    read_only=True,
    idempotent=True,
)
