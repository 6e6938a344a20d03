"""Defines requests, responses, errors and hydration envelopes as plain data, and the interface that every agent has.

Type names, field names and enumerations are part of the public contract. `to_dict` and `from_dict` carry a request or a
response across a process boundary unchanged, as long as the caller puts in JSON values only.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from datetime import UTC, datetime
from enum import StrEnum
from typing import Any, ClassVar, Protocol, Self, runtime_checkable

JsonObject = dict[str, Any]

_Rule = tuple[str, Callable[[Any], bool], str]
"""(field name, whether its value is valid, what is required of it)."""


def _is_text(value: object) -> bool:
    return isinstance(value, str) and bool(value.strip())


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _is_priority(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= 10


def _is_object_or_none(value: object) -> bool:
    return value is None or isinstance(value, dict)


_TEXT = "must be a non-empty string"


class _PlainData:
    """Base of the dataclasses here: converts to and from JSON objects, and checks fields by a table of rules."""

    __slots__ = ()
    _rules: ClassVar[tuple[_Rule, ...]] = ()
    _required: ClassVar[tuple[str, ...]] = ()

    def _problems(self, prefix: str = "") -> list[str]:
        return [
            f"{prefix}{name}: {requirement}"
            for name, is_valid, requirement in self._rules
            if not is_valid(getattr(self, name))
        ]

    def to_dict(self) -> JsonObject:
        """Convert to a JSON object."""
        # Not `asdict`, which would copy the values, large specs among them.
        return {each.name: getattr(self, each.name) for each in fields(self)}  # type: ignore[arg-type]

    @classmethod
    def _known(cls, data: Mapping[str, Any]) -> dict[str, Any]:
        """Return `data` as keyword arguments. Raises ValueError for a missing or unknown key."""
        unknown = sorted(set(data) - {each.name for each in fields(cls)})  # type: ignore[arg-type]
        missing = [name for name in cls._required if name not in data]
        if unknown or missing:
            raise ValueError(f"{cls.__name__}: unknown keys {unknown}, missing keys {missing}")
        return dict(data)


def _object(value: Any, name: str) -> Mapping[str, Any]:
    if not isinstance(value, Mapping):
        raise ValueError(f"{name}: must be an object")
    return value


class ErrorType(StrEnum):
    """Kinds of agent errors."""

    VALIDATION = "validation"
    EXECUTION = "execution"
    TIMEOUT = "timeout"
    RESOURCE = "resource"
    PERMISSION = "permission"
    NETWORK = "network"
    UNKNOWN = "unknown"


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
    message: str
    details: JsonObject | None = None
    recoverable: bool = False
    retry_after: float | None = None
    trace_context: JsonObject | None = None

    _rules: ClassVar[tuple[_Rule, ...]] = (
        ("type", lambda value: isinstance(value, ErrorType), "must be one of " + ", ".join(ErrorType)),
        ("message", _is_text, _TEXT),
        ("recoverable", lambda value: isinstance(value, bool), "must be true or false"),
        (
            "retry_after",
            lambda value: value is None or (_is_number(value) and value >= 0),
            "must be a number of seconds, 0 or more, or null",
        ),
    )
    _required: ClassVar[tuple[str, ...]] = ("type", "message")

    def validate(self) -> list[str]:
        """List every problem as `error.<field>: <requirement>`."""
        return self._problems("error.")

    def to_dict(self) -> JsonObject:
        """Convert to a JSON object."""
        return {**_PlainData.to_dict(self), "type": str(self.type)}

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Self:
        """Invert `to_dict`. Raises ValueError for a missing or unknown key, or an unknown type."""
        known = cls._known(data)
        return cls(**{**known, "type": ErrorType(known["type"])})


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

    trace_id: str
    profile: str = "default"
    priority: int = 5
    timeout: float | None = None

    _rules: ClassVar[tuple[_Rule, ...]] = (
        ("trace_id", _is_text, _TEXT),
        ("profile", _is_text, _TEXT),
        ("priority", _is_priority, "must be an integer from 0 to 10"),
        (
            "timeout",
            lambda value: value is None or (_is_number(value) and value > 0),
            "must be a number of seconds above 0, or null",
        ),
    )
    _required: ClassVar[tuple[str, ...]] = ("trace_id",)

    def validate(self) -> list[str]:
        """List every problem as `metadata.<field>: <requirement>`."""
        return self._problems("metadata.")

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Self:
        """Invert `to_dict`. Raises ValueError for a missing or unknown key."""
        return cls(**cls._known(data))


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

    goal: str
    task: str
    metadata: RequestMetadata
    inputs: JsonObject | None = None
    context: JsonObject | None = None
    constraints: JsonObject | None = None
    expected_output: str | None = None

    _rules: ClassVar[tuple[_Rule, ...]] = (
        ("goal", _is_text, _TEXT),
        ("task", _is_text, _TEXT),
        ("metadata", lambda value: isinstance(value, RequestMetadata), "must be a RequestMetadata"),
        ("inputs", _is_object_or_none, "must be an object or null"),
        ("context", _is_object_or_none, "must be an object or null"),
        ("constraints", _is_object_or_none, "must be an object or null"),
        ("expected_output", lambda value: value is None or isinstance(value, str), "must be a string or null"),
    )
    _required: ClassVar[tuple[str, ...]] = ("goal", "task", "metadata")

    def validate(self) -> list[str]:
        """List every problem as `<field>: <requirement>`."""
        nested = self.metadata.validate() if isinstance(self.metadata, RequestMetadata) else []
        return [*self._problems(), *nested]

    def to_dict(self) -> JsonObject:
        """Convert to a JSON object."""
        return {**_PlainData.to_dict(self), "metadata": self.metadata.to_dict()}

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Self:
        """Invert `to_dict`. Raises ValueError for a missing or unknown key."""
        known = cls._known(data)
        return cls(**{**known, "metadata": RequestMetadata.from_dict(_object(known["metadata"], "metadata"))})


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
    trace: list[JsonObject] = field(default_factory=list)
    metadata: JsonObject = field(default_factory=dict)
    timestamp: str = field(default_factory=_now)

    _rules: ClassVar[tuple[_Rule, ...]] = (
        ("error", lambda value: value is None or isinstance(value, AgentError), "must be an AgentError or null"),
        (
            "trace",
            lambda value: isinstance(value, list) and all(isinstance(event, dict) for event in value),
            "must be a list of objects",
        ),
        ("metadata", lambda value: isinstance(value, dict), "must be an object"),
        ("timestamp", _is_text, _TEXT),
    )
    _required: ClassVar[tuple[str, ...]] = ("status",)

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
        """List every problem as `<field>: <requirement>`."""
        if not isinstance(self.status, ResponseStatus):
            return ["status: must be one of " + ", ".join(ResponseStatus)]  # the other rules depend on it
        problems: list[str] = []
        if self.status in (ResponseStatus.SUCCESS, ResponseStatus.PARTIAL) and self.result is None:
            problems.append(f"result: required when status is {self.status}")
        if self.status is ResponseStatus.ERROR and self.error is None:
            problems.append("error: required when status is error")
        if self.status is ResponseStatus.SUCCESS and self.error is not None:
            problems.append("error: must be null when status is success")
        nested = self.error.validate() if isinstance(self.error, AgentError) else []
        return [*problems, *nested, *self._problems()]

    def to_dict(self) -> JsonObject:
        """Convert to a JSON object."""
        error = self.error.to_dict() if self.error is not None else None
        return {**_PlainData.to_dict(self), "status": str(self.status), "error": error}

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Self:
        """Invert `to_dict`. Raises ValueError for a missing or unknown key, or an unknown status."""
        known = cls._known(data)
        error = known.get("error")
        known["status"] = ResponseStatus(known["status"])
        known["error"] = None if error is None else AgentError.from_dict(_object(error, "error"))
        return cls(**known)


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
    trace_context: JsonObject | None = None,
    trace: Sequence[JsonObject] = (),
    metadata: Mapping[str, Any] | None = None,
) -> AgentResponse:
    """Build an ERROR from the fields of an `AgentError`."""
    error = AgentError(type, message, details, recoverable, retry_after, trace_context)
    return AgentResponse(ResponseStatus.ERROR, error=error, trace=list(trace), metadata=dict(metadata or {}))


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
