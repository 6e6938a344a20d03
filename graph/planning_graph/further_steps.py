"""Adds a second plan to the first: ids and files of its own, and nothing that was done already."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from pathlib import PurePosixPath
from typing import Any

from ...core.outcome import StepExit
from .planning_state import PlanStepState
from .steps import dependents, depends_on, generates, step_kind

_CLOSING = ("verify", "accept")
"""Families of steps that work on what the others made."""


def further_steps(
    new: Sequence[PlanStepState], plan: Sequence[PlanStepState], number: int, *, without: Collection[str] = ()
) -> list[PlanStepState]:
    """Return the steps of a further plan that are not in `plan` already.

    A generate step whose target is that of a step of the plan is left out, with what depends on it alone, unless that
    step failed: then it is done again. Ids get the prefix `goal<number>_`; a file that an earlier step has gets the
    suffix `_goal<number>`.

    Args:
        number: of the critique.
        without: ids of steps of the further plan that are left out as well.
    """
    failed = {_subject(step): step for step in plan if generates(step) and step["status"] == "failed"}
    known = [_subject(step) for step in plan if generates(step) and step["status"] != "failed"]
    wanted = [step for step in new if step["id"] not in without]
    kept = [step for step in wanted if not (generates(step) and _subject(step) in known)]
    names = {step["id"]: f"goal{number}_{step['id']}" for step in kept}
    # The files of a step that kept nothing are free for the one that does its work again.
    owners = [step for step in plan if step not in failed.values() or (step["result"] or {}).get("kept")]
    taken = {step["params"].get(key) for step in owners for key in ("test_path", "spec_path")}
    paths = {
        path: _free(path, taken, number)
        for step in new
        for key in ("test_path", "spec_path")
        if isinstance(path := step["params"].get(key), str)
    }
    gone = {step["params"].get("test_path") for step in new if step not in kept}
    found: list[PlanStepState] = []
    for step in kept:
        params = {**_params(step["params"], names, paths, gone), "of_critique": number}
        if generates(step) and (before := failed.get(_subject(step))) is not None:
            params["redoes"] = before["id"]
        found.append({**step, "id": names[step["id"]], "params": params})
    return found


def reopened(plan: Sequence[PlanStepState], revealed: set[str], number: int) -> list[PlanStepState]:
    """Return the plan with steps open again that had been skipped in reserve, with what was skipped for want of them.

    The plan has been closed already, so that their tests are verified and accepted by steps of their own.

    Args:
        revealed: ids of the steps in reserve.
        number: of the critique.
    """
    if not revealed:
        return list(plan)
    waiting = dependents(plan, revealed)
    closing = [step for step in plan if step["id"] in waiting and step_kind(step["type"]).family in _CLOSING]
    again = {step["id"] for step in plan if step["id"] in waiting and step not in closing and _was_blocked(step)}
    again |= revealed
    found = [_open(step, number, is_revealed=step["id"] in revealed) if step["id"] in again else step for step in plan]
    names = {step["id"]: f"goal{number}_reserve_{step['id']}" for step in closing}
    made = [path for step in found if step["id"] in again and (path := step["params"].get("test_path"))]
    for step in closing:
        before = [names.get(name, name) for name in depends_on(step) if name in again or name in names]
        params = {**step["params"], "depends_on": before, "test_paths": made, "of_critique": number}
        found.append({**_cleared(step), "id": names[step["id"]], "params": params})
    return found


def _was_blocked(step: PlanStepState) -> bool:
    return (step["result"] or {}).get("exit_reason") == StepExit.DEPENDENCY_FAILED


def _open(step: PlanStepState, number: int, *, is_revealed: bool) -> PlanStepState:
    marks = {"of_critique": number, **({"revealed": True} if is_revealed else {})}
    return {**_cleared(step), "params": {**step["params"], **marks}}


def _cleared(step: PlanStepState) -> PlanStepState:
    return {**step, "status": "pending", "result": None, "error_message": None}


def _subject(step: PlanStepState) -> tuple[Any, ...]:
    target = step["params"].get("target")
    if not isinstance(target, dict):
        return (step["type"], target)
    return (step["type"], target.get("path"), target.get("endpoint"), tuple(target.get("symbols") or ()))


def _free(path: str, taken: set[Any], number: int) -> str:
    place = PurePosixPath(path)
    return path if path not in taken else str(place.with_name(f"{place.stem}_goal{number}{place.suffix}"))


def _params(params: dict[str, Any], names: dict[str, str], paths: dict[str, str], gone: set[Any]) -> dict[str, Any]:
    found = {key: paths.get(value, value) if isinstance(value, str) else value for key, value in params.items()}
    found["depends_on"] = [names[before] for before in params.get("depends_on") or () if before in names]
    if isinstance(params.get("test_paths"), list):
        found["test_paths"] = [paths.get(path, path) for path in params["test_paths"] if path not in gone]
    return found
