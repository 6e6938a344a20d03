"""Which steps can be executed now, which never can, and which comes first."""

from __future__ import annotations

from collections.abc import Sequence

from .plan_check import depends_on
from .planning_state import FINISHED, PlanStep
from .step_types import step_kind


def is_finished(step: PlanStep) -> bool:
    """Whether a step has its final status."""
    return step["status"] in FINISHED


def ready_steps(plan: Sequence[PlanStep]) -> list[PlanStep]:
    """Unfinished steps whose dependencies are all finished, in plan order. Call `blocked_by` before executing one."""
    finished = {step["id"] for step in plan if is_finished(step)}
    return [step for step in plan if not is_finished(step) and finished.issuperset(depends_on(step))]


def begin_ready(plan: Sequence[PlanStep]) -> list[PlanStep]:
    """The plan with every ready step in progress: what the checkpoint says while they are executed."""
    ready = {step["id"] for step in ready_steps(plan)}
    return [{**step, "status": "in_progress"} if step["id"] in ready else step for step in plan]


def blocked_by(step: PlanStep, plan: Sequence[PlanStep]) -> str | None:
    """The dependency that keeps a ready step from being executed, or None.

    A tolerant step is never blocked, and an optional step never blocks.
    """
    kind = step_kind(step["type"])
    if kind is not None and kind.tolerant:
        return None
    needed = {one["id"] for one in plan if one["status"] != "completed" and not _is_optional(one)}
    return next((before for before in depends_on(step) if before in needed), None)


def _is_optional(step: PlanStep) -> bool:
    kind = step_kind(step["type"])
    return kind is not None and kind.optional


def first_unfinished(plan: Sequence[PlanStep]) -> int:
    """Index of the first step without a final status; the length of the plan when all have one."""
    return next((index for index, step in enumerate(plan) if not is_finished(step)), len(plan))


def dependents(plan: Sequence[PlanStep], ids: set[str]) -> set[str]:
    """Ids of all steps that depend on any of `ids`, directly or not; without `ids` themselves."""
    found = set(ids)
    grown = True
    while grown:
        more = {step["id"] for step in plan if found.intersection(depends_on(step))}
        grown = not more <= found
        found |= more
    return found - ids
