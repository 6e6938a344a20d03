"""`list_runs`: lists the session's own runs."""

from __future__ import annotations

from ...toolbox.json_schema import array, closed_object, integer, open_object, string
from ...toolbox.tool_spec import Json, ToolAnswer, client_tool
from ..context import ClientCall, ServerContext
from ..handles import run_uri
from ..sessions import SessionRun


async def _run(call: ClientCall, /, limit: int) -> ToolAnswer:
    runs = call.server.sessions.runs(call.session)
    rows = [row for run in runs[:limit] if (row := await _row(call.server, run)) is not None]
    answer: Json = {"runs": rows, "more": max(0, len(runs) - limit)}
    if call.session is None:
        answer["note"] = (
            "This connection has no session. Keep run ids, or name a session of your own in _meta: testwright/session."
        )
    return ToolAnswer(answer)


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
    description="Lists the runs that this session began or continued, newest first, with status and counts. Use "
    "it to find a run whose answer was lost, also one that was cancelled. Runs of other sessions are"
    " not listed; get_report takes any run's id. Costs nothing.",
    input_schema=closed_object({"limit": integer(minimum=1, maximum=100, default=20)}, []),
    output_schema=open_object(
        ["runs", "more"],
        {
            "runs": array(open_object(["run_id", "root", "kind", "status"])),
            "more": integer(minimum=0, description="Runs that are not listed."),
            "note": string(),
        },
    ),
    run=_run,
    read_only=True,
    idempotent=True,
)
