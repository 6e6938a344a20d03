"""Node `build_plan`: the planner expands the request into ordered, machine-readable steps."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import Any

from langgraph.runtime import Runtime

from ....agents.contract.protocol import AgentResponse, JsonObject
from ....agents.control.flags import check_flags
from ....agents.control.lorebook import Lorebook, LorebookCursor
from ....core.events import EventType
from ....core.outcome import MODEL_EXITS, ExitReason, StepExit
from ....core.usage import TokenUsage, add_to_plan_usage
from ....utils.canonical import pretty_json
from ....utils.names.counted import counted
from ...context import RunContext, services_of
from ...faults import Fault
from ...node import reported_node
from ...state_format import require_keys
from ..critique_scope import request_inputs
from ..planning_state import PlanningAgentState, PlanStepState
from ..requested_plan import request_plan
from ..settling import settled
from ..steering import with_control
from ..steps import emit_plan_ended, mark_ready_in_progress

_EXITS = {
    StepExit.ENVIRONMENT: ExitReason.ENVIRONMENT,
    StepExit.BUDGET_EXHAUSTED: ExitReason.BUDGET_EXHAUSTED,
    StepExit.TERMINATED: ExitReason.TERMINATED,
    **MODEL_EXITS,
}


@reported_node
async def build_plan(state: PlanningAgentState, runtime: Runtime[RunContext]) -> dict[str, Any]:
    """Request a plan, check it strictly, write plan.json.

    A planner that fails, or whose plan cannot be executed, ends the run with a typed exit reason where no other takes
    its place. What earlier runs learned about the project is read here, once.

    Raises:
        AgentUnreachable: the planner could not be reached.
        ToolFailure: plan.json could not be written.
        UsageError: the state is that of a graph of somebody else's, and lacks keys.
    """
    require_keys(state, sorted(PlanningAgentState.__required_keys__))
    inputs = request_inputs(state, runtime.context)
    state = {**state, **with_control(state, **await _known(runtime))}  # pyrefly: ignore[bad-unpacking]
    planned = await request_plan(state, runtime, inputs)
    if planned.fault is not None or planned.response is None:
        fault = planned.fault or Fault(StepExit.AGENT_ERROR, "the planner has no plan")
        return {**_failed(runtime, fault), **_spent(state, planned.usage)}
    update = await _planned(state, runtime, planned.steps, planned.result, planned.response)
    return {**update, **_spent(state, planned.usage)}


async def _known(runtime: Runtime[RunContext]) -> dict[str, Any]:
    """What earlier runs learned about the project; the turns of this run are counted anew."""
    keeper = services_of(runtime).lorebook
    found = await asyncio.to_thread(keeper.load) if keeper is not None else {}
    book = Lorebook.from_json(found)
    generation = book.cursor.last_update_generation
    return {"lorebook": replace(book, cursor=LorebookCursor(-1, generation)).to_json()} if book.entries else {}


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
    services.emit(EventType.PLAN_READY, counted(len(plan), "step"), None, steps=steps, **notes)
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
    logs = [f"planned {counted(len(plan), 'step')}"]
    flags = check_flags(response, "Planner")
    passed = f"the planner says that nothing is to be made: {flags.halt_reason}" if flags.should_pass else ""
    steered = with_control(state, passed=passed) if passed else {"control": state["control"]}
    return {
        **notes,
        **steered,
        "plan": mark_ready_in_progress(settled(plan, None, passed)),
        "current_step_index": 0,
        "status": "executing",
        "logs": logs,
    }


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
