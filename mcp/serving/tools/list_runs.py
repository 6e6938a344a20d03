"""`list_runs`: the session's own runs, as small as a list can be (B-10)."""

from __future__ import annotations

from typing import Any

from ...toolbox.definition import closed_object
from ..backend import Json
from ..handles import run_uri
from ..sessions import KnownRun
from ..tool_definition import Answer, Call, Desk, ServedTool


async def _serve(desk: Desk, call: Call, /, **arguments: Any) -> Answer:
    runs = desk.sessions.runs(call.session)
    rows = [row for one in runs[: arguments["limit"]] if (row := await _row(desk, one)) is not None]
    answer = {"runs": rows, "more": max(0, len(runs) - arguments["limit"])}
    if call.session is None:
        answer["note"] = (
            "This connection has no session. Keep run ids, or name a session of your own in _meta: testwright/session."
        )
    return Answer(answer)


async def _row(desk: Desk, known: KnownRun) -> Json | None:
    run = await desk.application.run(known.root.path, known.run_id)
    if run is None:
        return None
    return {
        "run_id": known.run_id,
        "root": known.root.name,
        "kind": known.kind,
        "status": run["status"],
        "exit_reason": run["exit_reason"],
        "request": run["request"][:200],
        "kept": (run["totals"] or {}).get("kept"),
        "suspected_defects": (run["totals"] or {}).get("suspected_defects"),
        "resumable": run["resumable"],
        "report": run_uri(known.run_id, "report.md") if run["report"] else None,
    }


TOOL = ServedTool(
    name="list_runs",
    title="List this session's runs",
    description="Lists the runs that this session began or continued, newest first, with status and counts. Use "
    "it to find a run whose answer was lost, also one that was cancelled. Runs of other sessions are"
    " not listed; get_report takes any run's id. Costs nothing.",
    input_schema=closed_object({"limit": {"type": "integer", "minimum": 1, "maximum": 100, "default": 20}}, []),
    output_schema={
        "type": "object",
        "required": ["runs", "more"],
        "properties": {
            "runs": {"type": "array", "items": {"type": "object", "required": ["run_id", "root", "kind", "status"]}},
            "more": {"type": "integer", "minimum": 0, "description": "Runs that are not listed."},
            "note": {"type": "string"},
        },
    },
    serve=_serve,
    read_only=True,
    idempotent=True,
)
