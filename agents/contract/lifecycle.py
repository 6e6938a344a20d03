"""What all agents share: start, ready, shut down (C-06), and a `process` that never raises (C-04).

A concrete agent writes `_work` and nothing else. The base checks the request, holds the deadline, checks both
contracts, turns every exception into an `AgentError`, counts what models were asked, and completes trace and metadata.
"""

from __future__ import annotations

import asyncio
import time
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Self

from ...core.usage import tallying
from .envelope import consumer_view
from .failures import error_from
from .protocol import (
    AgentError,
    AgentRequest,
    AgentResponse,
    ErrorType,
    JsonObject,
    ResponseStatus,
    error_response,
    success_response,
    validate_request,
    validate_response,
)

ContractValidator = Callable[[str, Any], list[JsonObject]]
"""(schema name, value) → violations, each with `path` and `message`; empty when the value fits."""


class AgentState(StrEnum):
    """Where an agent is in its life. A stopped agent may be started again."""

    CREATED = "created"
    READY = "ready"
    STOPPED = "stopped"


@dataclass(frozen=True, slots=True)
class AgentContract:
    """The schemas an agent's `inputs` and `result` must fit, by name; None for unchecked.

    Attributes:
        input_schema: what `request.inputs` must fit; of a hydration envelope, payload and parameters together.
        output_schema: checked against `response.result`.
        validate: finds the violations; given by wiring, so that agents know no registry.
    """

    validate: ContractValidator
    input_schema: str | None = None
    output_schema: str | None = None


class Agent(ABC):
    """Base of every agent.

    Args:
        name: the agent's role in traces and messages.
        contract: the schemas it is held to; None for none.
        clock: seconds, monotonic; for `duration_ms`.
    """

    def __init__(
        self, name: str, *, contract: AgentContract | None = None, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self.name = name
        self._contract = contract
        self._clock = clock
        self._state = AgentState.CREATED

    @property
    def state(self) -> AgentState:
        """Where the agent is in its life."""
        return self._state

    @property
    def ready(self) -> bool:
        """Whether `process` will do work."""
        return self._state is AgentState.READY

    async def start(self) -> None:
        """Get ready; a second call does nothing. Raises what acquiring resources raises, and is then not ready."""
        if not self.ready:
            await self._start()
            self._state = AgentState.READY

    async def shutdown(self) -> None:
        """Give resources back; a second call does nothing. The agent is stopped even when that fails."""
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
        trace_id = _trace_id(request)
        with tallying(trace_id) as tally:
            response = await self._attempt(request)
        response.metadata = {**response.metadata, **tally.metadata()}
        return self._completed(response, trace_id, began)

    @abstractmethod
    async def _work(self, request: AgentRequest) -> AgentResponse | JsonObject:
        """Do the task. Returns the result, or a response when it is not a plain success or has metadata to add.

        May raise anything; it becomes an error.
        """

    async def _start(self) -> None:  # noqa: B027 - optional to override
        """Acquire resources; nothing by default."""

    async def _shutdown(self) -> None:  # noqa: B027 - optional to override
        """Give resources back; nothing by default."""

    async def _attempt(self, request: AgentRequest) -> AgentResponse:
        problems = validate_request(request)
        if problems:
            return _invalid(
                f"{self.name} got an invalid request", [{"path": "$", "message": each} for each in problems]
            )
        if not self.ready:
            return error_response(ErrorType.RESOURCE, f"{self.name} is {self._state}, not ready")
        try:
            return await self._held_to_contract(request)
        except Exception as error:  # noqa: BLE001 - C-04: whatever an agent raises becomes its answer
            return AgentResponse(ResponseStatus.ERROR, error=error_from(error, self.name))

    async def _held_to_contract(self, request: AgentRequest) -> AgentResponse:
        contract = self._contract
        if contract is not None and contract.input_schema is not None:
            violations = contract.validate(contract.input_schema, consumer_view(request.inputs))
            if violations:
                return _invalid(f"{self.name} got inputs that break {contract.input_schema}", violations)
        async with asyncio.timeout(request.metadata.timeout):
            answer = await self._work(request)
        response = answer if isinstance(answer, AgentResponse) else success_response(answer)
        problems = validate_response(response)
        if problems:
            return _invalid(
                f"{self.name} made an invalid response", [{"path": "$", "message": each} for each in problems]
            )
        if contract is not None and contract.output_schema is not None and response.result is not None:
            violations = contract.validate(contract.output_schema, response.result)
            if violations:
                refused = _invalid(f"{self.name} made a result that breaks {contract.output_schema}", violations)
                refused.metadata.update(response.metadata)
                refused.trace.extend(response.trace)
                return refused
        return response

    def _completed(self, response: AgentResponse, trace_id: str, began: float) -> AgentResponse:
        duration = round((self._clock() - began) * 1000, 3)
        metadata = {"agent": self.name, "tokens": 0, "cost": 0.0, **response.metadata, "duration_ms": duration}
        inner = [{**event, "trace_id": trace_id} for event in response.trace]
        ended = {"event": "ended", "agent": self.name, "status": str(response.status), "duration_ms": duration}
        trace = [
            {"event": "started", "agent": self.name, "trace_id": trace_id},
            *inner,
            {**ended, "trace_id": trace_id},
        ]
        error = response.error
        if error is not None:
            place = {"agent": self.name, **(error.trace_context or {}), "trace_id": trace_id}
            error = AgentError(error.type, error.message, error.details, error.recoverable, error.retry_after, place)
        return AgentResponse(response.status, response.result, error, trace, metadata, response.timestamp)


def _invalid(message: str, violations: list[JsonObject]) -> AgentResponse:
    return error_response(
        ErrorType.VALIDATION, message, details={"error": "SchemaValidationError", "errors": violations}
    )


def _trace_id(request: object) -> str:
    """The request's trace id, also of something that is no valid request."""
    return str(getattr(getattr(request, "metadata", None), "trace_id", ""))
