"""`accept_tests`: staged test files become files of the project (B-09)."""

from __future__ import annotations

import asyncio
from typing import Any

from ...core.errors import ToolFailure, UsageError
from ...store.files.acceptance import Acceptance
from ...store.files.staging import Staging
from ..toolbox.definition import ToolDefinition, closed_object
from ..toolbox.services import ToolServices
from ..toolbox.staged import with_needed


async def _run(services: ToolServices, /, **arguments: Any) -> dict[str, Any]:
    return await asyncio.to_thread(_accepted, services, arguments["test_paths"])


def _accepted(services: ToolServices, given: list[str]) -> dict[str, Any]:
    staged = services.run_folder.staged
    paths = list(dict.fromkeys(path for one in given for path in with_needed(staged, services.test_path(one))))
    try:
        answers = Staging(services.run_folder, services.root).accept(paths)
    except UsageError as error:
        raise ToolFailure(error.message, advice=error.advice, details=error.details) from error
    files = [{"path": one.path, "outcome": one.outcome} for one in answers if one.outcome != "conflict"]
    conflicts = [one for one in answers if one.outcome == "conflict"]
    if conflicts:
        raise _refused(conflicts, files)
    return {"files": files}


def _refused(conflicts: list[Acceptance], files: list[dict[str, str]]) -> ToolFailure:
    told = "; ".join(f"{one.path}: {one.reason}" for one in conflicts)
    added = f"; {len(files)} others are in the project" if files else ""
    return ToolFailure(
        f"{len(conflicts)} test {'file was' if len(conflicts) == 1 else 'files were'} not added: {told}{added}",
        advice="move or rename what is in the way, then apply the run again; the files stay staged",
        details={"conflicts": [{"path": one.path, "reason": one.reason} for one in conflicts], "files": files},
    )


TOOL = ToolDefinition(
    name="accept_tests",
    description="Adds staged test files, and the helpers they need, to the project; a file that a person wrote or "
    "changed is never overwritten.",
    input_schema=closed_object(
        {
            "test_paths": {
                "type": "array",
                "items": {"type": "string", "minLength": 1},
                "minItems": 1,
                "description": "Paths in the project, as staged.",
            }
        }
    ),
    output_schema=closed_object(
        {
            "files": {
                "type": "array",
                "items": closed_object(
                    {
                        "path": {"type": "string"},
                        "outcome": {"type": "string", "enum": ["added", "updated", "unchanged"]},
                    }
                ),
            }
        }
    ),
    run=_run,
    timeout_seconds=120.0,
    read_only=False,
)
