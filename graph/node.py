"""Gives nodes of both graphs what they share: events and audit entries around each node, and calls of agents.

Every role is called with the same request form, retries and audit trail.
"""

from __future__ import annotations

import asyncio
import functools
from collections.abc import AsyncIterator, Iterable, Mapping
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import Any, Protocol, TypeVar

from langgraph.errors import GraphBubbleUp
from langgraph.runtime import Runtime

from ..agents.contract.lifecycle import AgentAttempt, RequestOptions, send_request
from ..agents.contract.protocol import (
    WITHOUT_MODEL,
    AgentRequest,
    AgentResponse,
    JsonObject,
    RequestMetadata,
    consumer_view,
)
from ..agents.control.flags import FlagCheckResult, check_flags
from ..core.errors import BudgetExhausted, RunTerminated, TestwrightError
from ..core.events import EventType
from ..core.exit_code import ExitCode
from ..core.outcome import StepExit
from ..core.usage import ModelBudget
from ..store.files.audit import AttemptOutcome, AuditEntry
from ..utils.canonical import digest_of
from ..utils.error_formatter import summarize_errors
from .context import GraphServices, RunContext, services_of
from .faults import StepEndedByAgent, fault_of, is_transient

STEERING = frozenset({"safety", "goal", "judge", "health", "lorebook", "summary"})
"""Roles whose flags their callers read, each in its own meaning."""

State = TypeVar("State", contravariant=True)
Update = dict[str, Any]


class GraphNode(Protocol[State]):
    """A node as LangGraph and other engines call it: state in, partial update out."""

    __name__: str

    async def __call__(self, state: State, runtime: Runtime[RunContext]) -> Update: ...


def reported_node(node: GraphNode[State]) -> GraphNode[State]:
    """Wrap a node with events, and with an audit entry for every attempt that raises.

    The wrapper keeps the function's module and name, so that engines which import nodes by name find it.
    """
    name = node.__name__

    @functools.wraps(node)
    async def wrapper(state: State, runtime: Runtime[RunContext]) -> Update:
        services = services_of(runtime)
        step_id = state.get("step_id") if isinstance(state, dict) else None
        services.emit(EventType.NODE_STARTED, f"{name} started", step_id, node=name)
        try:
            update = await node(state, runtime)
        except GraphBubbleUp:  # no fault: the caller's answer to an interrupt executes the node again
            services.emit(EventType.NODE_ENDED, f"{name} waits for an answer", step_id, node=name, ok=True)
            raise
        except Exception as error:  # every failed attempt is audited; LangGraph decides whether it is retried
            _audit(services, runtime, name, step_id, error)
            services.emit(EventType.NODE_ENDED, f"{name} failed: {error}", step_id, node=name, ok=False)
            raise
        services.emit(EventType.NODE_ENDED, f"{name} ended", step_id, node=name, ok=True)
        return update

    return wrapper


def _audit(
    services: GraphServices, runtime: Runtime[RunContext], name: str, step_id: str | None, error: Exception
) -> None:
    attempt = runtime.execution_info.node_attempt if runtime.execution_info else 1
    retried = is_transient(error) and attempt < services.node_attempts
    services.audit(
        AuditEntry(
            role=name,
            attempt=attempt,
            outcome="timed_out" if isinstance(error, TimeoutError) else "failed",
            step_id=step_id,
            errors=(fault_of(error).to_dict(),),
            reason="first" if attempt == 1 else "retry after a transient fault",
            details={"node": name, "retried": retried},
        )
    )


def all_or_first_error(outcomes: Iterable[Any]) -> list[Any]:
    """Return what concurrent work returned: the outcomes of `asyncio.gather(…, return_exceptions=True)`.

    Raises:
        The first error in the order of the work, not in time: the result does not depend on timing.
    """
    results = list(outcomes)
    for result in results:
        if isinstance(result, BaseException):
            raise result
    return results


