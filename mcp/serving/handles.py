"""Builds small handles for large things: a run's id, its counts, and the URIs of its details."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from urllib.parse import quote, unquote

from ...core.errors import ToolInputError
from ..toolbox.json_schema import TEXTS, Schema, array, integer, open_object, string
from ..toolbox.tool_spec import Json, Link, ToolAnswer

RUNS = "testwright://runs/"
_MAX_LISTED = 25
_NOT_THERE = ("removed", "edited", "conflict")
_MAX_DEFECTS = 10
_COMMAND = "`testwright "
"""Marks advice for people at a command line."""

HANDLE_SCHEMA: Schema = open_object(
    ["run_id", "root", "status", "counts", "resources", "next"],
    run_id=string(description="Names the run in later calls."),
    root=string(description="The served project it belongs to."),
    status=string(enum=["completed", "failed", "stopped", "running", "created", "unknown"]),
    exit_reason={"type": ["string", "null"]},
    counts={"type": "object", "additionalProperties": integer()},
    tests={
        "type": "array",
        "description": "Test files that hold, staged and not yet in the project; the first ones only.",
        "items": open_object(["path", "uri", "outcome"], path=string(), uri=string(), outcome=string()),
    },
    specs=array(open_object(["target", "uri"])),
    suspected_defects=array(open_object(["id", "title", "target"])),
    not_understood=array({"type": "object"}),
    resources={"type": "object", "additionalProperties": string()},
    next={**TEXTS, "description": "What can be done from here."},
)


def run_uri(run_id: str, *parts: str) -> str:
    """Builds the URI of a part of a run; a part may be a path."""
    return RUNS + "/".join([quote(run_id, safe=""), *(quote(part, safe="/") for part in parts)])


def parse_run_uri(uri: str) -> tuple[str, str]:
    """Splits a run's URI into the run's id and the part it names, "" for the run itself.

    Raises:
        ToolInputError: it is no URI of a run.
    """
    if not uri.startswith(RUNS):
        raise ToolInputError(f"{uri!r} is no URI of a run", advice=f"such URIs begin with {RUNS}")
    run_id, _, part = uri.removeprefix(RUNS).partition("?")[0].partition("/")
    return unquote(run_id), unquote(part)


def report_answer(run_id: str, root: str, report: Mapping[str, Any], more: Json | None = None) -> ToolAnswer:
    """Answers with the handle of a run that has a report (`schemas/report_schema_v1.json`), and links to the report.

    Args:
        more: further fields of the answer.
    """
    links = (
        Link(run_uri(run_id, "report.md"), "report.md", "The report, for people", "text/markdown"),
        Link(run_uri(run_id, "report.json"), "report.json", "The report, for machines", "application/json"),
    )
    return ToolAnswer({**_handle(run_id, root, report), **(more or {})}, links)


def _handle(run_id: str, root: str, report: Mapping[str, Any]) -> Json:
    files = [file for file in report["files"] if file["outcome"] not in _NOT_THERE]
    return {
        "run_id": run_id,
        "root": root,
        "status": report["status"],
        "exit_reason": report["exit_reason"],
        "counts": {name: count for name, count in report["totals"].items() if isinstance(count, int)},
        "tests": [
            {"path": file["path"], "uri": run_uri(run_id, "tests", file["path"]), "outcome": file["outcome"]}
            for file in files[:_MAX_LISTED]
        ],
        "specs": [
            {"target": target["path"], "uri": run_uri(run_id, target["spec_path"])}
            for target in report["targets"][:_MAX_LISTED]
            if target["spec_path"]
        ],
        "suspected_defects": [
            {name: defect[name] for name in ("id", "title", "target", "evidence")}
            for defect in report["suspected_defects"][:_MAX_DEFECTS]
        ],
        "not_understood": [dict(part) for part in report["not_understood"][:_MAX_DEFECTS]],
        "resources": resources_of(run_id),
        "next": _next_steps(run_id, report, is_staged=any(file["outcome"] == "staged" for file in files)),
    }


def resources_of(run_id: str) -> dict[str, str]:
    """The URIs of a run's details."""
    return {
        "report": run_uri(run_id, "report.md"),
        "report_json": run_uri(run_id, "report.json"),
        "plan": run_uri(run_id, "plan.json"),
        "events": run_uri(run_id, "events"),
    }


def _next_steps(run_id: str, report: Mapping[str, Any], *, is_staged: bool) -> list[str]:
    steps: list[str] = []
    if is_staged:
        steps.append(f"apply_tests(run_id={run_id!r}) adds the staged tests to the project, when they are wanted there")
    if report["suspected_defects"]:
        steps.append(
            "the report tells of each suspected defect what is documented, what was observed, how to reproduce it"
        )
    if report["status"] == "stopped":
        steps.append(f"resume_run(run_id={run_id!r}) goes on where it stopped")
    return steps + [line for line in report["advice"][:_MAX_DEFECTS] if _COMMAND not in line]
