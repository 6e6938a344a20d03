"""Node `build_plan`: the planner expands the request into ordered, machine-readable steps."""

from __future__ import annotations

from collections.abc import Mapping
from graphlib import CycleError, TopologicalSorter
from typing import Any

from langgraph.runtime import Runtime

from ....agents.contract.planner_inputs import planner_inputs
from ....agents.contract.protocol import WITHOUT_MODEL, AgentResponse, JsonObject
from ....core.errors import BudgetExhausted
from ....core.events import EventType
from ....core.outcome import MODEL_EXITS, ExitReason, StepExit
from ....core.usage import TokenUsage, add_to_plan_usage, add_usage, usage_of
from ....utils.canonical import pretty_json
from ...context import RunContext, services_of
from ...faults import AgentUnreachable, Fault, agent_fault, fault_of, is_of_model, model_exit
from ...node import call_agent, reported_node
from ...state_format import require_keys
from ..planning_state import PlanningAgentState, PlanStepState
from ..steps import UNKNOWN_KIND, depends_on, emit_plan_ended, mark_ready_in_progress, step_kind

REPAIRS = 1
"""How often a plan that cannot be executed is returned to the planner."""

_EXITS = {
    StepExit.ENVIRONMENT: ExitReason.ENVIRONMENT,
    StepExit.BUDGET_EXHAUSTED: ExitReason.BUDGET_EXHAUSTED,
    **MODEL_EXITS,
}


@reported_node
async def build_plan(state: PlanningAgentState, runtime: Runtime[RunContext]) -> dict[str, Any]:
    """Request a plan, check it strictly, write plan.json.

    A plan that cannot be executed is returned once with all its problems. A planner that fails ends the run with a
    typed exit reason.

    Raises:
        AgentUnreachable: the planner could not be reached.
        ToolFailure: plan.json could not be written.
        UsageError: the state is that of a graph of somebody else's, and lacks keys.
    """
    require_keys(state, sorted(PlanningAgentState.__required_keys__))
    inputs = planner_inputs(
        state["user_request"],
        runtime.context.root,
        test_type=state["test_type"],
        target=state["target"],
        framework=state["framework"],
        tests_dir=state["tests_dir"],
        changes=state["changes"],
        limits=state.get("limits"),
    )
    usage: TokenUsage = {"tokens": 0, "cost": 0.0}
    problems: list[dict[str, str]] = []
    for repair in range(REPAIRS + 1):
        planner_request = {**inputs, "errors": problems} if repair else inputs
        try:
            response = await _planner_answer(state, runtime, planner_request)
        except BudgetExhausted as error:
            return {**_failed(runtime, fault_of(error)), **_spent(state, usage)}
        usage = add_usage(usage, usage_of(response.metadata))
        result = response.result if not response.is_error() else None
        if not isinstance(result, dict):
            return {**_failed(runtime, _fault(response)), **_spent(state, usage)}
        plan, problems = check_plan(result.get("steps"))
        if not problems:
            return {**await _planned(state, runtime, plan, result, response), **_spent(state, usage)}
    first = problems[0]
    message = f"the plan cannot be executed: {first['path']} {first['message']}"
    fault = Fault(StepExit.AGENT_ERROR, message, details={"error": "InvalidPlan", "errors": problems})
    return {**_failed(runtime, fault), **_spent(state, usage)}


def _fault(response: AgentResponse) -> Fault:
    """Why the planner has no plan. Raises AgentUnreachable, but for a model whose endpoint limits the rate."""
    try:
        return agent_fault(response.error, "planner", response)
    except AgentUnreachable as error:
        if model_exit(error.details) is None:
            raise
        return fault_of(error)


async def _planner_answer(state: PlanningAgentState, runtime: Runtime[RunContext], inputs: JsonObject) -> AgentResponse:
    """Ask the planner; where its model fails, the embedded planner answers, unless the settings say to stop.

    Raises:
        AgentUnreachable: the planner could not be reached. BudgetExhausted: a ceiling is reached.
    """
    services = services_of(runtime)
    response = await call_agent(state, runtime, "planner", "build_plan", inputs)
    error = response.error
    asked = "planner" in services.model_roles and not services.stop_without_planner
    if error is None or not asked or not is_of_model(error):
        return response
    services.emit(EventType.PROGRESS, f"the embedded planner took the place of the model: {error.message}", None)
    again = await call_agent(state, runtime, "planner", "build_plan", inputs, constraints=WITHOUT_MODEL)
    again.metadata.update(add_usage(usage_of(response.metadata), usage_of(again.metadata)))
    return again


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


