"""Checks a planner's answer strictly: returns a plan that can be executed, or every reason why it cannot."""

from __future__ import annotations

from collections.abc import Mapping
from graphlib import CycleError, TopologicalSorter
from typing import Any

from .planning_state import PlanStepState
from .steps import UNKNOWN_KIND, depends_on, step_kind


def check_plan(steps: Any) -> tuple[list[PlanStepState], list[dict[str, str]]]:
    """Return the steps as pending PlanSteps, and the problems, each with `path`, `message`, `suggestion`.

    The steps are complete only when there are no problems. Order is kept.
    """
    if not isinstance(steps, list):
        return [], [_problem("$.steps", "is not a list", "answer with a list of steps")]
    plan: list[PlanStepState] = []
    problems: list[dict[str, str]] = []
    for index, step in enumerate(steps):
        found = _step_problems(step, f"$.steps[{index}]")
        problems += found
        if not found:
            plan.append(_pending(step))
    return plan, problems + ([] if problems else _graph_problems(plan))


def _pending(step: Mapping[str, Any]) -> PlanStepState:
    return PlanStepState(
        id=step["id"],
        type=step["type"],
        status="pending",
        params=dict(step["params"]),
        result=None,
        error_message=None,
    )


def _step_problems(step: Any, path: str) -> list[dict[str, str]]:
    if not isinstance(step, Mapping):
        return [_problem(path, "is not an object", "write id, type and params")]
    problems = [
        _problem(f"{path}.{key}", "must be a non-empty string", f"give the step its {key}")
        for key in ("id", "type")
        if not (isinstance(step.get(key), str) and step[key].strip())
    ]
    params = step.get("params")
    if not isinstance(params, Mapping):
        return [*problems, _problem(f"{path}.params", "must be an object", "write the step's parameters")]
    before = params.get("depends_on") or []
    if not (isinstance(before, list) and all(isinstance(step_id, str) for step_id in before)):
        problems.append(_problem(f"{path}.params.depends_on", "must be a list of step ids", "list ids or leave it out"))
    if problems:
        return problems
    kind = step_kind(step["type"])
    if kind is UNKNOWN_KIND:
        known = (
            "generate_<test type>_tests, verify_suite, accept_tests, retrieve_context, crawl_repository, "
            "write_test_cases, engineer_tests"
        )
        return [_problem(f"{path}.type", f"{step['type']!r} is no step type", f"use one of {known}")]
    missing = [key for key in kind.required if not params.get(key)]
    return [_problem(f"{path}.params.{key}", "is missing", f"a {step['type']} step needs it") for key in missing]


def _graph_problems(plan: list[PlanStepState]) -> list[dict[str, str]]:
    ids = [step["id"] for step in plan]
    problems: list[dict[str, str]] = []
    for index, step in enumerate(plan):
        if ids.index(step["id"]) != index:
            problems.append(_problem(f"$.steps[{index}].id", f"{step['id']!r} is taken", "give every step its own id"))
        for before in depends_on(step):
            if before not in ids:
                path = f"$.steps[{index}].params.depends_on"
                problems.append(_problem(path, f"there is no step {before!r}", "name steps of this plan"))
    for key in ("spec_path", "test_path"):
        problems += _shared_path_problems(plan, key)
    if problems:
        return problems
    try:
        TopologicalSorter({step["id"]: depends_on(step) for step in plan}).prepare()
    except CycleError as error:
        cycle = " → ".join(str(step_id) for step_id in error.args[1])
        return [_problem("$.steps", f"steps wait for each other: {cycle}", "remove one of the dependencies")]
    return []


def _shared_path_problems(plan: list[PlanStepState], key: str) -> list[dict[str, str]]:
    """List steps that write the same file: one would overwrite the other."""
    seen: dict[str, str] = {}
    problems: list[dict[str, str]] = []
    for index, step in enumerate(plan):
        path = step["params"].get(key)
        if not isinstance(path, str):
            continue
        if path in seen:
            message = f"{path!r} is written by {seen[path]!r} already"
            problems.append(_problem(f"$.steps[{index}].params.{key}", message, "give every step its own file"))
        seen.setdefault(path, step["id"])
    return problems


def _problem(path: str, message: str, suggestion: str) -> dict[str, str]:
    return {"path": path, "message": message, "severity": "error", "suggestion": suggestion}
