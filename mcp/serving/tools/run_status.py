"""`run_status`: tells how a run stands, and waits for its end."""

from __future__ import annotations

import asyncio
import time

from ...toolbox.json_schema import closed_object, open_object, string
from ...toolbox.tool_spec import Json, ToolAnswer, client_tool
from ..context import RUN_ID, ClientCall
from ..handles import report_answer
from ..jobs import find_run, report_of
from ..waiting import WAIT, running_answer
from .get_report import without_report

_POLL_SECONDS = 1.0


async def _run(call: ClientCall, /, run_id: str, wait_seconds: int) -> ToolAnswer:
    """Waits until a run has ended, at most wait_seconds, and answers what the tool that began it would have answered;
    status is running if it goes on: then call it again. Use it after an answer with status running, or for a run whose
    answer was lost. Raises the error of a run that failed. Costs nothing.
    """
    background = call.server.calls.find(run_id)
    if background is not None:
        if not await background.wait(wait_seconds, call.send_progress):
            return ToolAnswer({**running_answer(run_id, background.root, background.message), "answer": None})
        # Work that was cancelled has no answer: what is stored tells how far it came.
        if not background.task.cancelled():
            answer = background.task.result()
            status = str(answer.data.get("status") or "completed")
            return _ended(run_id, background.root, status, answer)
    deadline = time.monotonic() + wait_seconds
    while True:
        root, run = await find_run(call.server, run_id)
        remaining = deadline - time.monotonic()
        # Another process works on it.
        if run["status"] != "running" or remaining <= 0:
            break
        await asyncio.sleep(min(_POLL_SECONDS, remaining))
    if run["status"] == "running":
        return ToolAnswer({**running_answer(run_id, root.name, "in progress in another process"), "answer": None})
    report = report_of(run)
    answer = report_answer(run_id, root.name, report) if report else ToolAnswer(without_report(run_id, root, run))
    return _ended(run_id, root.name, answer.data["status"], answer)


def _ended(run_id: str, root: str, status: str, answer: ToolAnswer) -> ToolAnswer:
    data: Json = {
        "run_id": run_id,
        "root": root,
        "status": status,
        "answer": answer.data,
        "next": list(answer.data.get("next") or ()),
    }
    return ToolAnswer(data, answer.links)


TOOL = client_tool(
    name="run_status",
    title="Wait for a run",
    input_schema=closed_object(["run_id"], run_id=RUN_ID, wait_seconds=WAIT),
    output_schema=open_object(
        ["run_id", "root", "status", "answer", "next"],
        run_id=string(),
        root=string(),
        status=string(description="running, or how it ended."),
        message=string(description="What it does at the moment."),
        answer={"type": ["object", "null"], "description": "The answer of the tool that began it."},
    ),
    run=_run,
    read_only=True,
    idempotent=True,
)
