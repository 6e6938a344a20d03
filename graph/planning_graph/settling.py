"""Skips the steps of a plan that can no longer be executed."""

from __future__ import annotations

from typing import Any

from ...core.outcome import NOT_BEGUN, StepExit
from .planning_state import PlanStepState
from .steps import StepOutcome, blocked_by, is_finished, is_hidden, ready_steps, skipped, step_kind


def settled(plan: list[PlanStepState], failure: dict[str, Any] | None, passed: str = "") -> list[PlanStepState]:
    """Return the plan with every step skipped that is ready but blocked, or that ends with the run.

    Steps in reserve are skipped when nothing else is left that could reveal them.

    Args:
        failure: the fault that ends all other steps as well.
        passed: why nothing more is to be made; verifying and accepting are still done. "" for no such reason.
    """
    plan = list(plan)
    changed = True
    while changed:  # a skipped step may make further steps ready, which are then blocked
        changed = False
        candidates = ready_steps(plan) or [step for step in plan if is_hidden(step) and not is_finished(step)]
        for step in candidates:
            outcome = _skip_outcome(step, plan, failure, passed)
            if outcome is not None:
                plan[plan.index(step)] = outcome.applied(step)
                changed = True
    return plan


def _skip_outcome(
    step: PlanStepState, plan: list[PlanStepState], failure: dict[str, Any] | None, passed: str
) -> StepOutcome | None:
    if failure is not None:
        return skipped(StepExit.RUN_ENDED, f"{NOT_BEGUN}{failure['message']}")
    if is_hidden(step):
        return skipped(StepExit.NOT_REVEALED, "it was in reserve, and nothing needed it")
    if passed and step_kind(step["type"]).metered:
        return skipped(StepExit.PASSED, f"{NOT_BEGUN}{passed}")
    blocker = blocked_by(step, plan)
    return skipped(StepExit.DEPENDENCY_FAILED, f"{NOT_BEGUN}{blocker} was not completed") if blocker else None
