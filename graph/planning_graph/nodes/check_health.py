"""Node `check_health`: has the run's health assessed, by interval or when too many steps fail."""

from __future__ import annotations

import asyncio
from typing import Any

from langgraph.runtime import Runtime

from ....agents.contract.protocol import AgentResponse
from ....agents.control.flags import check_flags
from ....agents.control.health import HealthReport, HealthStatus, parse_health_report
from ....agents.control.verdicts import answer_text
from ....core.events import EventType
from ....core.outcome import StepExit
from ...context import GraphServices, RunContext, services_of
from ...control_policy import ControlPolicy
from ...faults import Fault
from ...node import reported_node
from ..planning_state import PlanningAgentState
from ..steering import ask_to_steer, control_of, health_context, with_control, with_usage
from ..steps import is_finished


@reported_node
async def check_health(state: PlanningAgentState, runtime: Runtime[RunContext]) -> dict[str, Any]:
    """Ask the health agent when it is due; its report may end the run, at this boundary or, when async, at a later one.

    An agent that fails, or whose answer does not read, gives a report that says nothing.
    """
    services, policy = services_of(runtime), runtime.context.control
    if not policy.checks_health:
        return {}
    responses = [_answer_of(task) for task in services.background if task.done()]
    services.background[:] = [task for task in services.background if not task.done()]
    update: dict[str, Any] = {}
    facts = health_context(state, runtime.context, services)
    if _is_due(state, policy, facts.turn_index, facts.error_ratio):
        asking = ask_to_steer(state, runtime, "health", "check_health", facts.to_json())
        update = with_control(state, health_turn=facts.turn_index)
        if policy.health_mode == "async":
            services.background.append(asyncio.create_task(asking))
        else:
            responses.append(await asking)
    if all(is_finished(step) for step in state["plan"]):  # there is no later boundary
        await asyncio.gather(*services.background, return_exceptions=True)
        responses += [_answer_of(task) for task in services.background]
        services.background.clear()
    update |= with_usage(state, responses)
    for response in responses:
        if response is not None:
            update |= _reported({**state, **update}, response, services)  # pyrefly: ignore[bad-unpacking]
    return update


def _is_due(state: PlanningAgentState, policy: ControlPolicy, turn: int, error_ratio: float) -> bool:
    passed = turn - control_of(state).get("health_turn", 0)
    by_interval = policy.health_interval is not None and passed >= policy.health_interval
    by_errors = policy.health_error_ratio is not None and error_ratio >= policy.health_error_ratio and error_ratio > 0
    return by_interval or by_errors


def _answer_of(task: asyncio.Task[AgentResponse | None]) -> AgentResponse | None:
    return None if task.cancelled() or task.exception() is not None else task.result()


def _reported(state: PlanningAgentState, response: AgentResponse, services: GraphServices) -> dict[str, Any]:
    """The update of the state for a health agent's answer."""
    report = parse_health_report(answer_text(response)) if not response.is_error() else HealthReport()
    flags = check_flags(response, "Health")
    message = "; ".join([*report.warnings, *report.suggestions]) or "nothing to report"
    bad = {"warning": message} if report.status in (HealthStatus.DEGRADED, HealthStatus.CRITICAL) else {}
    services.emit(EventType.PROGRESS, f"health: {report.status}: {message}", None, health=report.to_json(), **bad)
    # As of any agent: nothing more is made, and the goal is validated.
    passes = flags.should_pass and not response.is_error()
    passed = {"passed": f"the health agent says that nothing more is to be made: {flags.halt_reason}"} if passes else {}
    update = with_control(state, health=report.to_json(), **passed)
    if not (report.terminate_harness or flags.should_halt) or state["failure"] is not None:
        return update
    reason = flags.halt_reason if flags.should_halt else f"the health check ended the run: {message}"
    return {**update, "failure": Fault(StepExit.TERMINATED, str(reason), ends_run=True).to_dict()}
