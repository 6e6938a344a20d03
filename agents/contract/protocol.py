"""Defines requests, responses, errors and hydration envelopes as plain data, and the interface that every agent has.

Type names, field names and enumerations are part of the public contract. `to_dict` and `from_dict` carry a request or a
response across a process boundary unchanged, as long as the caller puts in JSON values only.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from enum import StrEnum
from functools import cache
from typing import Annotated, Any, ClassVar, Protocol, Self, runtime_checkable

from pydantic import ConfigDict, Field, InstanceOf, PlainValidator, TypeAdapter, ValidationError

from ...core.usage import MOST_USED, is_countable

JsonObject = dict[str, Any]


def _not_blank(value: object) -> str:
    if not isinstance(value, str) or not value.strip():
        raise ValueError("must be a non-empty string")
    return value


# Checked here, not by pydantic, which refuses the lone surrogates that paths of a project may have.
_Text = Annotated[str, PlainValidator(_not_blank)]
_Object = InstanceOf[JsonObject]


@cache
def _adapter(cls: type) -> TypeAdapter[Any]:
    return TypeAdapter(cls)


class _PlainData:
    """Base of the dataclasses here: converts to and from JSON objects, and validates values against the fields' types.

    Creating an instance validates nothing, so that an agent can answer an invalid request with an error.
    """

    __slots__ = ()
    __pydantic_config__: ClassVar = ConfigDict(extra="forbid", revalidate_instances="always")

    def validate(self) -> list[str]:
        """List every problem as `<field>: <requirement>`, with dots before fields of fields."""
        try:
            _adapter(type(self)).validate_python(self, strict=True)
        except ValidationError as error:
            return [
                f"{'.'.join(map(str, problem['loc']))}: {problem['msg'].removeprefix('Value error, ')}"
                for problem in error.errors(include_url=False)
            ]
        return []

    def to_dict(self) -> JsonObject:
        """Convert to a JSON object."""
        return asdict(self)  # pyrefly: ignore[bad-argument-type] - every subclass is a dataclass

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Self:
        """Invert `to_dict`. Raises ValueError for a missing or unknown key, or a value of another type."""
        return _adapter(cls).validate_python(data)


class ErrorType(StrEnum):
    """Kinds of agent errors."""

    VALIDATION = "validation"
    EXECUTION = "execution"
    TIMEOUT = "timeout"
    RESOURCE = "resource"
    PERMISSION = "permission"
    NETWORK = "network"
    UNKNOWN = "unknown"


WITHOUT_MODEL = {"without_model": True}
"""Constraint of a request that an agent with a model answers as its embedded counterpart."""


LAST_ATTEMPT = {"last_attempt": True}
"""Constraint of a request that is not repeated: a part of an answer is better than a recoverable error."""


@dataclass(frozen=True, slots=True)
class AgentError(_PlainData):
    """Why a request failed.

    Attributes:
        type: one of the seven kinds.
        message: one sentence for people.
        details: JSON for machines; for errors of this package `error` (class), `advice` and `exit_code`.
        recoverable: whether the same request may succeed when it is repeated.
        retry_after: seconds to wait before that; None leaves it to the caller.
        trace_context: where it happened, at least the trace id.
    """

    type: ErrorType
    message: _Text
    details: _Object | None = None
    recoverable: bool = False
    retry_after: Annotated[float, Field(ge=0)] | None = None
    trace_context: _Object | None = None


class ResponseStatus(StrEnum):
    """How a request ended, or that it has not ended yet (PENDING)."""

    SUCCESS = "success"
    ERROR = "error"
    PARTIAL = "partial"
    PENDING = "pending"
    CANCELLED = "cancelled"


@dataclass(frozen=True, slots=True)
class RequestMetadata(_PlainData):
    """Data that accompanies a request and is not part of the task.

    Attributes:
        trace_id: connects the response and its trace with the request; never empty.
        profile: the named set of settings of the caller.
        priority: 0 (lowest) to 10 (highest).
        timeout: seconds the agent may take; None for no limit.
    """

    trace_id: _Text
    profile: _Text = "default"
    priority: Annotated[int, Field(ge=0, le=10)] = 5
    timeout: Annotated[float, Field(gt=0)] | None = None


@dataclass(slots=True)
class AgentRequest(_PlainData):
    """A request to an agent.

    Attributes:
        goal: the objective the task serves.
        task: what this agent is to do now.
        metadata: trace id, profile, priority, timeout.
        inputs: the agent's own inputs, in the shape of its input contract.
        context: results of earlier steps.
        constraints: limits on how the task may be done.
        expected_output: what a good answer looks like, in words.
    """

    goal: _Text
    task: _Text
    metadata: RequestMetadata
    inputs: _Object | None = None
    context: _Object | None = None
    constraints: _Object | None = None
    expected_output: InstanceOf[str] | None = None

    def consumer_inputs(self) -> JsonObject:
        """Return the inputs as one object, without the hydration envelope; {} where there are none."""
        return consumer_view(self.inputs or {})


def _now() -> str:
    return datetime.now(UTC).isoformat()


@dataclass(slots=True)
class AgentResponse(_PlainData):
    """An agent's answer.

    Attributes:
        status: how the request ended.
        result: the answer; never None for SUCCESS.
        error: never None for ERROR; for PARTIAL, why the result is incomplete.
        trace: events in order; each carries `event` and `trace_id`.
        metadata: `duration_ms` (milliseconds), `tokens` (count), `cost` (US dollars), and what the agent adds.
        timestamp: ISO 8601, UTC.
    """

    status: ResponseStatus
    result: Any = None
    error: AgentError | None = None
    trace: list[_Object] = field(default_factory=list)
    metadata: _Object = field(default_factory=dict)
    timestamp: _Text = field(default_factory=_now)

    def is_success(self) -> bool:
        """Whether the answer is complete."""
        return self.status is ResponseStatus.SUCCESS

    def is_error(self) -> bool:
        """Whether there is an error and no answer."""
        return self.status is ResponseStatus.ERROR

    def is_partial(self) -> bool:
        """Whether a part of the answer is there."""
        return self.status is ResponseStatus.PARTIAL

    def validate(self) -> list[str]:
        """List every problem as `<field>: <requirement>`, with dots before fields of fields."""
        problems = _PlainData.validate(self)
        if self.status in (ResponseStatus.SUCCESS, ResponseStatus.PARTIAL) and self.result is None:
            problems.append(f"result: required when status is {self.status}")
        if self.status is ResponseStatus.ERROR and self.error is None:
            problems.append("error: required when status is error")
        if self.status is ResponseStatus.SUCCESS and self.error is not None:
            problems.append("error: must be null when status is success")
        return problems + _usage_problems(self.metadata)


def _usage_problems(metadata: object) -> list[str]:
    """Problems of what metadata say was used: ceilings count it."""
    found = metadata if isinstance(metadata, Mapping) else {}
    return [
        f"metadata.{name}: must be a number from 0 to {MOST_USED:g}"
        for name in ("tokens", "cost", "duration_ms")
        if not is_countable(found.get(name) or 0)
    ]


@runtime_checkable
class AgentProtocol(Protocol):
    """The interface of every agent."""

    async def process(self, request: AgentRequest) -> AgentResponse:
        """Answer `request`.

        Never raises: errors are in `response.error`. The trace id of the request is in every event of `response.trace`.
        Only a cancellation of the caller's own task passes through.
        """
        ...


def success_response(
    result: Any, *, trace: Sequence[JsonObject] = (), metadata: Mapping[str, Any] | None = None
) -> AgentResponse:
    """Build a SUCCESS. Raises ValueError when `result` is None."""
    if result is None:
        raise ValueError("a success needs a result")
    return AgentResponse(ResponseStatus.SUCCESS, result=result, trace=list(trace), metadata=dict(metadata or {}))


def error_response(
    type: ErrorType,  # noqa: A002 - a public name
    message: str,
    *,
    details: JsonObject | None = None,
    recoverable: bool = False,
    retry_after: float | None = None,
    trace: Sequence[JsonObject] = (),
    metadata: Mapping[str, Any] | None = None,
) -> AgentResponse:
    """Build an ERROR from the fields of an `AgentError`."""
    error = AgentError(type, message, details, recoverable, retry_after)
    return AgentResponse(ResponseStatus.ERROR, error=error, trace=list(trace), metadata=dict(metadata or {}))


def refusal(
    message: str,
    *,
    error: str = "AgentFailure",
    trace: Sequence[JsonObject] = (),
    metadata: Mapping[str, Any] | None = None,
    **details: Any,
) -> AgentResponse:
    """Build the ERROR of an agent that has nothing to return; `error` is its class, `details` what beside it."""
    return error_response(
        ErrorType.VALIDATION, message, details={"error": error, **details}, trace=trace, metadata=metadata
    )


def partial_response(
    result: Any,
    error: AgentError | None = None,
    *,
    trace: Sequence[JsonObject] = (),
    metadata: Mapping[str, Any] | None = None,
) -> AgentResponse:
    """Build a PARTIAL: `result` is usable, `error` says what is missing. Raises ValueError when `result` is None."""
    if result is None:
        raise ValueError("a partial response needs a result")
    return AgentResponse(ResponseStatus.PARTIAL, result, error, list(trace), dict(metadata or {}))


def validate_request(request: object) -> list[str]:
    """List every problem of a value that should be a request."""
    if not isinstance(request, AgentRequest):
        return [f"request: must be an AgentRequest, is {type(request).__name__}"]
    return request.validate()


def validate_response(response: object) -> list[str]:
    """List every problem of a value that should be a response."""
    if not isinstance(response, AgentResponse):
        return [f"response: must be an AgentResponse, is {type(response).__name__}"]
    return response.validate()


_ENVELOPE_KEYS = frozenset({"run_id", "upstream", "payload", "parameters"})


def consumer_view(inputs: Any) -> Any:
    """Flatten a hydration envelope into the one object that input schemas describe; return other inputs unchanged.

    An envelope is `{run_id, upstream, payload, parameters}`; a refinement adds keys such as `errors` beside those four.
    """
    if not isinstance(inputs, Mapping) or not inputs.keys() >= _ENVELOPE_KEYS:
        return inputs
    if not isinstance(inputs["payload"], Mapping):
        return inputs
    beside = {key: value for key, value in inputs.items() if key not in _ENVELOPE_KEYS}
    return {"run_id": inputs["run_id"], **inputs["payload"], **inputs["parameters"], **beside}
