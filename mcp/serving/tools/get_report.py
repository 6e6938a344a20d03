"""`get_report`: reads a run by its id, its report in pages, for clients that read no resources."""

from __future__ import annotations

import asyncio

from ...toolbox.json_schema import NULLABLE_INTEGER, closed_object, integer, open_object, string
from ...toolbox.tool_spec import Json, ToolAnswer, client_tool
from ..context import RUN_ID, ClientCall
from ..handles import HANDLE_SCHEMA, report_answer, resources_of, run_uri
from ..jobs import find_run, report_of
from ..roots import Root
from ..run_files import read_run_text, run_folder

PAGE_CHARS = 16_000


async def _run(call: ClientCall, /, run_id: str, cursor: int) -> ToolAnswer:
    """Tells how any run of a served project stands, by its id, with its report for people in pages: what was kept and
    why it may be trusted, what was dropped and why, suspected defects with what is documented, what was observed and
    how to reproduce it. Use it after generate_tests, or for a run of another session. Call again with
    cursor=next_cursor for the next page. Costs nothing.
    """
    root, run = await find_run(call.server, run_id)
    report = report_of(run)
    if not report:
        return ToolAnswer({**without_report(run_id, root, run), "text": "", "next_cursor": None})
    text = await asyncio.to_thread(read_run_text, run_folder(call.server, root, run_id), "report.md")
    end = cursor + PAGE_CHARS
    page = {"text": text[cursor:end], "next_cursor": end if end < len(text) else None}
    return report_answer(run_id, root.name, report, page)


def without_report(run_id: str, root: Root, run: Json) -> Json:
    """The handle of a run without a report: it is not finished, was stopped, or is of a kind that writes none."""
    files = [name for name in run["files"] if name.startswith(("specs/", "results", "analysis"))]
    return {
        "run_id": run_id,
        "root": root.name,
        "status": run["status"] if run["status"] != "interrupted" else "stopped",
        "exit_reason": run["exit_reason"],
        "counts": {"files": len(run["files"])},
        "resources": {**resources_of(run_id), **{name: run_uri(run_id, name) for name in files[:25]}},
        "next": [f"resume_run(run_id={run_id!r}) goes on where it stopped"] if run["resumable"] else [],
    }


TOOL = client_tool(
    name="get_report",
    title="Read a run's report",
    input_schema=closed_object(
        ["run_id"], run_id=RUN_ID, cursor=integer(minimum=0, default=0, description="Where the page begins.")
    ),
    output_schema=open_object(
        [*HANDLE_SCHEMA["required"], "text", "next_cursor"],
        **HANDLE_SCHEMA["properties"],
        text=string(description="This page of the report, Markdown; empty while there is none."),
        next_cursor=NULLABLE_INTEGER,
    ),
    run=_run,
    read_only=True,
    idempotent=True,
)
