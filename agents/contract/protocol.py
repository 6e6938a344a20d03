"""One interface for every agent (C-01 to C-04): a request goes in, a response comes out, nothing is raised.

The types, field names and enumerations are the seed's. Everything here is plain data: `to_dict` and `from_dict` carry a
request or a response over a process boundary unchanged, as long as what the caller put in is JSON.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from enum import StrEnum
from typing import Any, Protocol, Self, runtime_checkable

from .agent_error import AgentError, ErrorType, JsonObject
from .plain_data import as_object, is_integer, is_number, is_text, known_fields, shallow

__all__ = [
    "AgentError",
    "AgentProtocol",
    "AgentRequest",
    "AgentResponse",
    "ErrorType",
    "JsonObject",
    "RequestMetadata",
    "ResponseStatus",
    "error_response",
    "partial_response",
    "success_response",
    "validate_request",
    "validate_response",
]


class ResponseStatus(StrEnum):
    """How a request ended, or that it has not ended yet (PENDING)."""

    SUCCESS = "success"
    ERROR = "error"
    PARTIAL = "partial"
    PENDING = "pending"
    CANCELLED = "cancelled"


@dataclass(frozen=True, slots=True)
class RequestMetadata:
    """What travels with a request and is never part of the task.

    Attributes:
        trace_id: ties the response and its trace to the request; never empty.
        profile: the named set of settings the caller runs under.
        priority: 0 (last) to 10 (first).
        timeout: seconds the agent may take; None for no limit.
    """

    trace_id: str
    profile: str = "default"
    priority: int = 5
    timeout: float | None = None

    def validate(self) -> list[str]:
        """Every problem, as `field: what is wrong`; empty when there is none."""
        problems = [
            f"metadata.{name}: must be a non-empty string"
            for name in ("trace_id", "profile")
            if not is_text(getattr(self, name))
        ]
        if not is_integer(self.priority) or not 0 <= self.priority <= 10:
            problems.append("metadata.priority: must be an integer from 0 to 10")
        if self.timeout is not None and not (is_number(self.timeout) and self.timeout > 0):
            problems.append("metadata.timeout: must be a number of seconds above 0, or null")
        return problems

    def to_dict(self) -> JsonObject:
        """The metadata as JSON."""
        return shallow(self)

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Self:
        """The inverse of `to_dict`. Raises ValueError for a missing or unknown key."""
        return cls(**known_fields(cls, data, required=("trace_id",)))


@dataclass(slots=True)
class AgentRequest:
    """What every agent is asked with (C-01).

    Attributes:
        goal: the objective the task serves.
        task: what this agent is to do now.
        metadata: trace id, profile, priority, timeout.
        inputs: the agent's own inputs, in the shape of its input contract.
        context: results of earlier steps.
        constraints: limits on how the task may be done.
        expected_output: what a good answer looks like, in words.
    """

    goal: str
    task: str
    metadata: RequestMetadata
    inputs: JsonObject | None = None
    context: JsonObject | None = None
    constraints: JsonObject | None = None
    expected_output: str | None = None

    def validate(self) -> list[str]:
        """Every problem, as `field: what is wrong`; empty when there is none."""
        problems = [
            f"{name}: must be a non-empty string" for name in ("goal", "task") if not is_text(getattr(self, name))
        ]
        if isinstance(self.metadata, RequestMetadata):
            problems += self.metadata.validate()
        else:
            problems.append("metadata: must be a RequestMetadata")
        for name in ("inputs", "context", "constraints"):
            value = getattr(self, name)
            if value is not None and not isinstance(value, dict):
                problems.append(f"{name}: must be an object or null")
        if self.expected_output is not None and not isinstance(self.expected_output, str):
            problems.append("expected_output: must be a string or null")
        return problems

    def to_dict(self) -> JsonObject:
        """The request as JSON."""
        return {**shallow(self), "metadata": self.metadata.to_dict()}

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Self:
        """The inverse of `to_dict`. Raises ValueError for a missing or unknown key."""
        known = known_fields(cls, data, required=("goal", "task", "metadata"))
        return cls(**{**known, "metadata": RequestMetadata.from_dict(as_object(known["metadata"], "metadata"))})


def _now() -> str:
    return datetime.now(UTC).isoformat()


@dataclass(slots=True)
class AgentResponse:
    """What every agent answers (C-02).

    Attributes:
        status: how the request ended.
        result: the answer; never None for SUCCESS.
        error: never None for ERROR; for PARTIAL, why the result is not whole.
        trace: what happened, in order; each event carries `event` and `trace_id`.
        metadata: `duration_ms` (milliseconds), `tokens` (count), `cost` (US dollars), and what the agent adds.
        timestamp: ISO 8601, UTC.
    """

    status: ResponseStatus
    result: Any = None
    error: AgentError | None = None
    trace: list[JsonObject] = field(default_factory=list)
    metadata: JsonObject = field(default_factory=dict)
    timestamp: str = field(default_factory=_now)

    def is_success(self) -> bool:
        """Whether the whole answer is there."""
        return self.status is ResponseStatus.SUCCESS

    def is_error(self) -> bool:
        """Whether there is no answer, only an error."""
        return self.status is ResponseStatus.ERROR

    def is_partial(self) -> bool:
        """Whether a part of the answer is there."""
        return self.status is ResponseStatus.PARTIAL

    def validate(self) -> list[str]:
        """Every problem, as `field: what is wrong`; empty when there is none."""
        if not isinstance(self.status, ResponseStatus):
            return ["status: must be one of " + ", ".join(ResponseStatus)]
        problems: list[str] = []
        if self.status in (ResponseStatus.SUCCESS, ResponseStatus.PARTIAL) and self.result is None:
            problems.append(f"result: required when status is {self.status}")
        if self.status is ResponseStatus.ERROR and self.error is None:
            problems.append("error: required when status is error")
        if self.status is ResponseStatus.SUCCESS and self.error is not None:
            problems.append("error: must be null when status is success")
        if isinstance(self.error, AgentError):
            problems += self.error.validate()
        elif self.error is not None:
            problems.append("error: must be an AgentError or null")
        if not isinstance(self.trace, list) or not all(isinstance(event, dict) for event in self.trace):
            problems.append("trace: must be a list of objects")
        if not isinstance(self.metadata, dict):
            problems.append("metadata: must be an object")
        if not is_text(self.timestamp):
            problems.append("timestamp: must be a non-empty string")
        return problems

    def to_dict(self) -> JsonObject:
        """The response as JSON."""
        error = self.error.to_dict() if self.error is not None else None
        return {**shallow(self), "status": str(self.status), "error": error}

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Self:
        """The inverse of `to_dict`. Raises ValueError for a missing or unknown key, or an unknown status."""
        known = known_fields(cls, data, required=("status",))
        error = known.get("error")
        known["status"] = ResponseStatus(known["status"])
        known["error"] = None if error is None else AgentError.from_dict(as_object(error, "error"))
        return cls(**known)


@runtime_checkable
class AgentProtocol(Protocol):
    """What every agent is (C-04)."""

    async def process(self, request: AgentRequest) -> AgentResponse:
        """Answer `request`.

        Never raises: what goes wrong is in `response.error`. The trace id of the request is in every event of
        `response.trace`. Only a cancellation of the caller's own task passes through.
        """
        ...


def success_response(
    result: Any, *, trace: Sequence[JsonObject] = (), metadata: Mapping[str, Any] | None = None
) -> AgentResponse:
    """A SUCCESS. Raises ValueError when `result` is None."""
    if result is None:
        raise ValueError("a success needs a result")
    return AgentResponse(ResponseStatus.SUCCESS, result=result, trace=list(trace), metadata=dict(metadata or {}))


def error_response(
    type: ErrorType,  # noqa: A002 - the seed's name
    message: str,
    *,
    details: JsonObject | None = None,
    recoverable: bool = False,
    retry_after: float | None = None,
    trace_context: JsonObject | None = None,
    trace: Sequence[JsonObject] = (),
    metadata: Mapping[str, Any] | None = None,
) -> AgentResponse:
    """An ERROR made of the fields of an `AgentError`."""
    error = AgentError(type, message, details, recoverable, retry_after, trace_context)
    return AgentResponse(ResponseStatus.ERROR, error=error, trace=list(trace), metadata=dict(metadata or {}))


def partial_response(
    result: Any,
    error: AgentError | None = None,
    *,
    trace: Sequence[JsonObject] = (),
    metadata: Mapping[str, Any] | None = None,
) -> AgentResponse:
    """A PARTIAL: `result` is usable, `error` says what is missing. Raises ValueError when `result` is None."""
    if result is None:
        raise ValueError("a partial response needs a result")
    return AgentResponse(ResponseStatus.PARTIAL, result, error, list(trace), dict(metadata or {}))


def validate_request(request: object) -> list[str]:
    """Every problem of something offered as a request; empty when it is a valid one."""
    if not isinstance(request, AgentRequest):
        return [f"request: must be an AgentRequest, is {type(request).__name__}"]
    return request.validate()


def validate_response(response: object) -> list[str]:
    """Every problem of something offered as a response; empty when it is a valid one."""
    if not isinstance(response, AgentResponse):
        return [f"response: must be an AgentResponse, is {type(response).__name__}"]
    return response.validate()
