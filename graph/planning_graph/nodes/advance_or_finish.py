"""Node `advance_or_finish`: points at the next step, or ends the plan."""

from __future__ import annotations

from typing import Any

from langgraph.runtime import Runtime

from ....core.outcome import MODEL_EXITS, ExitReason, StepExit
from ...context import RunContext, services_of
from ...node import reported_node
from ..planning_state import PlanningAgentState, PlanStepState
from ..steps import (
    StepOutcome,
    blocked_by,
    emit_plan_ended,
    first_unfinished,
    generates,
    is_finished,
    mark_ready_in_progress,
    ready_steps,
    skipped,
    step_kind,
)


@reported_node
async def advance_or_finish(state: PlanningAgentState, runtime: Runtime[RunContext]) -> dict[str, Any]:
    """Skip steps that can no longer be executed, point at the first unfinished step, end the plan without one."""
    plan = _settled(state["plan"], state["failure"])
    index = first_unfinished(plan)
    before = {step["id"] for step in state["plan"] if is_finished(step)}
    new = [step for step in plan if is_finished(step) and step["id"] not in before]
    logs = [f"{step['id']} skipped: {step['error_message']}" for step in new]
    if index < len(plan):
        return {"plan": mark_ready_in_progress(plan), "current_step_index": index, "logs": logs, "status": "executing"}
    exit_reason = exit_reason_of(plan, state["failure"])
    status = "completed" if exit_reason is ExitReason.COMPLETED else "failed"
    emit_plan_ended(services_of(runtime), exit_reason)
    return {
        "plan": plan,
        "current_step_index": index,
        "logs": [*logs, f"the plan {status}: {exit_reason}"],
        "status": status,
        "exit_reason": str(exit_reason),
    }


def exit_reason_of(plan: list[PlanStepState], failure: dict[str, Any] | None) -> ExitReason:
    """Return why a plan ended whose steps all have a final status."""
    if failure is not None:
        return MODEL_EXITS.get(str(failure.get("exit_reason"))) or ExitReason.ENVIRONMENT
    if any(_exit(step) == StepExit.BUDGET_EXHAUSTED for step in plan):
        return ExitReason.BUDGET_EXHAUSTED
    generated = [step for step in plan if generates(step)]
    if generated and not any(step["status"] == "completed" for step in generated):
        ends = {str(_exit(step)) for step in generated}
        if len(ends) == 1 and (of_model := MODEL_EXITS.get(next(iter(ends)))) is not None:
            return of_model
        nothing = ends == {StepExit.NOTHING_TO_TEST}
        return ExitReason.NOTHING_TO_DO if nothing else ExitReason.NOTHING_KEPT
    if any(step_kind(step["type"]).family == "verify" and _exit(step) == StepExit.NOTHING_KEPT for step in plan):
        return ExitReason.NOTHING_KEPT
    return ExitReason.PARTIAL if any(step["status"] == "failed" for step in plan) else ExitReason.COMPLETED


def _exit(step: PlanStepState) -> str | None:
    return (step["result"] or {}).get("exit_reason")


def _settled(plan: list[PlanStepState], failure: dict[str, Any] | None) -> list[PlanStepState]:
    """Return the plan with every step skipped that is ready but blocked, or that a machine fault would end as well."""
    plan = list(plan)
    changed = True
    while changed:  # a skipped step may make further steps ready, which are then blocked
        changed = False
        for step in ready_steps(plan):
            outcome = _skip_outcome(step, plan, failure)
            if outcome is not None:
                plan[plan.index(step)] = outcome.applied(step)
                changed = True
    return plan


def _skip_outcome(step: PlanStepState, plan: list[PlanStepState], failure: dict[str, Any] | None) -> StepOutcome | None:
    if failure is not None:
        return skipped(StepExit.RUN_ENDED, f"not begun: {failure['message']}")
    blocker = blocked_by(step, plan)
    return skipped(StepExit.DEPENDENCY_FAILED, f"not begun: {blocker} was not completed") if blocker else None
