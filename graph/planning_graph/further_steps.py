"""Adds a second plan to the first: ids and files of its own, and nothing that was done already."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import PurePosixPath
from typing import Any

from .planning_state import PlanStepState
from .steps import generates


def further_steps(new: Sequence[PlanStepState], plan: Sequence[PlanStepState], number: int) -> list[PlanStepState]:
    """Return the steps of a further plan that are not in `plan` already.

    A generate step whose target is that of a step of the plan is left out, with what depends on it alone. Ids get the
    prefix `goal<number>_`; a file that an earlier step has gets the suffix `_goal<number>`.
    """
    known = [_subject(step) for step in plan if generates(step)]
    kept = [step for step in new if not (generates(step) and _subject(step) in known)]
    names = {step["id"]: f"goal{number}_{step['id']}" for step in kept}
    taken = {step["params"].get(key) for step in plan for key in ("test_path", "spec_path")}
    paths = {
        path: _free(path, taken, number)
        for step in new
        for key in ("test_path", "spec_path")
        if isinstance(path := step["params"].get(key), str)
    }
    gone = {step["params"].get("test_path") for step in new if step not in kept}
    return [{**step, "id": names[step["id"]], "params": _params(step["params"], names, paths, gone)} for step in kept]


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
