"""Node `check_safety`: decides whether the ready steps of medium and high risk may be executed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from langgraph.runtime import Runtime
from langgraph.types import interrupt

from ....agents.contract.protocol import AgentError, AgentResponse, JsonObject
from ....agents.control.flags import check_flags
from ....agents.control.verdicts import is_safe, reason_of
from ....core.errors import SafetyAgentFailure
from ....core.events import EventType
from ....core.outcome import StepExit
from ...context import RunContext, services_of
from ...control_policy import ControlPolicy
from ...faults import Fault, fault_of
from ...node import reported_node
from ..planning_state import PlanningAgentState, PlanStepState
from ..risks import StepRisk, descriptor_of, step_risk
from ..settling import settled
from ..steering import ask_to_steer, control_of, failure_text, with_control, with_usage
from ..steps import StepOutcome, mark_ready_in_progress, ready_steps


@dataclass(frozen=True, slots=True)
class _Rejection:
    """Why a step is not approved.

    Attributes:
        fault: that of a safety agent that failed.
        is_unasked: whether nobody has decided, because a ceiling left no room to ask.
    """

    why: str
    fault: Fault | None = None
    is_unasked: bool = False

    @property
    def exit_reason(self) -> StepExit:
        """A step that nobody has decided on is one that a ceiling stopped, so that a resumed run asks again."""
        return StepExit.BUDGET_EXHAUSTED if self.is_unasked else StepExit.NOT_APPROVED


@reported_node
async def check_safety(state: PlanningAgentState, runtime: Runtime[RunContext]) -> dict[str, Any]:
    """Have every ready step of medium or high risk approved; one that is not is skipped, and what depends on it too.

    A rejected step never starts. An approval holds for the rest of the run, also when it is resumed; a step that a
    ceiling left undecided is asked about again when it is resumed with a higher one.
    """
    approved = list(control_of(state).get("approved", []))
    plan, logs, answers = list(state["plan"]), list[str](), list[AgentResponse]()
    while waiting := _unapproved(plan, approved):
        for step in waiting:
            risk = step_risk(step, {**state, "plan": plan}, runtime.context.control)
            rejection = None if risk.level == "low" else await _rejection(step, risk, state, runtime, answers)
            if rejection is None:
                approved.append(step["id"])
                continue
            why = f"not approved: {step['id']} {rejection.why}"
            outcome = StepOutcome("skipped", rejection.exit_reason, message=why, fault=rejection.fault)
            plan[plan.index(step)] = outcome.applied(step)
            logs.append(outcome.message)
            services_of(runtime).emit(EventType.PROGRESS, outcome.message, step["id"], warning=outcome.message)
        plan = settled(plan, state["failure"], control_of(state).get("passed", ""))
    if plan == state["plan"] and not logs and approved == control_of(state).get("approved", []):
        return {}
    steered = {**with_control(state, approved=approved), **with_usage(state, answers)}
    return {**steered, "plan": mark_ready_in_progress(plan), "logs": logs}


def _unapproved(plan: list[PlanStepState], approved: list[str]) -> list[PlanStepState]:
    return [step for step in ready_steps(plan) if step["id"] not in approved]


async def _rejection(
    step: PlanStepState,
    risk: StepRisk,
    state: PlanningAgentState,
    runtime: Runtime[RunContext],
    answers: list[AgentResponse],
) -> _Rejection | None:
    """Why a step is rejected; None when it is approved.

    Consent to everything approves. Else the safety agent decides, and where it rejects, the user is asked if one can
    be. Without an agent nothing risky is approved.

    Args:
        answers: gets the safety agent's.
    """
    services, policy = services_of(runtime), runtime.context.control
    if "all" in policy.consented:
        return None
    inputs = _inputs(step, risk, policy)
    response = await ask_to_steer(state, runtime, "safety", "check_safety", inputs)
    answers += [response] if response is not None else []
    what, fault = "; ".join(reason.text for reason in risk.reasons), None
    is_unasked = response is None and "safety" in services.agents
    if response is None:
        silent = "a ceiling leaves no room to ask the safety agent" if is_unasked else "there is no safety agent"
        why = f"{what} ({silent}; say --yes to approve)"
    elif response.is_error() and response.error is not None:
        fault = _fault(response, response.error)
        why = f"{what} ({fault.message})"
    elif is_safe(response, check_flags(response, "Safety"), json_contract=policy.safety_json):
        return None
    else:
        why = reason_of(response) or what
    question = f"{step['id']} {what}. Execute it?"
    if services.interrupts:
        asked = {"question": question, "step": step["id"], "risk": risk.to_dict(), "reason": why}
        # As strict as an agent's answer is read.
        return None if interrupt(asked) is True else _Rejection(why, fault)
    if services.ask is not None:
        return None if await services.ask(question) else _Rejection(why, fault)
    return _Rejection(why, fault, is_unasked)


def _fault(response: AgentResponse, error: AgentError) -> Fault:
    """The typed fault of a safety agent that failed; what its model's error advises stands before ours."""
    details = error.details or {}
    model = response.metadata.get("model")
    agent = f"the safety agent ({model})" if model else "the safety agent"
    advised = str(details.get("advice") or "Mend the safety agent, or leave it out of the settings.")
    failure = SafetyAgentFailure(
        f"{agent} failed: {failure_text(error, 'safety')}",
        advice=f"{advised} --yes approves every step without asking.",
        details={
            "error": SafetyAgentFailure.__name__,
            "role": "safety",
            "cause": str(details.get("error") or error.type),
        },
    )
    return fault_of(failure)


def _inputs(step: PlanStepState, risk: StepRisk, policy: ControlPolicy) -> JsonObject:
    return {
        "step": {"id": step["id"], "params": step["params"], **descriptor_of(step["type"]), "riskLevel": risk.level},
        "risk": risk.to_dict(),
        "consented": sorted(policy.consented),
    }
