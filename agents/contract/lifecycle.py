"""Runs agents: the base class with start, shutdown and a `process` that never raises, and retries of requests.

A concrete agent implements `_work` only. The base class checks the request, enforces the deadline, checks both
contracts, converts every exception into an `AgentError`, sums up model usage, and completes trace and metadata.
`send_request` sends a request to any agent and repeats it after recoverable errors.
"""

from __future__ import annotations

import asyncio
import random
import time
from abc import ABC, abstractmethod
from collections.abc import Awaitable, Callable
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Any, ClassVar, Self

from ...core.request_usage import track_request
from ...core.usage import is_countable, usage_of
from .containment import contained
from .failures import error_from
from .protocol import (
    LAST_ATTEMPT,
    AgentError,
    AgentProtocol,
    AgentRequest,
    AgentResponse,
    ErrorType,
    JsonObject,
    ResponseStatus,
    consumer_view,
    error_response,
    refusal,
    success_response,
    validate_request,
    validate_response,
)

TRANSIENT = frozenset({ErrorType.NETWORK, ErrorType.TIMEOUT, ErrorType.RESOURCE})
"""Errors in reaching an agent, as opposed to errors in its answer; the waits between them grow."""

COST_KNOWN = "cost_known"
"""Key in the metadata of a response: false where its agent has named tokens and no cost."""

ContractValidator = Callable[[str, Any], list[JsonObject]]
"""(schema name, value) → violations, each with `path` and `message`; empty when the value conforms."""

Sleep = Callable[[float], Awaitable[None]]
Jitter = Callable[[], float]


class AgentState(StrEnum):
    """Lifecycle state of an agent. A stopped agent may be started again."""

    CREATED = "created"
    READY = "ready"
    STOPPED = "stopped"


@dataclass(frozen=True, slots=True)
class AgentContract:
    """Names of the schemas for an agent's `inputs` and `result`; None for unchecked.

    Attributes:
        validate: finds the violations; injected, so that agents do not depend on the schema registry.
        input_schema: for `request.inputs`; of a hydration envelope, for payload and parameters together.
        output_schema: for `response.result`.
    """

    validate: ContractValidator
    input_schema: str | None = None
    output_schema: str | None = None

    def input_violations(self, inputs: Any) -> list[JsonObject]:
        """List the violations in a request's inputs."""
        return self.validate(self.input_schema, consumer_view(inputs)) if self.input_schema is not None else []

    def output_violations(self, result: Any) -> list[JsonObject]:
        """List the violations in a result."""
        return self.validate(self.output_schema, result) if self.output_schema is not None else []


