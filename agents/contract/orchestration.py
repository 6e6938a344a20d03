"""Asking an agent, whichever it is (C-06, T-15): one way to call, one way to try again."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field

from .failures import error_from
from .protocol import (
    AgentError,
    AgentProtocol,
    AgentRequest,
    AgentResponse,
    ErrorType,
    ResponseStatus,
    error_response,
    validate_response,
)

TRANSIENT = frozenset({ErrorType.NETWORK, ErrorType.TIMEOUT, ErrorType.RESOURCE})
"""Errors of the way to an agent rather than of its answer: waits between them grow."""

Sleep = Callable[[float], Awaitable[None]]
Jitter = Callable[[], float]


@dataclass(frozen=True, slots=True)
class AskPolicy:
    """How often, and after how long, a recoverable error is asked again.

    Attributes:
        attempts: requests in all, the first included.
        first_wait: seconds, where the error names none.
        factor: by what the wait grows from one transient error to the next.
        jitter: the part of a grown wait that chance may add, 0 to 1.
        longest_wait: seconds; an error that asks for more is given back at once.
    """

    attempts: int = 3
    first_wait: float = 1.0
    factor: float = 2.0
    jitter: float = 0.25
    longest_wait: float = 120.0

    def wait_after(self, error: AgentError, attempt: int, chance: float) -> float:
        """Seconds to wait after failed attempt number `attempt` (from 1); `chance` is from 0 to 1."""
        if error.retry_after is not None:
            return error.retry_after
        if attempt == 1 or error.type not in TRANSIENT:
            return self.first_wait
        grown = self.first_wait * self.factor ** (attempt - 1)
        return min(grown * (1 + self.jitter * chance), self.longest_wait)


@dataclass(frozen=True, slots=True)
class AskedOnce:
    """One attempt, for the audit log.

    Attributes:
        role: the agent's role.
        attempt: from 1.
        request, response: what was asked and answered.
        reason: "first", or the error that made this attempt necessary.
        wait: seconds until the next attempt; None when there is none.
    """

    role: str
    attempt: int
    request: AgentRequest
    response: AgentResponse
    reason: str = "first"
    wait: float | None = None


@dataclass(frozen=True, slots=True)
class Asking:
    """How agents are asked in a run; everything that touches time or chance is given.

    Attributes:
        policy: when to try again.
        sleep: waits some seconds.
        chance: a number from 0 to 1 for the jitter.
        record: is told of every attempt.
    """

    policy: AskPolicy = field(default_factory=AskPolicy)
    sleep: Sleep = asyncio.sleep
    chance: Jitter = random.random
    record: Callable[[AskedOnce], None] = lambda once: None


async def ask(agent: AgentProtocol, request: AgentRequest, *, role: str, asking: Asking) -> AgentResponse:
    """Ask until the agent answers, fails for good, or the attempts are used up.

    An agent that breaks the protocol (raises, or answers with something else) is an error like any other. The
    response's `tokens` and `cost` are those of all attempts together, `attempts` their number.
    """
    reason = "first"
    tokens, cost = 0, 0.0
    for attempt in range(1, asking.policy.attempts + 1):
        response = await _answer(agent, request, role)
        tokens += int(response.metadata.get("tokens") or 0)
        cost += float(response.metadata.get("cost") or 0.0)
        wait = _wait(response, attempt, asking)
        asking.record(AskedOnce(role, attempt, request, response, reason, wait))
        if wait is None:
            response.metadata.update(tokens=tokens, cost=cost, attempts=attempt)
            return response
        reason = response.error.message if response.error else ""
        await asking.sleep(wait)
    raise AssertionError("a policy has at least one attempt")


def _wait(response: AgentResponse, attempt: int, asking: Asking) -> float | None:
    """Seconds until the next attempt, or None when this response stands."""
    error = response.error
    if response.status is not ResponseStatus.ERROR or error is None or not error.recoverable:
        return None
    if attempt >= asking.policy.attempts:
        return None
    wait = asking.policy.wait_after(error, attempt, asking.chance())
    return None if wait > asking.policy.longest_wait else wait


async def _answer(agent: AgentProtocol, request: AgentRequest, role: str) -> AgentResponse:
    try:
        response = await agent.process(request)
    except Exception as error:  # noqa: BLE001 - an agent of others that raises must not end the run
        return AgentResponse(ResponseStatus.ERROR, error=error_from(error, role))
    problems = validate_response(response)
    if problems:
        return error_response(
            ErrorType.VALIDATION,
            f"{role} broke the agent protocol: {'; '.join(problems)}",
            details={"errors": problems},
        )
    return response
