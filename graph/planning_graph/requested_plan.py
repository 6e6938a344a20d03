"""Asks the planner for a plan: an answer that cannot be executed is returned to it, then another planner's is taken."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from langgraph.runtime import Runtime

from ...agents.contract.protocol import WITHOUT_MODEL, AgentResponse, JsonObject
from ...core.errors import BudgetExhausted, RunTerminated
from ...core.events import EventType
from ...core.outcome import StepExit
from ...core.usage import TokenUsage, add_usage, usage_of
from ..context import RunContext, services_of
from ..faults import AgentUnreachable, Fault, agent_fault, fault_of, is_of_model, model_exit
from ..node import call_agent
from .plan_check import check_plan
from .planning_state import PlanningAgentState, PlanStepState
from .steering import planner_briefing

EMBEDDED_PLANNER = "embedded_planner"
"""Role of the planner that takes the place of a user's own planner whose plan cannot be executed."""

_NONE: TokenUsage = {"tokens": 0, "cost": 0.0}


@dataclass(frozen=True, slots=True)
class RequestedPlan:
    """What the planner answered.

    Attributes:
        steps: pending, and checked; empty where there is a fault.
        response: the answer they are from; None where none was received.
        fault: why there is no plan.
        usage: of all attempts.
    """

    steps: list[PlanStepState] = field(default_factory=list)
    response: AgentResponse | None = None
    fault: Fault | None = None
    usage: TokenUsage = field(default_factory=lambda: dict(_NONE))  # pyrefly: ignore[bad-assignment]

    @property
    def result(self) -> JsonObject:
        """The planner's result; {} where there is none."""
        found = self.response.result if self.response is not None else None
        return found if isinstance(found, dict) else {}


async def request_plan(
    state: PlanningAgentState, runtime: Runtime[RunContext], inputs: JsonObject, *, task: str = "build_plan"
) -> RequestedPlan:
    """Ask the planner for a plan.

    A plan that cannot be executed is returned with all its problems, `planner_repairs` times; then the embedded planner
    is asked in its place, unless the settings say to stop.

    Raises:
        AgentUnreachable: the planner could not be reached.
    """
    briefed, services = planner_briefing(state, runtime), services_of(runtime)
    usage, problems = _NONE, list[dict[str, str]]()
    for repair in range(runtime.context.control.planner_repairs + 1):
        try:
            response = await _answer(state, briefed, {**inputs, "errors": problems} if repair else inputs, task)
        except (BudgetExhausted, RunTerminated) as error:
            return RequestedPlan(fault=fault_of(error), usage=usage)
        usage = add_usage(usage, usage_of(response.metadata))
        found = _checked(response, services.predicates)
        if isinstance(found, Fault):
            return RequestedPlan(response=response, fault=found, usage=usage)
        steps, problems = found
        if not problems:
            return RequestedPlan(steps, response, usage=usage)
    invalid = _invalid(problems, stops=services.stop_without_planner)
    try:
        return await _of_another(state, briefed, inputs, invalid, usage)
    except (BudgetExhausted, RunTerminated) as error:
        return RequestedPlan(fault=fault_of(error), usage=usage)


def _invalid(problems: list[dict[str, str]], *, stops: bool) -> Fault:
    first = problems[0]
    message = f"the plan cannot be executed: {first['path']} {first['message']}"
    name = "DispatchJsonRepairFailed" if stops else "InvalidPlan"
    return Fault(StepExit.AGENT_ERROR, message, details={"error": name, "errors": problems})


def _checked(response: AgentResponse, predicates: Any) -> tuple[list[PlanStepState], list[dict[str, str]]] | Fault:
    """The steps and problems of an answer, or the fault of an agent that failed. Raises AgentUnreachable."""
    if response.is_error() or not isinstance(response.result, dict):
        return _fault(response)
    return check_plan(response.result.get("steps"), predicates=predicates)


def _fault(response: AgentResponse) -> Fault:
    """Why the planner has no plan. Raises AgentUnreachable, but for a model whose endpoint limits the rate."""
    try:
        return agent_fault(response.error, "planner", response)
    except AgentUnreachable as error:
        if model_exit(error.details) is None:
            raise
        return fault_of(error)


async def _answer(
    state: PlanningAgentState, runtime: Runtime[RunContext], inputs: JsonObject, task: str
) -> AgentResponse:
    """Ask the planner; where its model fails, the embedded planner answers, unless the settings say to stop.

    Raises:
        AgentUnreachable: the planner could not be reached. BudgetExhausted: a ceiling is reached.
    """
    services = services_of(runtime)
    response = await call_agent(state, runtime, "planner", task, inputs)
    error = response.error
    asked = "planner" in services.model_roles and not services.stop_without_planner
    if error is None or not asked or not is_of_model(error):
        return response
    services.emit(EventType.PROGRESS, f"the embedded planner took the place of the model: {error.message}", None)
    again = await call_agent(state, runtime, "planner", task, inputs, constraints=WITHOUT_MODEL)
    again.metadata.update(add_usage(usage_of(response.metadata), usage_of(again.metadata)))
    return again


async def _of_another(
    state: PlanningAgentState, runtime: Runtime[RunContext], inputs: JsonObject, invalid: Fault, usage: TokenUsage
) -> RequestedPlan:
    """The embedded planner's plan in place of one that no repair made executable; the fault where there is none."""
    services = services_of(runtime)
    of_user, of_model = EMBEDDED_PLANNER in services.agents, "planner" in services.model_roles
    if services.stop_without_planner or not (of_user or of_model):
        return RequestedPlan(fault=invalid, usage=usage)
    services.emit(EventType.PROGRESS, f"the embedded planner took the planner's place: {invalid.message}", None)
    role = EMBEDDED_PLANNER if of_user else "planner"
    response = await call_agent(state, runtime, role, "build_plan", inputs, constraints=WITHOUT_MODEL)
    usage = add_usage(usage, usage_of(response.metadata))
    found = _checked(response, services.predicates)
    if isinstance(found, Fault):
        return RequestedPlan(response=response, fault=found, usage=usage)
    steps, problems = found
    return RequestedPlan(fault=invalid, usage=usage) if problems else RequestedPlan(steps, response, usage=usage)
