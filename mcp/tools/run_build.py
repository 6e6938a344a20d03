"""`run_build`: builds or type-checks the project by its own means, in the sandbox."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Sequence

from ...analysis.builds.detect import StepResult, detect
from ...analysis.builds.run import read_errors, run_steps
from ...utils.redact import Redactor
from ..toolbox.json_schema import COUNT, NULLABLE_INTEGER, array, closed_object, open_object, string, strings
from ..toolbox.services import ToolServices
from ..toolbox.tool_spec import ClientForm, Json, ToolSpec

_MAX_SECONDS = 1800
_MAX_OUTPUT_CHARS = 8000
_MAX_ERRORS = 200
_MAX_TEXT_CHARS = 500
_WORST_FIRST = ("failed", "timed_out", "unavailable", "skipped", "passed")
_NOT_FOUND_ADVICE = (
    "Say how it is built with the setting build_command (testwright.toml), or add a script `build` to package.json, "
    "a target `build` to the Makefile, or a section for mypy or pyright to pyproject.toml."
)


async def _run(services: ToolServices, /, timeout_seconds: float) -> Json:
    """Builds or type-checks the project as it says itself, on a copy in the sandbox without network: the configured
    command; else its Python modules are compiled and the configured mypy or pyright runs, the scripts typecheck and
    build of package.json run, or a Makefile target does. Tells status, time and every error with its place. The project
    itself is not changed; nothing is installed.
    """
    target = await services.python_target()
    steps = await asyncio.to_thread(detect, services.root, target.interpreter, services.build_command)
    # The copy leaves out our own state and cache.
    state = services.run_folder.path.parent.parent
    results: list[StepResult] = []
    if steps:
        exclude = (state, services.cache_dir)
        results = await run_steps(target, steps, seconds=float(timeout_seconds), exclude=exclude)
    answer = await asyncio.to_thread(_summarize, results)
    return {**answer, "sandbox": target.sandbox.kind}


def _summarize(results: Sequence[StepResult]) -> Json:
    # Build output may show what the environment holds.
    redactor = Redactor.from_environment(os.environ)
    worst = min(results, key=lambda result: _WORST_FIRST.index(result.status), default=None)
    errors = [error for result in results for error in read_errors(result.output)]
    output = redactor.text("\n".join(result.output for result in results if result.output.strip()))
    listed = [
        {key: redactor.text(value)[:_MAX_TEXT_CHARS] if isinstance(value, str) else value for key, value in row.items()}
        for row in (error.to_dict() for error in errors[:_MAX_ERRORS])
    ]
    return {
        "status": worst.status if worst else "not_found",
        "kind": worst.step.kind if worst else "",
        "command": redactor.text(" && ".join(result.step.command for result in results))[: 4 * _MAX_TEXT_CHARS],
        "detected_from": "; ".join(dict.fromkeys(result.step.detected_from for result in results)),
        "duration_seconds": round(sum(result.seconds for result in results), 3),
        "exit_code": worst.exit_code if worst else None,
        "reason": worst.reason if worst else "the project does not say how it is built",
        "advice": worst.advice if worst else _NOT_FOUND_ADVICE,
        "errors": listed,
        "errors_left_out": len(errors) - len(listed),
        "output": output[-_MAX_OUTPUT_CHARS:],
        "output_cut": len(output) > _MAX_OUTPUT_CHARS,
        "steps": [redactor.value(result.to_dict()) for result in results],
    }


TOOL = ToolSpec(
    name="run_build",
    input_schema=closed_object(
        [],
        timeout_seconds={
            "type": "number",
            "exclusiveMinimum": 0,
            "maximum": _MAX_SECONDS,
            "default": 300,
            "description": "Wall time for everything together.",
        },
    ),
    output_schema=closed_object(
        status=string(
            enum=["passed", "failed", "timed_out", "unavailable", "skipped", "not_found"],
            description="unavailable: a tool is missing, see advice; not_found: nothing says how it is built.",
        ),
        **strings("kind", "command", "detected_from"),
        duration_seconds={"type": "number", "minimum": 0},
        exit_code=NULLABLE_INTEGER,
        **strings("reason", "advice"),
        errors=array(
            closed_object(
                path=string(),
                line=NULLABLE_INTEGER,
                column=NULLABLE_INTEGER,
                **strings("code", "message"),
                severity=string(enum=["error", "warning"]),
            )
        ),
        errors_left_out=COUNT,
        output=string(description="The end of what was written, without secrets."),
        output_cut={"type": "boolean"},
        steps=array(open_object(["kind", "command", "detected_from", "status", "exit_code"])),
        sandbox=string(),
    ),
    run=_run,
    timeout_seconds=_MAX_SECONDS + 60.0,
    audience="both",
    client_form=ClientForm(
        title="Build or type-check the project",
        description="Builds or type-checks the project by its own configured means (build command, mypy or pyright, "
        "package.json scripts, Makefile target) on a copy in the sandbox without network, and tells status, time and "
        "every error with its place. Use it to see whether a project is sound before tests are generated, or after "
        "code was changed; lint_code and check_syntax look at one file. Nothing is installed or changed. Takes as long "
        "as the build.",
        runs_code=True,
    ),
)
