"""Measures calls in the sandbox: writes the worker's request, runs it, reads its answers."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

from ...sandbox.protocol import Limits
from ...sandbox.target import PythonTarget
from ...sandbox.worker_files import worker_arguments
from ...utils.untrusted_files import write_file
from .model import ScaledForm

CALL_SECONDS = 1.0
"""What one call may take; a longer one is not measured."""

JOB_SECONDS = 20.0
SIZES = tuple(10 * 2**step for step in range(10))
"""The sizes that are tried: 10, 20, …, 5,120."""

JobKind = Literal["growth", "cost", "repeat"]


@dataclass(frozen=True, slots=True)
class Point:
    """A call at one size: statements that run once, the timed expression, what makes it a first call again."""

    size: int
    act: str
    statements: tuple[str, ...] = ()
    before: tuple[str, ...] = ()

    def to_json(self) -> dict[str, Any]:
        """As the worker reads it."""
        return {
            "size": self.size,
            "act": self.act,
            "statements": list(self.statements),
            "before": list(self.before),
        }


@dataclass(frozen=True, slots=True)
class Job:
    """Something to measure: the first of its forms that works counts; each is a list of points."""

    id: str
    kind: JobKind
    imports: tuple[str, ...]
    forms: tuple[tuple[Point, ...], ...]

    def to_json(self) -> dict[str, Any]:
        """As the worker reads it."""
        forms = [
            {"imports": list(self.imports), "points": [point.to_json() for point in points]} for points in self.forms
        ]
        return {"id": self.id, "kind": self.kind, "forms": forms}


def growth_points(form: ScaledForm, *, listed: bool) -> tuple[Point, ...]:
    """The calls of a form at all sizes; `listed` reads an iterator to its end."""
    points = []
    for size in SIZES:
        if form.inlined:
            act, statements = form.act_with(form.value_of(size)), form.setup()
        else:
            act, statements = form.act_with("_value"), (*form.setup(), f"_value = {form.value_of(size)}")
        points.append(Point(size, f"list({act})" if listed else act, statements))
    return tuple(points)


async def measure(
    target: PythonTarget, module: str, jobs: Sequence[Job], *, seconds: float
) -> dict[str, dict[str, Any]]:
    """Runs jobs one after another; returns the worker's answer by job id, with `problem` where it measured nothing.

    Args:
        module: the dotted name of the module whose calls they are.
        seconds: for all jobs together; those left then are not measured.

    Raises:
        SandboxFailure: the sandbox breaks.
        StorageError: there is no room for a copy of the project.
    """
    if not jobs:
        return {}
    request = {
        "module": module,
        "jobs": [job.to_json() for job in jobs],
        "job_seconds": JOB_SECONDS,
        "call_seconds": CALL_SECONDS,
        "all_seconds": seconds,
    }
    async with target.workspace() as workspace:
        place = f"{workspace.requests.name}/timing.json"
        write_file(workspace.folder, place, json.dumps(request))
        program = workspace.program(
            worker_arguments("timing.measure_calls", str(workspace.requests / "timing.json")),
            limits=Limits(wall_seconds=seconds + 2 * JOB_SECONDS, cpu_seconds=3600),
        )
        completed = await target.sandbox.run(program)
    answers = {job.id: {"problem": completed.reason or "it was not measured"} for job in jobs}
    for line in completed.stdout.splitlines():
        answer = _parsed(line)
        if answer is not None and answer["id"] in answers:
            answers[answer["id"]] = answer
    return answers


def _parsed(line: bytes) -> dict[str, Any] | None:
    """An answer of the worker; None for a line that code under test may have written."""
    try:
        answer = json.loads(line)
    except ValueError:
        return None
    return answer if isinstance(answer, dict) and isinstance(answer.get("id"), str) else None
