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
from ....core.outcome import ExitReason, StepExit
from ....core.usage import add_to_plan_usage
from ....utils.canonical import pretty_json
from ....utils.names.counted import counted
from ...context import RunContext, services_of
from ...faults import Fault
from ...node import reported_node
from ..critique_scope import described, outside_request
from ..further_steps import further_steps, reopened
from ..planning_state import ControlState, PlanningAgentState, PlanStepState
from ..requested_plan import request_plan
from ..reserve import revealed_late
from ..steering import ask_to_steer, control_of, step_rows, with_control, with_usage
from ..steps import emit_plan_ended, first_unfinished, generates, mark_ready_in_progress
from .advance_or_finish import passing_steps

_ENDS = (StepExit.TERMINATED, StepExit.BUDGET_EXHAUSTED)
"""Faults of a planner over a critique that end the run as they do over a request."""


@reported_node
async def validate_goal(state: PlanningAgentState, runtime: Runtime[RunContext]) -> dict[str, Any]:
    """Ask the goal agent whether the request is met, and go on with its critique where it is not.

    Here, unlike anywhere else, the flag terminate means "go on with my critique". The planner reads the critique as a
    request; its steps join the plan where they make tests of what the request asked for. What lies outside of it is
    suggested to the user, and a critique that asks for nothing else is no failure. More than `max_goal_failures`
    critiques end the run as GOAL_VALIDATION_FAILED; what was kept stays. An agent that fails, or says nothing, is
    content. One that a ceiling leaves unasked is asked when the run is resumed with a higher one.
    """
    response = await ask_to_steer(state, runtime, "goal", "validate_goal", _inputs(state))
    spent = with_usage(state, [response])
    state = {**state, **spent}  # pyrefly: ignore[bad-unpacking]
    if response is None and "goal" in services_of(runtime).agents:
        return _stopped(state, runtime, "the goal agent was not asked")
    if response is None or response.is_error() or not check_flags(response, "Goal").should_halt:
        emit_plan_ended(services_of(runtime), ExitReason(str(state["exit_reason"])))
        return spent
    critique, before = _critique(response), control_of(state)
    failures = before.get("goal_failures", 0) + 1
    critiques = [*before.get("critiques", []), critique]
    heard = [step["id"] for step in passing_steps(state["plan"])]
    steered = with_control(state, goal_failures=failures, critiques=critiques, passed="", heard=heard)
    message = f"the goal agent asks for more: {response.metadata.get(HALT_REASON) or critique}"
    services_of(runtime).emit(EventType.PROGRESS, message, None, critique=critique)
    state = {**state, **steered}  # pyrefly: ignore[bad-unpacking]
    more = await _further(state, runtime, critique, failures)
    ended = more.pop("ended", None)
    if ended is not None:
        return {**spent, **_ended(state, runtime, ended), **more}
    steps, suggested = more.pop("steps"), more.pop("suggested", [])
    logs = [message, *map(_not_planned, suggested)]
    if suggested:
        suggestions = [*dict.fromkeys([*before.get("suggestions", []), *suggested])]
        before, steered = {**before, "suggestions": suggestions}, with_control(state, suggestions=suggestions)
        if not steps:
            emit_plan_ended(services_of(runtime), ExitReason(str(state["exit_reason"])))
            return {**spent, **more, "control": before, "logs": logs}
    # Only now: a critique of nothing but what lies outside of the request is no failure.
    most = runtime.context.control.max_goal_failures
    failed_again = f"goal validation failed ({failures} of at most {most})"
    services_of(runtime).emit(EventType.PROGRESS, failed_again, None, goal_failures=failures)
    logs.append(failed_again)
    if failures > most:
        emit_plan_ended(services_of(runtime), ExitReason.GOAL_VALIDATION_FAILED)
        failed = {"status": "failed", "exit_reason": str(ExitReason.GOAL_VALIDATION_FAILED)}
        return {**spent, **steered, **failed, **more, "logs": [*logs, f"the request is not met: {critique}"]}
    if steps:
        await _announce([*state["plan"], *steps], state, runtime, critique)
    known, late = await revealed_late(state, services_of(runtime).predicates)
    open_again = reopened(known, late, failures)
    plan = mark_ready_in_progress([*open_again, *steps])
    going_on = {"plan": plan, "current_step_index": first_unfinished(plan), "status": "executing", "exit_reason": None}
    return {**spent, **steered, **going_on, **more, "logs": logs}


def _ended(state: PlanningAgentState, runtime: Runtime[RunContext], fault: Fault) -> dict[str, Any]:
    """The end of a run whose planner ended it, or met a ceiling, over a critique; what was kept stays.

    After a ceiling the goal is validated anew when the run is resumed with a higher one.
    """
    message = f"the plan was not revised: {fault.message}"
    if fault.exit_reason == StepExit.BUDGET_EXHAUSTED:
        control: ControlState = {**control_of(state)}
        control["goal_failures"] = control.get("goal_failures", 1) - 1
        control["critiques"] = control.get("critiques", [])[:-1]
        return _stopped({**state, "control": control}, runtime, message)
    emit_plan_ended(services_of(runtime), ExitReason.TERMINATED)
    update = {"control": control_of(state), "failure": fault.to_dict()}
    return {**update, "status": "failed", "exit_reason": str(ExitReason.TERMINATED), "logs": [message]}


def _stopped(state: PlanningAgentState, runtime: Runtime[RunContext], message: str) -> dict[str, Any]:
    """The end of a run at a ceiling, which a resumed run with a higher one takes up by validating the goal."""
    emit_plan_ended(services_of(runtime), ExitReason.BUDGET_EXHAUSTED)
    return {
        "control": {**control_of(state), "unvalidated": str(state["exit_reason"])},
        "status": "failed",
        "exit_reason": str(ExitReason.BUDGET_EXHAUSTED),
        "logs": [message],
    }


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
    """`steps` that the planner makes of a critique, and the usage; no steps where it makes nothing of it.

    `suggested` says what it would make outside of the request. `ended` is the fault where the planner ended the run, or
    met a ceiling.
    """
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
    spent = {"spent": add_to_plan_usage(state["spent"], planned.usage)}
    if planned.fault is not None and planned.fault.exit_reason in _ENDS:
        return {"ended": planned.fault, **spent}
    passes = planned.response is not None and check_flags(planned.response, "Planner").should_pass
    outside = [] if passes else await outside_request(planned.steps, state, runtime)
    suggested = [described(step) for step in outside]
    without = {step["id"] for step in outside}
    steps = [] if passes else further_steps(planned.steps, state["plan"], number, without=without)
    for text in suggested:
        services_of(runtime).emit(EventType.PROGRESS, _not_planned(text), None, suggestion=text)
    if planned.fault is not None or not any(generates(step) for step in steps):
        why = planned.fault.message if planned.fault is not None else "the planner has none that are not done already"
        if not suggested:
            services_of(runtime).emit(EventType.PROGRESS, f"no steps were made of the critique: {why}", None)
        return {"steps": [], "suggested": suggested, **spent}
    return {"steps": steps, "suggested": suggested, **spent}


def _not_planned(suggestion: str) -> str:
    return f"outside of the request, so not planned: {suggestion}"


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
    services.emit(EventType.PLAN_READY, counted(len(steps), "step"), None, steps=steps, **said)
