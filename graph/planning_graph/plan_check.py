"""Checks a planner's steps strictly: what cannot be executed is listed, with where and what to do."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from graphlib import CycleError, TopologicalSorter
from typing import Any

from .planning_state import PlanStepState
from .reserve import PREDICATES
from .risks import LEVELS
from .steps import STEP_TYPES, UNKNOWN_KIND, depends_on, step_kind


def check_plan(steps: Any, *, predicates: Collection[str] = ()) -> tuple[list[PlanStepState], list[dict[str, str]]]:
    """Return the steps as pending PlanSteps, and the problems, each with `path`, `message`, `suggestion`.

    The steps are complete only when there are no problems. Order is kept.

    Args:
        predicates: names of the run's own predicates for steps in reserve, beside those of `reserve.py`.
    """
    if not isinstance(steps, list):
        return [], [_problem("$.steps", "is not a list", "answer with a list of steps")]
    plan: list[PlanStepState] = []
    problems: list[dict[str, str]] = []
    for index, step in enumerate(steps):
        found = _step_problems(step, f"$.steps[{index}]", predicates)
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


def _step_problems(step: Any, path: str, predicates: Collection[str]) -> list[dict[str, str]]:
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
        known = ", ".join(STEP_TYPES)
        return [_problem(f"{path}.type", f"{step['type']!r} is no step type", f"use one of {known}")]
    missing = [key for key in kind.required if not params.get(key)]
    found = [_problem(f"{path}.params.{key}", "is missing", f"a {step['type']} step needs it") for key in missing]
    return found + _steering_problems(params, f"{path}.params", predicates)


def _steering_problems(params: Mapping[str, Any], path: str, predicates: Collection[str]) -> list[dict[str, str]]:
    """Problems of the params by which a step is steered."""
    problems: list[dict[str, str]] = []
    priority, risk, reveal = (params.get(key) for key in ("priority", "risk", "reveal_when"))
    if priority is not None and not (type(priority) is int and 0 <= priority <= 10):
        problems.append(_problem(f"{path}.priority", "must be a whole number from 0 to 10", "5 is usual"))
    if risk is not None and risk not in LEVELS:
        problems.append(_problem(f"{path}.risk", f"{risk!r} is no level of risk", f"use one of {', '.join(LEVELS)}"))
    known = sorted({*PREDICATES, *predicates})
    if reveal is not None and reveal not in known:
        suggestion = f"use one of {', '.join(known)}"
        problems.append(_problem(f"{path}.reveal_when", f"there is no predicate {reveal!r}", suggestion))
    return problems


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
