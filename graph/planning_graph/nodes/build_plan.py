"""Node `build_plan`: the planner expands the request into ordered, machine-readable steps."""

from __future__ import annotations

from typing import Any

from langgraph.runtime import Runtime

from ....agents.contract.planner_inputs import planner_inputs
from ....agents.contract.protocol import AgentResponse, JsonObject
from ....core.errors import BudgetExhausted
from ....core.events import EventType
from ....core.outcome import ExitReason, StepExit
from ....core.usage import TokenUsage, add_to_plan_usage, add_usage, usage_of
from ....utils.canonical import pretty_json
from ...context import RunContext, services_of
from ...faults import Fault, agent_fault, fault_of
from ...node import call_agent, reported_node
from ..plan_check import check_plan
from ..planning_state import PlanningAgentState, PlanStepState
from ..steps import emit_plan_ended, mark_ready_in_progress

REPAIRS = 1
"""How often a plan that cannot be executed is returned to the planner."""

_EXITS = {
    StepExit.ENVIRONMENT: ExitReason.ENVIRONMENT,
    StepExit.BUDGET_EXHAUSTED: ExitReason.BUDGET_EXHAUSTED,
}


@reported_node
async def build_plan(state: PlanningAgentState, runtime: Runtime[RunContext]) -> dict[str, Any]:
    """Request a plan, check it strictly, write plan.json.

    A plan that cannot be executed is returned once with all its problems. A planner that fails ends the run with a
    typed exit reason.

    Raises:
        AgentUnreachable: the planner could not be reached.
        ToolFailure: plan.json could not be written.
    """
    inputs = planner_inputs(
        state["user_request"],
        runtime.context.root,
        test_type=state["test_type"],
        target=state["target"],
        framework=state["framework"],
        tests_dir=state["tests_dir"],
        changes=state["changes"],
    )
    usage: TokenUsage = {"tokens": 0, "cost": 0.0}
    problems: list[dict[str, str]] = []
    for repair in range(REPAIRS + 1):
        planner_request = {**inputs, "errors": problems} if repair else inputs
        try:
            response = await call_agent(state, runtime, "planner", "build_plan", planner_request)
        except BudgetExhausted as error:
            return {**_failed(runtime, fault_of(error)), **_spent(state, usage)}
        usage = add_usage(usage, usage_of(response.metadata))
        result = response.result if not response.is_error() else None
        if not isinstance(result, dict):
            return {**_failed(runtime, agent_fault(response.error, "planner", response)), **_spent(state, usage)}
        plan, problems = check_plan(result.get("steps"))
        if not problems:
            return {**await _planned(state, runtime, plan, result, response), **_spent(state, usage)}
    first = problems[0]
    message = f"the plan cannot be executed: {first['path']} {first['message']}"
    fault = Fault(StepExit.AGENT_ERROR, message, details={"error": "InvalidPlan", "errors": problems})
    return {**_failed(runtime, fault), **_spent(state, usage)}


async def _planned(
    state: PlanningAgentState,
    runtime: Runtime[RunContext],
    plan: list[PlanStepState],
    result: dict[str, Any],
    response: AgentResponse,
) -> dict[str, Any]:
    services = services_of(runtime)
    notes = {key: list(result.get(key) or []) for key in ("understood", "not_understood", "skipped")}
    steps = [{"id": step["id"], "type": step["type"], "params": step["params"]} for step in plan]
    contents = pretty_json({"request": state["user_request"], "steps": steps, **notes, **_made_with(response)})
    await services.tools.call("write_file", {"path": "plan.json", "contents": contents})
    services.emit(EventType.PLAN_READY, f"{len(plan)} steps", None, steps=steps, **notes)
    if not plan:
        message = response.error.message if response.error else "the plan has no steps"
        emit_plan_ended(services, ExitReason.NOTHING_TO_DO)
        return {
            **notes,
            "plan": [],
            "status": "failed",
            "exit_reason": str(ExitReason.NOTHING_TO_DO),
            "logs": [f"nothing to do: {message}"],
        }
    logs = [f"planned {len(plan)} steps"]
    return {**notes, "plan": mark_ready_in_progress(plan), "current_step_index": 0, "status": "executing", "logs": logs}


def _made_with(response: AgentResponse) -> JsonObject:
    """Prompt version and model of a plan that a model contributed to; recorded as with every artifact."""
    found = {key: response.metadata[key] for key in ("prompt_version", "model") if response.metadata.get(key)}
    return {"made_with": found} if found.get("prompt_version") else {}


def _failed(runtime: Runtime[RunContext], fault: Fault) -> dict[str, Any]:
    exit_reason = _EXITS.get(fault.exit_reason, ExitReason.PLAN_FAILED)
    emit_plan_ended(services_of(runtime), exit_reason)
    return {
        "status": "failed",
        "exit_reason": str(exit_reason),
        "failure": fault.to_dict(),
        "logs": [f"the plan failed: {fault.message}"],
    }


def _spent(state: PlanningAgentState, usage: TokenUsage) -> dict[str, Any]:
    return {"spent": add_to_plan_usage(state["spent"], usage)}
