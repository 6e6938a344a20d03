"""Why an agent could not answer, as plain data (C-03); `agents/contract/protocol.py` offers it with the rest."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Self

from .plain_data import is_number, is_text, known_fields, shallow

JsonObject = dict[str, Any]


class ErrorType(StrEnum):
    """The seed's seven kinds of agent error."""

    VALIDATION = "validation"
    EXECUTION = "execution"
    TIMEOUT = "timeout"
    RESOURCE = "resource"
    PERMISSION = "permission"
    NETWORK = "network"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class AgentError:
    """Why a request failed (C-03).

    Attributes:
        type: one of the seven kinds.
        message: one sentence for people.
        details: JSON for machines; for our own errors `error` (class), `advice` and `exit_code`.
        recoverable: whether the same request may succeed when asked again.
        retry_after: seconds to wait before that; None leaves it to the caller.
        trace_context: where it happened, at least the trace id.
    """

    type: ErrorType
    message: str
    details: JsonObject | None = None
    recoverable: bool = False
    retry_after: float | None = None
    trace_context: JsonObject | None = None

    def validate(self) -> list[str]:
        """Every problem, as `field: what is wrong`; empty when there is none."""
        problems: list[str] = []
        if not isinstance(self.type, ErrorType):
            problems.append("error.type: must be one of " + ", ".join(ErrorType))
        if not is_text(self.message):
            problems.append("error.message: must be a non-empty string")
        if not isinstance(self.recoverable, bool):
            problems.append("error.recoverable: must be true or false")
        if self.retry_after is not None and not (is_number(self.retry_after) and self.retry_after >= 0):
            problems.append("error.retry_after: must be a number of seconds, 0 or more, or null")
        return problems

    def to_dict(self) -> JsonObject:
        """The error as JSON."""
        return {**shallow(self), "type": str(self.type)}

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Self:
        """The inverse of `to_dict`. Raises ValueError for a missing or unknown key, or an unknown type."""
        known = known_fields(cls, data, required=("type", "message"))
        return cls(**{**known, "type": ErrorType(known["type"])})
