"""Faults sorted once, so that every place treats them alike: what may pass, what ends the step, what ends the run."""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from ..agents.contract.lifecycle import TRANSIENT
from ..agents.contract.protocol import AgentError, AgentResponse, JsonObject
from ..core.errors import (
    AgentFailure,
    BudgetExhausted,
    EnvironmentFault,
    ExitCode,
    SandboxFailure,
    SchemaValidationError,
    StorageError,
    TargetImportError,
    TestwrightError,
    ToolFailure,
    ToolTimeout,
)
from ..core.outcome import StepExit

# Faults of the machine, or of the account at a model's endpoint, that every other step would meet too. A target that
# does not import is its own step's fault.
_ENDS_THE_RUN = frozenset(
    {
        "EnvironmentFault",
        "SandboxUnavailable",
        "InterpreterError",
        "ModelAccessDenied",
        "ModelQuotaExhausted",
        "ModelUnknown",
    }
)


class AgentUnreachable(AgentFailure):
    """An agent could not be reached although it was asked several times; the step may be tried again."""


@dataclass(frozen=True, slots=True)
class Fault:
    """Something that ended an attempt of a step.

    Attributes:
        exit_reason: how the step ends if it is not tried again.
        message: one sentence.
        infrastructure: whether the step may be tried again (`max_retries_per_step`).
        ends_run: whether every other step would meet it too.
    """

    exit_reason: StepExit
    message: str
    infrastructure: bool = False
    ends_run: bool = False
    details: JsonObject = field(default_factory=dict)

    def to_dict(self) -> JsonObject:
        """The fault as a state or report holds it."""
        return {
            **self.details,
            "exit_reason": str(self.exit_reason),
            "message": self.message,
            "ends_run": self.ends_run,
        }


def is_transient(error: BaseException) -> bool:
    """Whether the same call may succeed when made again; the `retry_on` of every node (T-15)."""
    if isinstance(error, ToolTimeout | ConnectionError | TimeoutError):
        return True
    if isinstance(error, ToolFailure):
        return error.details.get("transient") is True
    return isinstance(error, sqlite3.OperationalError) and "locked" in str(error)


def fault_of(error: Exception) -> Fault:
    """The fault an exception stands for."""
    details: JsonObject = {"error": type(error).__name__}
    if isinstance(error, TestwrightError):
        details = {**error.details, "advice": error.advice, "exit_code": int(error.exit_code)}
        details.setdefault("error", type(error).__name__)
    message = str(error) or type(error).__name__
    if isinstance(error, BudgetExhausted):
        return Fault(StepExit.BUDGET_EXHAUSTED, f"stopped: {message}", details=details)
    if is_transient(error) or isinstance(error, AgentUnreachable):
        return Fault(StepExit.INFRASTRUCTURE, message, infrastructure=True, details=details)
    if ends_run(details):
        return Fault(StepExit.ENVIRONMENT, message, ends_run=True, details=details)
    if isinstance(error, SandboxFailure):
        return Fault(StepExit.INFRASTRUCTURE, message, infrastructure=True, details=details)
    known: tuple[tuple[type[Exception], StepExit], ...] = (
        (SchemaValidationError, StepExit.HANDOFF_VIOLATION),
        (AgentFailure, StepExit.AGENT_ERROR),
        (ToolFailure, StepExit.TOOL_FAILURE),
        (TargetImportError, StepExit.ENVIRONMENT),
        (EnvironmentFault, StepExit.ENVIRONMENT),
        (StorageError, StepExit.STORAGE),
    )
    for cls, exit_reason in known:
        if isinstance(error, cls):
            return Fault(exit_reason, message, details=details)
    own = isinstance(error, TestwrightError)
    return Fault(StepExit.DEFECT, message if own else f"{type(error).__name__}: {message}", details=details)


def ends_run(details: Mapping[str, Any]) -> bool:
    """Whether details of an error (agent's or tool's) name a fault of the machine."""
    return details.get("error") in _ENDS_THE_RUN


def agent_fault(error: AgentError | None, role: str, response: AgentResponse) -> Fault:
    """The fault that an agent's answer stands for when it brings nothing usable.

    Raises:
        AgentUnreachable: the way to the agent failed; asking later may help.
    """
    if error is None:
        return Fault(StepExit.AGENT_ERROR, f"the {role} agent answered {response.status} without a result")
    details = {"role": role, "type": str(error.type), **(error.details or {})}
    if error.recoverable and error.type in TRANSIENT:
        raise AgentUnreachable(f"the {role} agent could not be reached: {error.message}", details=details)
    if ends_run(details):
        advice = str(details.get("advice") or "")
        message = f"{error.message.rstrip('.')}. {advice}" if advice else error.message
        return Fault(StepExit.ENVIRONMENT, message, ends_run=True, details=details)
    if details.get("exit_code") == ExitCode.ENVIRONMENT:
        return Fault(StepExit.ENVIRONMENT, error.message, details=details)
    return Fault(StepExit.AGENT_ERROR, error.message, details=details)