class Agent(ABC):
    """Base of every agent.

    Args:
        contract: the schemas to check; None for none.
        clock: seconds, monotonic; for `duration_ms`.

    Attributes:
        role: names the agent in traces and messages, as `name` does.
    """

    role: ClassVar[str]

    def __init__(self, *, contract: AgentContract | None = None, clock: Callable[[], float] = time.monotonic) -> None:
        self.name = self.role
        self._contract = contract
        self._clock = clock
        self._state = AgentState.CREATED

    @property
    def state(self) -> AgentState:
        """The lifecycle state."""
        return self._state

    @property
    def ready(self) -> bool:
        """Whether `process` accepts requests."""
        return self._state is AgentState.READY

    async def start(self) -> None:
        """Acquire resources; a second call does nothing. If that raises, the agent is not ready."""
        if not self.ready:
            await self._start()
            self._state = AgentState.READY

    async def shutdown(self) -> None:
        """Release resources; a second call does nothing. The agent is stopped even when that fails."""
        if self.ready:
            self._state = AgentState.STOPPED
            await self._shutdown()

    async def __aenter__(self) -> Self:
        await self.start()
        return self

    async def __aexit__(self, *exception: object) -> None:
        await self.shutdown()

    async def process(self, request: AgentRequest) -> AgentResponse:
        """Answer `request`; see `AgentProtocol.process`."""
        began = self._clock()
        # Read without trusting the type: what is no valid request is answered with an error, too.
        trace_id = str(getattr(getattr(request, "metadata", None), "trace_id", ""))
        with track_request(trace_id) as usage:
            try:
                response = self._refusal(request)
                if response is None:
                    async with asyncio.timeout(request.metadata.timeout):
                        answer = await contained(self._work(request))
                    response = self._response_of(answer)
            except Exception as error:  # noqa: BLE001 - the protocol: whatever an agent raises becomes its answer
                response = AgentResponse(ResponseStatus.ERROR, error=error_from(error, self.name))
        response.metadata = {**response.metadata, **usage.metadata()}
        return self._completed(response, trace_id, began)

    @abstractmethod
    async def _work(self, request: AgentRequest) -> AgentResponse | JsonObject:
        """Do the task. Returns the result, or a response when it is not a plain success or has metadata to add.

        May raise anything; it becomes an error.
        """

    async def _start(self) -> None:  # noqa: B027 - optional to override
        """Acquire resources; nothing by default."""

    async def _shutdown(self) -> None:  # noqa: B027 - optional to override
        """Release resources; nothing by default."""

    def _refusal(self, request: AgentRequest) -> AgentResponse | None:
        """The error for a request that must not reach `_work`, or None."""
        if problems := validate_request(request):
            return _invalid(f"{self.name} got an invalid request", _at_root(problems))
        if not self.ready:
            return error_response(ErrorType.RESOURCE, f"{self.name} is {self._state}, not ready")
        contract = self._contract
        if contract is not None and (violations := contract.input_violations(request.inputs)):
            return _invalid(f"{self.name} got inputs that break {contract.input_schema}", violations)
        return None

    def _response_of(self, answer: AgentResponse | JsonObject) -> AgentResponse:
        """The response to give for what `_work` returned: itself, or an error when it breaks protocol or contract."""
        response = answer if isinstance(answer, AgentResponse) else success_response(answer)
        if problems := validate_response(response):
            refused = _invalid(f"{self.name} made an invalid response", _at_root(problems))
            return replace(refused, metadata=_paid(response))
        contract = self._contract
        if contract is None or response.result is None or not (found := contract.output_violations(response.result)):
            return response
        # Usage and trace stay with the refused response: the model calls behind it were paid for.
        refused = _invalid(f"{self.name} made a result that breaks {contract.output_schema}", found)
        return replace(refused, metadata=response.metadata, trace=response.trace)

    def _completed(self, response: AgentResponse, trace_id: str, began: float) -> AgentResponse:
        """The response with duration and usage in its metadata, and the trace id everywhere."""
        duration = round((self._clock() - began) * 1000, 3)
        metadata = {"agent": self.name, "tokens": 0, "cost": 0.0, **response.metadata, "duration_ms": duration}
        if metadata["tokens"] and "cost" not in response.metadata:
            metadata[COST_KNOWN] = False  # the 0 is ours: the protocol wants a number
        ended = {"event": "ended", "agent": self.name, "status": str(response.status), "duration_ms": duration}
        events = [{"event": "started", "agent": self.name}, *response.trace, ended]
        error = response.error
        if error is not None:
            place = {"agent": self.name, **(error.trace_context or {}), "trace_id": trace_id}
            error = replace(error, trace_context=place)
        trace = [{**event, "trace_id": trace_id} for event in events]
        return replace(response, error=error, trace=trace, metadata=metadata)


def _paid(response: AgentResponse) -> JsonObject:
    """What a refused response says that it used, as far as that can be counted."""
    said = response.metadata if isinstance(response.metadata, dict) else {}
    return {name: amount for name, amount in usage_of(said).items() if is_countable(said.get(name))}


def _invalid(message: str, violations: list[JsonObject]) -> AgentResponse:
    return refusal(message, error="SchemaValidationError", errors=violations)


def _at_root(problems: list[str]) -> list[JsonObject]:
    return [{"path": "$", "message": problem} for problem in problems]


