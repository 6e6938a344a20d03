"""Node `validate_goal`: has the finished plan compared with the request; a critique becomes further steps."""

from __future__ import annotations

from typing import Any

from langgraph.runtime import Runtime

from ....agents.contract.planner_inputs import planner_inputs
from ....agents.contract.protocol import AgentResponse, JsonObject
from ....agents.control.flags import HALT_REASON, check_flags
from ....agents.control.verdicts import answer_text
from ....core.errors import AgentFailure
from ....core.events import EventType
from ....core.outcome import ExitReason
from ....core.usage import add_to_plan_usage
from ....utils.canonical import pretty_json
from ...context import RunContext, services_of
from ...node import reported_node
from ..further_steps import further_steps
from ..planning_state import PlanningAgentState, PlanStepState
from ..requested_plan import request_plan
from ..steering import ask_to_steer, control_of, step_rows, with_control
from ..steps import emit_plan_ended, first_unfinished, generates, mark_ready_in_progress
from .advance_or_finish import passing_steps


@reported_node
async def validate_goal(state: PlanningAgentState, runtime: Runtime[RunContext]) -> dict[str, Any]:
    """Ask the goal agent whether the request is met, and go on with its critique where it is not.

    Here, unlike anywhere else, the flag terminate means "go on with my critique". The planner reads the critique as a
    request; its steps join the plan. More than `max_goal_failures` critiques end the run as GOAL_VALIDATION_FAILED;
    what was kept stays. An agent that fails, or says nothing, is content.
    """
    response = await ask_to_steer(state, runtime, "goal", "validate_goal", _inputs(state))
    if response is None or response.is_error() or not check_flags(response, "Goal").should_halt:
        emit_plan_ended(services_of(runtime), ExitReason(str(state["exit_reason"])))
        return {}
    critique = _critique(response)
    failures = control_of(state).get("goal_failures", 0) + 1
    critiques = [*control_of(state).get("critiques", []), critique]
    heard = [step["id"] for step in passing_steps(state["plan"])]
    steered = with_control(state, goal_failures=failures, critiques=critiques, passed="", heard=heard)
    message = f"goal validation {failures}: {response.metadata.get(HALT_REASON) or critique}"
    services_of(runtime).emit(EventType.PROGRESS, message, None, critique=critique)
    if failures > runtime.context.control.max_goal_failures:
        emit_plan_ended(services_of(runtime), ExitReason.GOAL_VALIDATION_FAILED)
        ended = {"status": "failed", "exit_reason": str(ExitReason.GOAL_VALIDATION_FAILED)}
        return {**steered, **ended, "logs": [f"the request is not met: {critique}"]}
    more = await _further(state, runtime, critique, failures)
    plan = mark_ready_in_progress([*state["plan"], *more.pop("steps")])
    going_on = {"plan": plan, "current_step_index": first_unfinished(plan), "status": "executing", "exit_reason": None}
    return {**steered, **going_on, **more, "logs": [message]}


def _inputs(state: PlanningAgentState) -> JsonObject:
    return {
        "request": state["user_request"],
        "judgeVerdict": "isComplete=true",
        "rawHistorySize": len(state["logs"]),
        "history": list(state["logs"]),
        "steps": step_rows(state["plan"]),
        "not_understood": state["not_understood"],
        "critiques": control_of(state).get("critiques", []),
    }


def _critique(response: AgentResponse) -> str:
    """The critique: a result that is text, or its `critique`, or the reason beside the flag."""
    result = response.result
    found = result.get("critique") if isinstance(result, dict) else result
    text = found if isinstance(found, str) else answer_text(response)
    return text.strip() or check_flags(response, "Goal").halt_reason or "the request is not met"


async def _further(
    state: PlanningAgentState, runtime: Runtime[RunContext], critique: str, number: int
) -> dict[str, Any]:
    """`steps` that the planner makes of a critique, and the usage; no steps where it makes nothing of it."""
    inputs = planner_inputs(
        critique,
        runtime.context.root,
        test_type=state["test_type"],
        target=None,
        framework=state["framework"],
        tests_dir=state["tests_dir"],
        changes=None,
        limits=state.get("limits"),
    )
    try:
        planned = await request_plan(state, runtime, inputs, task="revise_plan")
    except AgentFailure as error:
        services_of(runtime).emit(EventType.PROGRESS, f"no steps were made of the critique: {error.message}", None)
        return {"steps": []}
    steps = further_steps(planned.steps, state["plan"], number)
    if planned.fault is not None or not any(generates(step) for step in steps):
        return {"steps": [], "spent": add_to_plan_usage(state["spent"], planned.usage)}
    await _announce([*state["plan"], *steps], state, runtime, critique)
    return {"steps": steps, "spent": add_to_plan_usage(state["spent"], planned.usage)}


async def _announce(
    plan: list[PlanStepState], state: PlanningAgentState, runtime: Runtime[RunContext], critique: str
) -> None:
    """Write the longer plan and emit it. Raises ToolFailure."""
    services = services_of(runtime)
    steps = [{"id": step["id"], "type": step["type"], "params": step["params"]} for step in plan]
    notes = {key: state[key] for key in ("understood", "not_understood", "skipped")}
    contents = pretty_json({"request": state["user_request"], "steps": steps, **notes, "critiques": [critique]})
    await services.tools.call("write_file", {"path": "plan.json", "contents": contents})
    said = {**notes, "understood": [f"to meet the request: {critique}"]}
    services.emit(EventType.PLAN_READY, f"{len(steps)} steps", None, steps=steps, **said)
