"""Node `advance_or_finish`: on to the next step, or to the end of the plan (T-04, P-11)."""

from __future__ import annotations

from typing import Any

from langgraph.runtime import Runtime

from ....core.outcome import ExitReason, StepExit
from ...context import RunContext, services_of
from ...node import reported
from ..ending import tell_end
from ..order import begin_ready, blocked_by, first_unfinished, is_finished, ready_steps
from ..planning_state import PlanningAgentState, PlanStep
from ..step_outcome import skipped
from ..step_types import step_kind


@reported
async def advance_or_finish(state: PlanningAgentState, runtime: Runtime[RunContext]) -> dict[str, Any]:
    """Skip what can no longer be executed, point at the first unfinished step, end the plan when there is none."""
    plan = _settled(state["plan"], state["failure"])
    index = first_unfinished(plan)
    before = {step["id"] for step in state["plan"] if is_finished(step)}
    new = [step for step in plan if is_finished(step) and step["id"] not in before]
    logs = [f"{step['id']} skipped: {step['error_message']}" for step in new]
    if index < len(plan):
        return {"plan": begin_ready(plan), "current_step_index": index, "logs": logs, "status": "executing"}
    exit_reason = exit_reason_of(plan, state["failure"])
    status = "failed" if _failed(plan, exit_reason) else "completed"
    tell_end(services_of(runtime), exit_reason)
    return {
        "plan": plan,
        "current_step_index": index,
        "logs": [*logs, f"the plan {status}: {exit_reason}"],
        "status": status,
        "exit_reason": str(exit_reason),
    }


def exit_reason_of(plan: list[PlanStep], failure: dict[str, Any] | None) -> ExitReason:
    """The typed reason why a plan ended, all of whose steps have a final status."""
    if failure is not None:
        return ExitReason.ENVIRONMENT
    if any(_exit(step) == StepExit.BUDGET_EXHAUSTED for step in plan):
        return ExitReason.BUDGET_EXHAUSTED
    made = [step for step in plan if _family(step) == "generate"]
    if made and not any(step["status"] == "completed" for step in made):
        nothing = all(_exit(step) == StepExit.NOTHING_TO_TEST for step in made)
        return ExitReason.NOTHING_TO_DO if nothing else ExitReason.NOTHING_KEPT
    if any(_family(step) == "verify" and _exit(step) == StepExit.NOTHING_KEPT for step in plan):
        return ExitReason.NOTHING_KEPT
    return ExitReason.PARTIAL if any(step["status"] == "failed" for step in plan) else ExitReason.COMPLETED


def _failed(plan: list[PlanStep], exit_reason: ExitReason) -> bool:
    """A plan is completed when no step failed and nothing stopped it early."""
    return exit_reason is not ExitReason.COMPLETED or any(step["status"] == "failed" for step in plan)


def _exit(step: PlanStep) -> str | None:
    return (step["result"] or {}).get("exit_reason")


def _family(step: PlanStep) -> str | None:
    kind = step_kind(step["type"])
    return kind.family if kind is not None else None


def _settled(plan: list[PlanStep], failure: dict[str, Any] | None) -> list[PlanStep]:
    """The plan with every step skipped that is ready but blocked, or that a fault of the machine would meet."""
    plan = list(plan)
    changed = True
    while changed:
        changed = False
        for step in ready_steps(plan):
            outcome = _hopeless(step, plan, failure)
            if outcome is not None:
                plan[[one["id"] for one in plan].index(step["id"])] = outcome.applied(step)
                changed = True
    return plan


def _hopeless(step: PlanStep, plan: list[PlanStep], failure: dict[str, Any] | None) -> Any:
    if failure is not None:
        return skipped(StepExit.RUN_ENDED, f"not begun: {failure['message']}")
    blocker = blocked_by(step, plan)
    return skipped(StepExit.DEPENDENCY_FAILED, f"not begun: {blocker} was not completed") if blocker else None
