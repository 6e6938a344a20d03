"""Node `advance_or_finish`: points at the next step, or ends the plan."""

from __future__ import annotations

from typing import Any

from langgraph.runtime import Runtime

from ....agents.control.flags import check_flags
from ....agents.control.verdicts import answer_text, parse_judge_verdict
from ....core.outcome import MODEL_EXITS, ExitReason, StepExit, count_undone
from ...context import RunContext, services_of
from ...faults import Fault
from ...node import reported_node
from ..planning_state import PlanningAgentState, PlanStepState
from ..reserve import revealed_plan
from ..settling import settled
from ..steering import ask_to_steer, control_of, step_rows, with_control, with_usage
from ..steps import emit_plan_ended, first_unfinished, generates, is_finished, mark_ready_in_progress, step_kind

_VALIDATED = frozenset({ExitReason.COMPLETED, ExitReason.PARTIAL, ExitReason.NOTHING_KEPT})
"""Ends of a plan after which its goal is validated: all others ended the run, or found nothing to do."""


@reported_node
async def advance_or_finish(state: PlanningAgentState, runtime: Runtime[RunContext]) -> dict[str, Any]:
    """Skip steps that can no longer be executed, point at the first unfinished step, end the plan without one.

    Before that, steps in reserve are revealed, and a judge may say that the request is met already, or end the run.
    """
    passed, failure, spent = await _judged(state, runtime)
    revealed = await revealed_plan(state, services_of(runtime).predicates)
    plan = settled(revealed, failure, passed)
    index = first_unfinished(plan)
    before = {step["id"] for step in state["plan"] if is_finished(step)}
    new = [step for step in plan if is_finished(step) and step["id"] not in before]
    logs = [f"{step['id']} skipped: {step['error_message']}" for step in new]
    steered = with_control(state, passed=passed) if passed else {}
    update = {**steered, **spent, "failure": failure, "current_step_index": index}
    if index < len(plan):
        return {**update, "plan": mark_ready_in_progress(plan), "logs": logs, "status": "executing"}
    exit_reason = exit_reason_of(plan, failure)
    status = "completed" if exit_reason is ExitReason.COMPLETED else "failed"
    if not awaits_validation(exit_reason):
        emit_plan_ended(services_of(runtime), exit_reason)
    return {
        **update,
        "plan": plan,
        "logs": [*logs, f"the plan {status}: {exit_reason}"],
        "status": status,
        "exit_reason": str(exit_reason),
    }


def awaits_validation(exit_reason: str | None) -> bool:
    """Whether the goal is validated after a plan that ended for this reason."""
    return exit_reason in _VALIDATED


async def _judged(
    state: PlanningAgentState, runtime: Runtime[RunContext]
) -> tuple[str, dict[str, Any] | None, dict[str, Any]]:
    """Why nothing more is to be made, the fault that ends the run, and the update for what the judge used.

    The judge is asked while there are steps to execute. An answer that does not read says neither: "" and None.
    """
    passed, failure = _passed(state), state["failure"]
    if passed or failure is not None or all(is_finished(step) for step in state["plan"]):
        return passed, failure, {}
    inputs = {"steps": step_rows(state["plan"]), "turn": control_of(state).get("turn", 0)}
    response = await ask_to_steer(state, runtime, "judge", "judge_completion", inputs)
    spent = with_usage(state, [response])
    if response is None or response.is_error():
        return passed, failure, spent
    verdict, flags = parse_judge_verdict(answer_text(response)), check_flags(response, "Judge")
    reason = verdict.reason or flags.halt_reason or "halted by Judge"
    if flags.should_halt or verdict.should_terminate:
        return passed, Fault(StepExit.TERMINATED, reason, ends_run=True).to_dict(), spent
    is_met = flags.should_pass or verdict.is_complete
    return (f"the judge says that the request is met: {reason}" if is_met else ""), None, spent


def _passed(state: PlanningAgentState) -> str:
    """Why nothing more is to be made: what an earlier turn found, or the flag of an agent that ended its step."""
    heard = control_of(state).get("heard", [])
    by_step = (str(step["error_message"]) for step in passing_steps(state["plan"]) if step["id"] not in heard)
    return control_of(state).get("passed") or next(by_step, "")


def passing_steps(plan: list[PlanStepState]) -> list[PlanStepState]:
    """Steps that an agent's flag ended because nothing more is to be made."""
    return [step for step in plan if _exit(step) == StepExit.PASSED and step["status"] == "failed"]


def exit_reason_of(plan: list[PlanStepState], failure: dict[str, Any] | None) -> ExitReason:
    """Return why a plan ended whose steps all have a final status."""
    if failure is not None:
        if failure.get("exit_reason") == StepExit.TERMINATED:
            return ExitReason.TERMINATED
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
    verifying = [step for step in plan if step_kind(step["type"]).family == "verify"]
    holds = any(step["status"] == "completed" for step in verifying)  # a plan with critiques verifies more than once
    if not holds and any(_exit(step) == StepExit.NOTHING_KEPT for step in verifying):
        return ExitReason.NOTHING_KEPT
    return ExitReason.PARTIAL if count_undone(plan) else ExitReason.COMPLETED


def _exit(step: PlanStepState) -> str | None:
    return (step["result"] or {}).get("exit_reason")
