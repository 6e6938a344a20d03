"""`run_build`: whether the project builds, by its own build or type check, in the sandbox (T-12)."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Sequence
from typing import Any

from ...analysis.builds.detect import detect
from ...analysis.builds.error_output import read_errors
from ...analysis.builds.run import run_steps
from ...analysis.builds.steps import StepResult
from ...utils.redact import Redactor
from ..toolbox.definition import ToolDefinition, closed_object
from ..toolbox.services import ToolServices

_LONGEST_BUILD = 1800
_TAIL = 8000
_MOST_ERRORS = 200
_LONGEST_TEXT = 500
_WORST_FIRST = ("failed", "timed_out", "unavailable", "skipped", "passed")
_NOT_FOUND_ADVICE = (
    "Say how it is built with the setting build_command (testwright.toml), or add a script `build` to package.json, "
    "a target `build` to the Makefile, or a section for mypy or pyright to pyproject.toml."
)


async def _run(services: ToolServices, /, **arguments: Any) -> dict[str, Any]:
    target = await services.python_target()
    steps = await asyncio.to_thread(detect, services.root, target.interpreter, services.build_command)
    state = services.run_folder.path.parent.parent
    results: list[StepResult] = []
    if steps:
        seconds = float(arguments["timeout_seconds"])
        results = await run_steps(target, steps, seconds=seconds, exclude=(state, services.cache_dir))
    answer = await asyncio.to_thread(_answer, results)
    return {**answer, "sandbox": target.sandbox.kind}


def _answer(results: Sequence[StepResult]) -> dict[str, Any]:
    redactor = Redactor.from_environment(os.environ)
    worst = min(results, key=lambda one: _WORST_FIRST.index(one.status), default=None)
    errors = [one for result in results for one in read_errors(result.output)]
    output = redactor.text("\n".join(result.output for result in results if result.output.strip()))
    told = [
        {key: redactor.text(value)[:_LONGEST_TEXT] if isinstance(value, str) else value for key, value in one.items()}
        for one in (error.to_dict() for error in errors[:_MOST_ERRORS])
    ]
    return {
        "status": worst.status if worst else "not_found",
        "kind": worst.step.kind if worst else "",
        "command": redactor.text(" && ".join(one.step.command for one in results))[: 4 * _LONGEST_TEXT],
        "detected_from": "; ".join(dict.fromkeys(one.step.detected_from for one in results)),
        "duration_seconds": round(sum(one.seconds for one in results), 3),
        "exit_code": worst.exit_code if worst else None,
        "reason": worst.reason if worst else "the project does not say how it is built",
        "advice": worst.advice if worst else _NOT_FOUND_ADVICE,
        "errors": told,
        "errors_left_out": len(errors) - len(told),
        "output": output[-_TAIL:],
        "output_cut": len(output) > _TAIL,
        "steps": [redactor.value(one.to_dict()) for one in results],
    }


_TEXT = {"type": "string"}
_NUMBER = {"type": ["integer", "null"]}

TOOL = ToolDefinition(
    name="run_build",
    description=(
        "Builds or type-checks the project as it says itself, on a copy in the sandbox without network: the configured "
        "command; else its Python modules are compiled and the configured mypy or pyright runs, the scripts typecheck "
        "and build of package.json run, or a Makefile target does. Tells status, time and every error with its place. "
        "The project itself is not changed; nothing is installed."
    ),
    input_schema=closed_object(
        {
            "timeout_seconds": {
                "type": "number",
                "exclusiveMinimum": 0,
                "maximum": _LONGEST_BUILD,
                "default": 300,
                "description": "Wall time for everything together.",
            }
        },
        [],
    ),
    output_schema=closed_object(
        {
            "status": {
                "type": "string",
                "enum": ["passed", "failed", "timed_out", "unavailable", "skipped", "not_found"],
                "description": "unavailable: a tool is missing, see advice; not_found: nothing says how it is built.",
            },
            "kind": _TEXT,
            "command": _TEXT,
            "detected_from": _TEXT,
            "duration_seconds": {"type": "number", "minimum": 0},
            "exit_code": _NUMBER,
            "reason": _TEXT,
            "advice": _TEXT,
            "errors": {
                "type": "array",
                "items": closed_object(
                    {
                        "path": _TEXT,
                        "line": _NUMBER,
                        "column": _NUMBER,
                        "code": _TEXT,
                        "message": _TEXT,
                        "severity": {"type": "string", "enum": ["error", "warning"]},
                    }
                ),
            },
            "errors_left_out": {"type": "integer", "minimum": 0},
            "output": {"type": "string", "description": "The end of what was written, without secrets."},
            "output_cut": {"type": "boolean"},
            "steps": {
                "type": "array",
                "items": {"type": "object", "required": ["kind", "command", "detected_from", "status", "exit_code"]},
            },
            "sandbox": _TEXT,
        }
    ),
    run=_run,
    timeout_seconds=_LONGEST_BUILD + 60.0,
)
