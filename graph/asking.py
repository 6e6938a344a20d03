"""How a node asks an agent: the same request form, retries and audit trail for every role."""

from __future__ import annotations

from langgraph.runtime import Runtime

from ..agents.orchestration import AskedOnce, Asking, ask
from ..agents.protocol import AgentRequest, AgentResponse, JsonObject, RequestMetadata
from ..errors import TestwrightError
from ..store.audit import Attempt, AttemptOutcome
from ..utils.canonical import digest_of
from .context import GraphServices, RunContext, services_of


async def ask_role(
    runtime: Runtime[RunContext], role: str, *, goal: str, task: str, inputs: JsonObject, step_id: str | None
) -> AgentResponse:
    """Ask the agent of a role.

    Raises:
        TestwrightError: there is no agent for the role.
    """
    context = runtime.context
    services = services_of(runtime)
    agent = services.agents.get(role)
    if agent is None:
        raise TestwrightError(
            f"there is no {role} agent", advice=f"GraphServices.agents has: {', '.join(services.agents) or 'none'}."
        )
    trace_id = f"{context.run_id}:{step_id or role}"
    metadata = RequestMetadata(trace_id=trace_id, profile=context.profile, timeout=context.agent_timeout)
    request = AgentRequest(goal=goal, task=task, metadata=metadata, inputs=inputs)
    return await ask(agent, request, role=role, asking=_audited(services, step_id))


def _audited(services: GraphServices, step_id: str | None) -> Asking:
    asking = services.asking

    def record(once: AskedOnce) -> None:
        asking.record(once)
        services.audit(_entry(once, step_id))

    return Asking(policy=asking.policy, sleep=asking.sleep, chance=asking.chance, record=record)


def _entry(once: AskedOnce, step_id: str | None) -> Attempt:
    response, error = once.response, once.response.error
    metadata = response.metadata
    return Attempt(
        role=once.role,
        attempt=once.attempt,
        outcome=_outcome(response),
        prompt_hash=digest_of(once.request.inputs),
        step_id=step_id,
        errors=(error.to_dict(),) if error else (),
        reason=once.reason,
        duration_ms=float(metadata.get("duration_ms") or 0.0),
        tokens=int(metadata.get("tokens") or 0),
        cost=float(metadata.get("cost") or 0.0),
        model=str(metadata.get("model") or metadata.get("agent") or ""),
        details={"task": once.request.task, "wait_seconds": once.wait},
    )


def _outcome(response: AgentResponse) -> AttemptOutcome:
    error = response.error
    if error is None:
        return "cancelled" if response.status == "cancelled" else "ok"
    if (error.details or {}).get("error") == "MalformedLlmOutput":
        return "malformed"
    if error.type == "validation":
        return "invalid"
    return "timed_out" if error.type == "timeout" else "failed"
