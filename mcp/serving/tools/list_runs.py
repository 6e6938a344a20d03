"""`list_runs`: lists the session's own runs."""

from __future__ import annotations

from ...toolbox.json_schema import array, closed_object, integer, open_object, string, strings
from ...toolbox.tool_spec import Json, ToolAnswer, client_tool
from ..context import ClientCall, ServerContext
from ..handles import run_uri
from ..jobs import RootFault, of_root
from ..roots import Root
from ..sessions import SessionRun


async def _run(call: ClientCall, /, limit: int, scope: str) -> ToolAnswer:
    """Lists the runs that this session began or continued, newest first, with status and counts. Use it to find a run
    whose answer was lost, also one that was cancelled. scope='project' lists all runs of the served projects, also
    after the server was started anew. run_status and get_report take any run's id. Costs nothing.
    """
    faults: list[RootFault] = []
    if scope == "project":
        runs, faults = await _stored(call.server)
    else:
        runs = call.server.sessions.runs(call.session)
    rows: list[Json] = []
    for run in runs[:limit]:
        row = await of_root(run.root, _row(call.server, run))
        if isinstance(row, RootFault):
            faults.append(row)
        elif row is not None:
            rows.append(row)
    answer: Json = {"runs": rows, "more": max(0, len(runs) - limit)}
    if faults:
        answer["faults"] = [
            fault.row() for fault in {(each.root, each.error.message): each for each in faults}.values()
        ]
    if not runs and scope == "session":
        answer["note"] = "This session has no runs; scope='project' lists those of earlier and other sessions."
    if call.session is None and scope == "session":
        answer["note"] = (
            "This connection has no session. Keep run ids, or name a session of your own in _meta: testwright/session."
        )
    return ToolAnswer(answer)


async def _stored(server: ServerContext) -> tuple[tuple[SessionRun, ...], list[RootFault]]:
    """All runs of the served projects, newest first, also those of servers that have ended; and what cannot be read."""
    found: list[tuple[Json, Root]] = []
    faults: list[RootFault] = []
    for root in server.roots:
        rows = await of_root(root, server.backend.runs(root.path))
        if isinstance(rows, RootFault):
            faults.append(rows)
        else:
            found += [(row, root) for row in rows]
    found.sort(key=lambda pair: -pair[0]["created_at"])
    return tuple(SessionRun(root, row["run_id"], "run") for row, root in found), faults


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
        faults=array(
            open_object(["root", "message"], **strings("root", "message", "advice")),
            description="Served projects whose runs cannot be read, and why.",
        ),
    ),
    run=_run,
    read_only=True,
    idempotent=True,
)
