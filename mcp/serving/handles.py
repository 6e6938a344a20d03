"""Small handles for large things: a run's id, its counts, and where its details can be read (B-10)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote, unquote

from ...core.errors import ToolInputError
from .backend import Json

SCHEME = "testwright://"
RUNS = f"{SCHEME}runs/"
_LISTED = 25
_DEFECTS = 10
_COMMAND = "`testwright "
"""In advice that is for people at a command line."""

_STRINGS: Json = {"type": "array", "items": {"type": "string"}}

HANDLE_SCHEMA: Json = {
    "type": "object",
    "required": ["run_id", "root", "status", "counts", "resources", "next"],
    "properties": {
        "run_id": {"type": "string", "description": "Names the run in later calls."},
        "root": {"type": "string", "description": "The served project it belongs to."},
        "status": {"type": "string", "enum": ["completed", "failed", "stopped", "running", "created", "unknown"]},
        "exit_reason": {"type": ["string", "null"]},
        "counts": {"type": "object", "additionalProperties": {"type": "integer"}},
        "tests": {
            "type": "array",
            "description": "Test files that hold, staged and not yet in the project; the first ones only.",
            "items": {
                "type": "object",
                "required": ["path", "uri", "outcome"],
                "properties": {
                    "path": {"type": "string"},
                    "uri": {"type": "string"},
                    "outcome": {"type": "string"},
                },
            },
        },
        "specs": {"type": "array", "items": {"type": "object", "required": ["target", "uri"]}},
        "suspected_defects": {"type": "array", "items": {"type": "object", "required": ["id", "title", "target"]}},
        "not_understood": {"type": "array", "items": {"type": "object"}},
        "resources": {"type": "object", "additionalProperties": {"type": "string"}},
        "next": {**_STRINGS, "description": "What can be done from here."},
    },
}


@dataclass(frozen=True, slots=True)
class Link:
    """A resource that an answer points to."""

    uri: str
    name: str
    description: str
    mime_type: str


def run_uri(run_id: str, *parts: str) -> str:
    """The URI of a part of a run; a part may be a path."""
    return RUNS + "/".join([quote(run_id, safe=""), *(quote(part, safe="/") for part in parts)])


def run_part(uri: str) -> tuple[str, str]:
    """The run's id and the part a URI of ours names, "" for the run itself.

    Raises:
        ToolInputError: it is no URI of a run.
    """
    if not uri.startswith(RUNS):
        raise ToolInputError(f"{uri!r} is no URI of a run", advice=f"such URIs begin with {RUNS}")
    run_id, _, part = uri.removeprefix(RUNS).partition("?")[0].partition("/")
    return unquote(run_id), unquote(part)


def report_handle(run_id: str, root: str, report: Mapping[str, Any]) -> Json:
    """The handle of a run that has a report (`schemas/report_schema_v1.json`)."""
    files = [one for one in report["files"] if one["outcome"] != "conflict"]
    defects = report["suspected_defects"]
    return {
        "run_id": run_id,
        "root": root,
        "status": report["status"],
        "exit_reason": report["exit_reason"],
        "counts": {name: count for name, count in report["totals"].items() if isinstance(count, int)},
        "tests": [
            {"path": one["path"], "uri": run_uri(run_id, "tests", one["path"]), "outcome": one["outcome"]}
            for one in files[:_LISTED]
        ],
        "specs": [
            {"target": one["path"], "uri": run_uri(run_id, one["spec_path"])}
            for one in report["targets"][:_LISTED]
            if one["spec_path"]
        ],
        "suspected_defects": [
            {"id": one["id"], "title": one["title"], "target": one["target"], "evidence": one["evidence"]}
            for one in defects[:_DEFECTS]
        ],
        "not_understood": [dict(one) for one in report["not_understood"][:_DEFECTS]],
        "resources": resources_of(run_id),
        "next": _next(run_id, report, staged=any(one["outcome"] == "staged" for one in files)),
    }


def resources_of(run_id: str) -> dict[str, str]:
    """Where the details of a run are read."""
    return {
        "report": run_uri(run_id, "report.md"),
        "report_json": run_uri(run_id, "report.json"),
        "plan": run_uri(run_id, "plan.json"),
        "events": run_uri(run_id, "events"),
    }


def report_links(run_id: str) -> tuple[Link, ...]:
    """Links to a run's report."""
    return (
        Link(run_uri(run_id, "report.md"), "report.md", "The report, for people", "text/markdown"),
        Link(run_uri(run_id, "report.json"), "report.json", "The report, for machines", "application/json"),
    )


def _next(run_id: str, report: Mapping[str, Any], *, staged: bool) -> list[str]:
    said: list[str] = []
    if staged:
        said.append(f"apply_tests(run_id={run_id!r}) adds the staged tests to the project, when they are wanted there")
    if report["suspected_defects"]:
        said.append(
            "the report tells of each suspected defect what is documented, what was observed, how to reproduce it"
        )
    if report["status"] == "stopped":
        said.append(f"resume_run(run_id={run_id!r}) goes on where it stopped")
    return said + [line for line in report["advice"][:_DEFECTS] if _COMMAND not in line]
