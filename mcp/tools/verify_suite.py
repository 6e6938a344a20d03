"""`verify_suite`: all staged test files together, in several orders, until what is left holds in company (B-11)."""

from __future__ import annotations

import asyncio
from typing import Any

from ...gate.evidence.summary import tool_result
from ...gate.verify.suite_verification import TogetherOptions, verify_together
from ..toolbox.definition import ToolDefinition, closed_object
from ..toolbox.services import ToolServices
from .run_tests import OPTIONS, RESULT_SCHEMA, measured_files, read_spec, staged_files


async def _run(services: ToolServices, /, **arguments: Any) -> dict[str, Any]:
    options = arguments["options"]
    framework = options.get("framework") or "pytest"
    files = await asyncio.to_thread(staged_files, services, arguments["test_paths"], framework)
    specs = await asyncio.to_thread(_specs, services)
    measured = await asyncio.to_thread(_measured, services, specs)
    target = await services.python_target()
    before = await services.baselines.of_project(target) if measured else None
    limits = {key: options[key] for key in ("test_seconds", "wall_seconds") if key in options}
    together = TogetherOptions(measure=tuple(measured), **limits)
    verification = await verify_together(target, files, framework=framework, specs=specs, options=together)
    return tool_result(verification, before=before)


def _specs(services: ToolServices) -> dict[str, dict[str, Any]]:
    """The run's specs; those that were given up (`.rejected.json`) are none."""
    folder = services.run_folder.specs
    paths = sorted(folder.rglob("*.json")) if folder.is_dir() else []
    names = [path.relative_to(services.run_folder.path).as_posix() for path in paths if not path.is_symlink()]
    return {name: spec for name in names if not name.endswith(".rejected.json") and (spec := read_spec(services, name))}


def _measured(services: ToolServices, specs: dict[str, dict[str, Any]]) -> list[str]:
    return sorted({path for spec in specs.values() for path in measured_files(services, spec)})


TOOL = ToolDefinition(
    name="verify_suite",
    description="Runs staged test files together in the sandbox, in several orders, and tells which tests do not hold "
    "in the company of the others.",
    input_schema=closed_object(
        {
            "test_paths": {
                "type": "array",
                "items": {"type": "string", "minLength": 1},
                "minItems": 1,
                "description": "Paths in the project, as staged.",
            },
            "options": {**closed_object(OPTIONS, []), "default": {}},
        },
        ["test_paths"],
    ),
    output_schema=RESULT_SCHEMA,
    run=_run,
    timeout_seconds=3600.0,
)