@dataclass(frozen=True, slots=True)
class AgentRetryPolicy:
    """How often, and after what waits, a request is repeated after a recoverable error.

    Attributes:
        attempts: requests in all, the first included.
        first_wait: seconds, where the error names none.
        factor: growth of the wait from one transient error to the next.
        jitter: the random share that is added to a grown wait, 0 to 1.
        longest_wait: seconds; an error that requires more is final.
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
class AgentAttempt:
    """One attempt of a request, for the audit log.

    Attributes:
        role: the agent's role.
        attempt: from 1.
        request, response: what was sent and returned.
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
class RequestOptions:
    """How requests are sent in a run; everything that depends on time or chance is injected.

    Attributes:
        policy: when to repeat a request.
        sleep: waits some seconds.
        chance: returns a number from 0 to 1 for the jitter.
        record: receives every attempt.
        working: context manager held while an agent processes a request (idle-time accounting).
    """

    policy: AgentRetryPolicy = field(default_factory=AgentRetryPolicy)
    sleep: Sleep = asyncio.sleep
    chance: Jitter = random.random
    record: Callable[[AgentAttempt], None] = lambda attempt: None
    working: Callable[[], AbstractContextManager[None]] = nullcontext


async def send_request(
    agent: AgentProtocol, request: AgentRequest, *, role: str, options: RequestOptions
) -> AgentResponse:
    """Repeat a request until the agent answers, fails for good, or the attempts are used up.

    An agent that breaks the protocol (raises, or returns something else) counts as failed, as does one that leaves its
    work pending; a cancelled answer has no result. The response's `tokens` and
    `cost` are those of all attempts together, `attempts` their number. The last attempt is told that it is the last.
    """
    reason = "first"
    tokens, cost = 0, 0.0
    for attempt in range(1, options.policy.attempts + 1):
        try:
            with options.working():
                sent = request if attempt < options.policy.attempts else _as_last(request)
                response = await contained(agent.process(sent))
        except Exception as error:  # noqa: BLE001 - a third-party agent that raises must not end the run
            response = AgentResponse(ResponseStatus.ERROR, error=error_from(error, role))
        if problems := validate_response(response):
            message = f"{role} broke the agent protocol: {'; '.join(problems)}"
            used = usage_of(getattr(response, "metadata", None))
            response = error_response(ErrorType.VALIDATION, message, details={"errors": problems}, metadata=used)
        response = _finished(response, role)
        used = usage_of(response.metadata)
        tokens, cost = tokens + used["tokens"], cost + used["cost"]
        wait = _wait(response, attempt, options)
        options.record(AgentAttempt(role, attempt, request, response, reason, wait))
        if wait is None:
            response.metadata.update(tokens=tokens, cost=cost, attempts=attempt)
            return response
        reason = response.error.message if response.error else ""
        await options.sleep(wait)
    raise AssertionError("a policy has at least one attempt")


def _finished(response: AgentResponse, role: str) -> AgentResponse:
    """The response as a caller can use it: one with pending work is refused, a cancelled one has no result."""
    if response.status is ResponseStatus.PENDING:
        message = f"{role} answered that its work is pending: an answer is awaited inside process(), not fetched later"
        return replace(error_response(ErrorType.VALIDATION, message), metadata=response.metadata, trace=response.trace)
    return replace(response, result=None) if response.status is ResponseStatus.CANCELLED else response


def _as_last(request: AgentRequest) -> AgentRequest:
    return replace(request, constraints={**(request.constraints or {}), **LAST_ATTEMPT})


def _wait(response: AgentResponse, attempt: int, options: RequestOptions) -> float | None:
    """Seconds until the next attempt, or None when this response is final."""
    error = response.error
    if response.status is not ResponseStatus.ERROR or error is None or not error.recoverable:
        return None
    if attempt >= options.policy.attempts:
        return None
    wait = options.policy.wait_after(error, attempt, options.chance())
    return None if wait > options.policy.longest_wait else wait
