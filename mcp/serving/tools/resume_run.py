"""`resume_run`: a run goes on from where it stopped (B-08)."""

from __future__ import annotations

from typing import Any

from ....core.errors import ToolInputError
from ...toolbox.definition import closed_object
from ..handles import HANDLE_SCHEMA, report_handle, report_links
from ..jobs import found_run, worked
from ..tool_definition import RUN_ID, Answer, Call, Desk, ServedTool


async def _serve(desk: Desk, call: Call, /, **arguments: Any) -> Answer:
    run_id = arguments["run_id"]
    root, run = await found_run(desk, run_id)
    if run["status"] == "running":
        raise ToolInputError(
            f"run {run_id} is being worked on", advice="wait for it: get_report tells how it stands", details={}
        )
    if not run["resumable"] and not run["report"]:
        raise ToolInputError(
            f"run {run_id} cannot go on: it is {run['status']}", advice="begin anew with generate_tests"
        )
    _, report = await worked(desk, call, root, "resume_run", desk.application.resume, run_id=run_id)
    return Answer(report_handle(run_id, root.name, report), report_links(run_id))


TOOL = ServedTool(
    name="resume_run",
    title="Continue a run",
    description="Continues a run that was cancelled, interrupted or stopped by a ceiling, with the settings it "
    "began with; finished targets are not worked on again, unless their file has changed. A run that"
    " has ended answers what it came to. Comes back like generate_tests, and takes as long as what "
    "is left.",
    input_schema=closed_object({"run_id": RUN_ID}),
    output_schema=HANDLE_SCHEMA,
    serve=_serve,
    idempotent=True,
)
