"""Asks an agent of the loop within the loop's limits; an agent that fails is asked again without its model."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Any

from langgraph.runtime import Runtime

from ...agents.contract.protocol import WITHOUT_MODEL, AgentResponse, JsonObject
from ...core.events import EventType
from ...core.outcome import EvidenceExit
from ...core.usage import usage_of
from ..context import RunContext, services_of
from ..node import call_agent
from .state import EvidenceState

Update = dict[str, Any]
GRACE_SECONDS = 30.0
"""For the report of a loop whose time is over."""


async def ask(
    state: EvidenceState,
    runtime: Runtime[RunContext],
    role: str,
    task: str,
    inputs: JsonObject,
    *,
    is_last: bool = False,
) -> tuple[Mapping[str, Any] | None, Update]:
    """Return an agent's result and the update with usage, warnings and, where a limit is reached, `exit_reason`.

    The result is None where the time is over, or where the agent has failed with and without its model.

    Args:
        is_last: the loop has ended and this is its report: no limit but a time of grace, and no model where the limits
            are what ended it.

    Raises:
        BudgetExhausted: a ceiling of the run is reached.
    """
    left = seconds_left(state, runtime)
    left = max(GRACE_SECONDS, left) if is_last else left
    over = {"exit_reason": str(EvidenceExit.TIMEOUT)}
    if left <= 0:
        return None, over
    if not is_last and state["usage"]["tokens"] >= state["limits"]["tokens"]:
        return None, {"exit_reason": str(EvidenceExit.TOKEN_BUDGET)}
    ended_by_limit = state["exit_reason"] in (EvidenceExit.TIMEOUT, EvidenceExit.TOKEN_BUDGET)
    try:
        async with asyncio.timeout(left):
            plain = WITHOUT_MODEL if is_last and ended_by_limit else None
            response = await call_agent(state, runtime, role, task, inputs, constraints=plain)
            usage = usage_of(response.metadata)
            warnings = []
            # An agent that was cancelled at the limit may answer that it was.
            if not _is_usable(response) and plain is None and (is_last or seconds_left(state, runtime) > 0):
                warnings = [f"{role}: {_reason(response)}; it was asked again without its model"]
                response = await call_agent(state, runtime, role, task, inputs, constraints=WITHOUT_MODEL)
    except TimeoutError:
        return (None, over) if not is_last else await _without_model(state, runtime, role, task, inputs)
    update: Update = {"usage": usage, "warnings": warnings}
    if not _is_usable(response):
        return None, {**update, "warnings": [*warnings, f"{role}: {_reason(response)}"]}
    result = response.result
    assert isinstance(result, dict)
    if text := str(result.get("text") or ""):
        services_of(runtime).emit(
            EventType.STREAMING, text.partition("\n")[0][:200], state["step_id"] or None, text=text, agent_id=role
        )
    return result, update


async def _without_model(
    state: EvidenceState, runtime: Runtime[RunContext], role: str, task: str, inputs: JsonObject
) -> tuple[Mapping[str, Any] | None, Update]:
    """The report of a model that took too long, written without it."""
    late = f"{role}: the answer took too long; it was asked again without its model"
    try:
        async with asyncio.timeout(GRACE_SECONDS):
            response = await call_agent(state, runtime, role, task, inputs, constraints=WITHOUT_MODEL)
    except TimeoutError:
        return None, {"warnings": [late]}
    result = response.result if _is_usable(response) and isinstance(response.result, dict) else None
    return result, {"usage": usage_of(response.metadata), "warnings": [late]}


def seconds_left(state: EvidenceState, runtime: Runtime[RunContext]) -> float:
    """Seconds until the loop's limit on time."""
    return float(state["limits"]["seconds"]) - (services_of(runtime).clock() - state["began"])


def announce(state: EvidenceState, runtime: Runtime[RunContext], kind: EventType, role: str, message: str) -> None:
    """Emit that an agent begins."""
    services_of(runtime).emit(kind, message, state["step_id"] or None, agent_id=role)


def _is_usable(response: AgentResponse) -> bool:
    return (response.is_success() or response.is_partial()) and isinstance(response.result, dict)


def _reason(response: AgentResponse) -> str:
    return response.error.message if response.error is not None else "the answer has no result"
