"""`get_report`: a run by its id, with its report in pages, for clients that read no resources (B-10)."""

from __future__ import annotations

import asyncio
from typing import Any

from ...toolbox.definition import closed_object
from ..backend import Json
from ..handles import HANDLE_SCHEMA, report_handle, report_links, resources_of
from ..jobs import found_run
from ..roots import Root
from ..tool_definition import RUN_ID, Answer, Call, Desk, ServedTool
from .run_files import folder_of

PAGE_CHARS = 16_000


async def _serve(desk: Desk, call: Call, /, **arguments: Any) -> Answer:
    run_id, cursor = arguments["run_id"], arguments["cursor"]
    root, run = await found_run(desk, run_id)
    if not run["report"]:
        return Answer({**_unreported(run_id, root, run), "text": "", "next_cursor": None})
    text = await asyncio.to_thread(_report_text, desk, root, run_id)
    end = cursor + PAGE_CHARS
    page = {"text": text[cursor:end], "next_cursor": end if end < len(text) else None}
    return Answer({**report_handle(run_id, root.name, run["report"]), **page}, report_links(run_id))


def _report_text(desk: Desk, root: Root, run_id: str) -> str:
    return folder_of(desk.application.state(root.path), run_id).report_md.read_text("utf-8")


def _unreported(run_id: str, root: Root, run: Json) -> Json:
    """The handle of a run that has no report: it goes on, was stopped, or is of a kind that makes none."""
    status = run["status"] if run["status"] != "interrupted" else "stopped"
    files = [one for one in run["files"] if one.startswith(("specs/", "results", "analysis"))]
    resumed = [f"resume_run(run_id={run_id!r}) goes on where it stopped"] if run["resumable"] else []
    return {
        "run_id": run_id,
        "root": root.name,
        "status": status,
        "exit_reason": run["exit_reason"],
        "counts": {"files": len(run["files"])},
        "resources": {**resources_of(run_id), **{one: f"testwright://runs/{run_id}/{one}" for one in files[:25]}},
        "next": resumed,
    }


TOOL = ServedTool(
    name="get_report",
    title="Read a run's report",
    description="Tells how any run of a served project stands, by its id, with its report for people in pages: "
    "what was kept and why it may be trusted, what was dropped and why, suspected defects with what "
    "is documented, what was observed and how to reproduce it. Use it after generate_tests, or for a"
    " run of another session. Call again with cursor=next_cursor for the next page. Costs nothing.",
    input_schema=closed_object(
        {
            "run_id": RUN_ID,
            "cursor": {"type": "integer", "minimum": 0, "default": 0, "description": "Where the page begins."},
        },
        ["run_id"],
    ),
    output_schema={
        **HANDLE_SCHEMA,
        "required": [*HANDLE_SCHEMA["required"], "text", "next_cursor"],
        "properties": {
            **HANDLE_SCHEMA["properties"],
            "text": {"type": "string", "description": "This page of the report, Markdown; empty while there is none."},
            "next_cursor": {"type": ["integer", "null"]},
        },
    },
    serve=_serve,
    read_only=True,
    idempotent=True,
)
