"""`cancel_run`: ends a run that goes on after its call was answered."""

from __future__ import annotations

from ....core.errors import ToolInputError
from ...toolbox.json_schema import closed_object, open_object, strings
from ...toolbox.tool_spec import ToolAnswer, client_tool
from ..context import RUN_ID, ClientCall
from ..jobs import find_run


async def _run(call: ClientCall, /, run_id: str) -> ToolAnswer:
    """Ends a run that goes on after its call was answered with status running, and everything it started; what it has
    made is kept, and resume_run goes on with it. A call that still waits is cancelled by cancelling the request itself.
    """
    background = call.server.calls.find(run_id)
    if background is None:
        _, run = await find_run(call.server, run_id)
        if run["status"] == "running":
            raise ToolInputError(
                f"run {run_id} is in progress in a call that has not been answered, or in another process",
                advice="cancel that call, or interrupt that process",
            )
    elif not background.task.done():
        await background.stop()
        return ToolAnswer(
            {"run_id": run_id, "outcome": "cancelled", "next": [f"resume_run(run_id={run_id!r}) goes on"]}
        )
    return ToolAnswer({"run_id": run_id, "outcome": "had_ended", "next": [f"run_status(run_id={run_id!r}) answers it"]})


TOOL = client_tool(
    name="cancel_run",
    title="Cancel a run",
    input_schema=closed_object(run_id=RUN_ID),
    output_schema=open_object(["run_id", "outcome", "next"], **strings("run_id", "outcome")),
    run=_run,
    idempotent=True,
)
