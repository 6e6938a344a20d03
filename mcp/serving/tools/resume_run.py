"""`resume_run`: continues a run from where it stopped."""

from __future__ import annotations

from ....core.errors import ToolInputError
from ...toolbox.json_schema import closed_object
from ...toolbox.tool_spec import ToolAnswer, client_tool
from ..context import RUN_ID, ClientCall
from ..handles import HANDLE_SCHEMA, report_answer
from ..jobs import find_run, report_of, run_job


async def _run(call: ClientCall, /, run_id: str) -> ToolAnswer:
    """Continues a run that was cancelled, interrupted or stopped by a ceiling, with the settings it began with;
    finished targets are not worked on again, unless their file has changed. A run that has ended answers what it came
    to. Comes back like generate_tests, and takes as long as what is left.
    """
    root, run = await find_run(call.server, run_id)
    if run["status"] == "running":
        raise ToolInputError(f"run {run_id} is in progress", advice=f"run_status(run_id={run_id!r}) waits for it")
    # A run that has ended is answered with its report.
    if not run["resumable"] and not report_of(run):
        raise ToolInputError(
            f"run {run_id} cannot go on: it is {run['status']}", advice="start a new run with generate_tests"
        )
    _, report = await run_job(call, root, "resume_run", call.server.backend.resume, run_id=run_id)
    return report_answer(run_id, root.name, report)


TOOL = client_tool(
    name="resume_run",
    title="Continue a run",
    input_schema=closed_object(run_id=RUN_ID),
    output_schema=HANDLE_SCHEMA,
    run=_run,
    is_long=True,
    idempotent=True,
)
