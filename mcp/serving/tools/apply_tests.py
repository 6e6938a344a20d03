"""`apply_tests`: the one tool that adds files to the project, and only when it is called (B-09)."""

from __future__ import annotations

from typing import Any

from ...toolbox.definition import closed_object
from ..jobs import found_run
from ..tool_definition import RUN_ID, Answer, Call, Desk, ServedTool


async def _serve(desk: Desk, call: Call, /, **arguments: Any) -> Answer:
    run_id = arguments["run_id"]
    root, _ = await found_run(desk, run_id)
    async with desk.slots.taken(root.path):
        files = await desk.application.apply(root.path, run_id)
    outcomes = {"added", "updated", "unchanged", "conflict"}
    counts = {name: sum(one["outcome"] == name for one in files) for name in sorted(outcomes)}
    return Answer({"run_id": run_id, "root": root.name, "counts": counts, "files": files})


TOOL = ServedTool(
    name="apply_tests",
    title="Add a run's tests to the project",
    description="Adds the staged tests of a finished run to the project, at the paths its report names. This is "
    "the only tool that changes the project; call it when the user wants the tests there. A file "
    "that a person has changed is left as it is and told as a conflict; a generated file that nobody"
    " has changed is replaced. Calling it again changes nothing. Takes a moment.",
    input_schema=closed_object({"run_id": RUN_ID}),
    output_schema={
        "type": "object",
        "required": ["run_id", "root", "counts", "files"],
        "properties": {
            "run_id": {"type": "string"},
            "root": {"type": "string"},
            "counts": {"type": "object", "additionalProperties": {"type": "integer"}},
            "files": {
                "type": "array",
                "items": {
                    "type": "object",
                    "required": ["path", "outcome", "reason"],
                    "properties": {
                        "path": {"type": "string"},
                        "outcome": {"type": "string", "enum": ["added", "updated", "unchanged", "conflict"]},
                        "reason": {"type": "string"},
                    },
                },
            },
        },
    },
    serve=_serve,
    destructive=True,
    idempotent=True,
)