def check_plan(steps: Any) -> tuple[list[PlanStepState], list[dict[str, str]]]:
    """Return the steps as pending PlanSteps, and the problems, each with `path`, `message`, `suggestion`.

    The steps are complete only when there are no problems. Order is kept.
    """
    if not isinstance(steps, list):
        return [], [_problem("$.steps", "is not a list", "answer with a list of steps")]
    plan: list[PlanStepState] = []
    problems: list[dict[str, str]] = []
    for index, step in enumerate(steps):
        found = _step_problems(step, f"$.steps[{index}]")
        problems += found
        if not found:
            plan.append(_pending(step))
    return plan, problems + ([] if problems else _graph_problems(plan))


def _pending(step: Mapping[str, Any]) -> PlanStepState:
    return PlanStepState(
        id=step["id"],
        type=step["type"],
        status="pending",
        params=dict(step["params"]),
        result=None,
        error_message=None,
    )


def _step_problems(step: Any, path: str) -> list[dict[str, str]]:
    if not isinstance(step, Mapping):
        return [_problem(path, "is not an object", "write id, type and params")]
    problems = [
        _problem(f"{path}.{key}", "must be a non-empty string", f"give the step its {key}")
        for key in ("id", "type")
        if not (isinstance(step.get(key), str) and step[key].strip())
    ]
    params = step.get("params")
    if not isinstance(params, Mapping):
        return [*problems, _problem(f"{path}.params", "must be an object", "write the step's parameters")]
    before = params.get("depends_on") or []
    if not (isinstance(before, list) and all(isinstance(step_id, str) for step_id in before)):
        problems.append(_problem(f"{path}.params.depends_on", "must be a list of step ids", "list ids or leave it out"))
    if problems:
        return problems
    kind = step_kind(step["type"])
    if kind is UNKNOWN_KIND:
        known = (
            "generate_<test type>_tests, verify_suite, accept_tests, retrieve_context, crawl_repository, "
            "write_test_cases, engineer_tests"
        )
        return [_problem(f"{path}.type", f"{step['type']!r} is no step type", f"use one of {known}")]
    missing = [key for key in kind.required if not params.get(key)]
    return [_problem(f"{path}.params.{key}", "is missing", f"a {step['type']} step needs it") for key in missing]


def _graph_problems(plan: list[PlanStepState]) -> list[dict[str, str]]:
    ids = [step["id"] for step in plan]
    problems: list[dict[str, str]] = []
    for index, step in enumerate(plan):
        if ids.index(step["id"]) != index:
            problems.append(_problem(f"$.steps[{index}].id", f"{step['id']!r} is taken", "give every step its own id"))
        for before in depends_on(step):
            if before not in ids:
                path = f"$.steps[{index}].params.depends_on"
                problems.append(_problem(path, f"there is no step {before!r}", "name steps of this plan"))
    for key in ("spec_path", "test_path"):
        problems += _shared_path_problems(plan, key)
    if problems:
        return problems
    try:
        TopologicalSorter({step["id"]: depends_on(step) for step in plan}).prepare()
    except CycleError as error:
        cycle = " → ".join(str(step_id) for step_id in error.args[1])
        return [_problem("$.steps", f"steps wait for each other: {cycle}", "remove one of the dependencies")]
    return []


def _shared_path_problems(plan: list[PlanStepState], key: str) -> list[dict[str, str]]:
    """List steps that write the same file: one would overwrite the other."""
    seen: dict[str, str] = {}
    problems: list[dict[str, str]] = []
    for index, step in enumerate(plan):
        path = step["params"].get(key)
        if not isinstance(path, str):
            continue
        if path in seen:
            message = f"{path!r} is written by {seen[path]!r} already"
            problems.append(_problem(f"$.steps[{index}].params.{key}", message, "give every step its own file"))
        seen.setdefault(path, step["id"])
    return problems


def _problem(path: str, message: str, suggestion: str) -> dict[str, str]:
    return {"path": path, "message": message, "severity": "error", "suggestion": suggestion}