async def call_agent(
    state: Mapping[str, Any],
    runtime: Runtime[RunContext],
    role: str,
    task: str,
    inputs: JsonObject,
    *,
    step_id: str | None = None,
    constraints: JsonObject | None = None,
) -> AgentResponse:
    """Send a request to the agent of a role; its goal is the run's request.

    Neither the agent nor a wait between two attempts outlasts the run's ceiling on time.

    Args:
        step_id: of the plan step; the state's own when it has one.

    Raises:
        TestwrightError: there is no agent for the role.
        BudgetExhausted: a ceiling of the run is reached; the agent's work is not done.
    """
    step_id = step_id or state.get("step_id")
    context = runtime.context
    services = services_of(runtime)
    agent = services.agents.get(role)
    if agent is None:
        raise TestwrightError(
            f"there is no {role} agent", advice=f"GraphServices.agents has: {', '.join(services.agents) or 'none'}."
        )
    if not services.once.setdefault("an agent was asked", False):
        services.once["an agent was asked"] = True
        services.emit(EventType.THINKING, "asking the agents")
    trace_id = f"{context.run_id}:{step_id or role}"
    metadata = RequestMetadata(trace_id, context.profile, context.priority, context.agent_timeout)
    if context.without_models:
        constraints = {**(constraints or {}), **WITHOUT_MODEL}
    briefing = dict(context.briefing) or None
    request = AgentRequest(state["user_request"], task, metadata, inputs, briefing, constraints)
    async with in_time(services.budget):
        response = await send_request(agent, request, role=role, options=_audited(services, step_id))
    error = response.error
    # A ceiling must stop the step at its last checkpoint; as an agent's failure it would count as a failed attempt.
    if error is not None and (error.details or {}).get("exit_code") == ExitCode.BUDGET:
        raise BudgetExhausted(error.message, advice=str((error.details or {}).get("advice") or ""))
    if role not in STEERING:
        _obey(check_flags(response, role), role)
    if response.is_partial():
        missing = error.message if error is not None else "it does not say what is missing"
        services.emit(EventType.PROGRESS, f"the {role} agent answered in part: {missing}", step_id)
    return response


def _obey(flags: FlagCheckResult, role: str) -> None:
    """Raises RunTerminated or StepEndedByAgent where the flags of an agent that does not steer say so.

    The planner's `pass` and `interrupt` are `build_plan`'s: its plan goes on.
    """
    reason = flags.halt_reason or f"halted by {role}"
    if flags.should_halt:
        raise RunTerminated(reason, details={"role": role})
    if role != "planner" and flags.should_pass:
        raise StepEndedByAgent(f"the {role} agent says that nothing more is to be made: {reason}", StepExit.PASSED)
    if role != "planner" and flags.should_interrupt:
        raise StepEndedByAgent(f"the {role} agent interrupted the step: {reason}", StepExit.INTERRUPTED)


@asynccontextmanager
async def in_time(budget: ModelBudget | None) -> AsyncIterator[None]:
    """Cancel the block at the run's ceiling on time. Raises BudgetExhausted."""
    limit = asyncio.timeout(None if budget is None else budget.seconds_left)
    try:
        async with limit:
            yield
    except TimeoutError:
        if budget is None or not limit.expired():
            raise
        raise budget.out_of_time() from None


def _audited(services: GraphServices, step_id: str | None) -> RequestOptions:
    """The run's request options, with waits bounded by its time ceiling, and an audit entry for every attempt."""
    options, budget = services.request_options, services.budget

    async def sleep(seconds: float) -> None:
        left = budget.seconds_left if budget is not None else None
        if budget is not None and left is not None and seconds >= left:
            raise budget.out_of_time()  # the wait would not end before the run
        await options.sleep(seconds)

    def record(attempt: AgentAttempt) -> None:
        options.record(attempt)
        services.audit(_audit_entry(attempt, step_id))

    return replace(options, sleep=sleep, record=record)


def _audit_entry(attempt: AgentAttempt, step_id: str | None) -> AuditEntry:
    response, error = attempt.response, attempt.response.error
    metadata, inputs = response.metadata, consumer_view(attempt.request.inputs or {})
    generation = inputs.get("attempt")  # of a spec or a test file within the step, from 1
    reason = attempt.reason
    if attempt.attempt == 1:  # the errors that a refinement is to mend are what made it necessary
        reason = summarize_errors(inputs.get("errors") or ()) or reason
    return AuditEntry(
        role=attempt.role,
        attempt=attempt.attempt,
        outcome=_outcome(response),
        prompt_hash=digest_of(attempt.request.inputs),
        step_id=step_id,
        errors=(error.to_dict(),) if error else (),
        reason=reason,
        duration_ms=float(metadata.get("duration_ms") or 0.0),
        tokens=int(metadata.get("tokens") or 0),
        cost=float(metadata.get("cost") or 0.0),
        model=str(metadata.get("model") or metadata.get("agent") or ""),
        details={
            **({"generation": generation} if isinstance(generation, int) else {}),
            "task": attempt.request.task,
            "wait_seconds": attempt.wait,
            **{key: metadata[key] for key in ("prompt_version", "process") if metadata.get(key)},
        },
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
