"""`lint_code`: what ruff says about a Python file; a project's file by the project's own rules."""

from __future__ import annotations

import asyncio
from typing import Any

from ...errors import ToolFailure
from ..checks.ruff import lint_project_file, lint_test_source
from ..definition import ToolDefinition, closed_object
from ..paths import read_text
from ..services import ToolServices


async def _run(services: ToolServices, /, **arguments: Any) -> dict[str, Any]:
    return await asyncio.to_thread(_linted, services, arguments["file_path"])


def _linted(services: ToolServices, given: str) -> dict[str, Any]:
    place = services.any_file(given)
    if place.suffix not in (".py", ".pyi"):
        raise ToolFailure(f"{given!r} cannot be linted: only Python files can", advice="give a .py or .pyi file")
    if place.resolve().is_relative_to(services.run_folder.path.resolve()):
        found = lint_test_source(read_text(place, given), given)
    else:
        found = lint_project_file(place, services.root)
    return {
        "errors": [{"line": one.line, "column": one.column, "rule": one.rule, "message": one.message} for one in found]
    }


TOOL = ToolDefinition(
    name="lint_code",
    description="Lints a Python file: the project's by its own ruff rules, those of the run by the rules for tests.",
    input_schema=closed_object(
        {"file_path": {"type": "string", "minLength": 1, "description": "Path in the run's folder or the project."}}
    ),
    output_schema=closed_object(
        {
            "errors": {
                "type": "array",
                "items": closed_object(
                    {
                        "line": {"type": "integer"},
                        "column": {"type": "integer"},
                        "rule": {"type": "string"},
                        "message": {"type": "string"},
                    }
                ),
            }
        }
    ),
    run=_run,
    timeout_seconds=120.0,
)
