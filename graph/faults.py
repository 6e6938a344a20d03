"""Classifies faults once for all nodes: transient ones, those that end the step, those that end the run."""

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
    GitHubFailure,
    RunTerminated,
    SandboxFailure,
    SchemaValidationError,
    StorageError,
    StoreUnreachable,
    TargetImportError,
    TestwrightError,
    ToolFailure,
    ToolTimeout,
)
from ..core.exit_code import ExitCode
from ..core.outcome import MODEL_FAULTS, STOPPED, StepExit

# Faults of the machine, or of the account at a model's endpoint, that would end every other step too. A target that
# does not import ends its own step only.
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
    """An agent could not be reached in several attempts; the step may be tried again."""

    exit_code = ExitCode.ENVIRONMENT


class StepEndedByAgent(AgentFailure):
    """An agent's flag ended its step with what it has: `interuptPipeline`, or `passPipeline` for the whole plan.

    Args:
        exit_reason: INTERRUPTED or PASSED.
    """

    def __init__(self, message: str, exit_reason: StepExit) -> None:
        super().__init__(message)
        self.exit_reason = exit_reason


@dataclass(frozen=True, slots=True)
class Fault:
    """The cause that ended an attempt of a step.

    Attributes:
        exit_reason: how the step ends if it is not tried again.
        message: one sentence.
        infrastructure: whether the step may be tried again (`max_retries_per_step`).
        ends_run: whether it would end every other step too.
    """

    exit_reason: StepExit
    message: str
    infrastructure: bool = False
    ends_run: bool = False
    details: JsonObject = field(default_factory=dict)

    def to_dict(self) -> JsonObject:
        """Convert to the form in states and reports."""
        return {
            **self.details,
            "exit_reason": str(self.exit_reason),
            "message": self.message,
            "ends_run": self.ends_run,
        }


def fault_from_dict(stored: Mapping[str, Any]) -> Fault:
    """Restore what `Fault.to_dict` made."""
    details = {key: value for key, value in stored.items() if key not in ("exit_reason", "message", "ends_run")}
    return Fault(StepExit(stored["exit_reason"]), stored["message"], ends_run=stored["ends_run"], details=details)


def is_transient(error: BaseException) -> bool:
    """Whether the same call may succeed when it is repeated; the `retry_on` of every node."""
    if isinstance(error, ToolTimeout | ConnectionError | TimeoutError):
        return True
    if isinstance(error, ToolFailure):
        return error.details.get("transient") is True
    return isinstance(error, sqlite3.OperationalError) and "locked" in str(error)


def fault_of(error: Exception) -> Fault:
    """Classify an exception."""
    details: JsonObject = {"error": type(error).__name__}
    if isinstance(error, TestwrightError):
        details = {**error.details, "advice": error.advice, "exit_code": int(error.exit_code)}
        details.setdefault("error", type(error).__name__)
    message = str(error) or type(error).__name__
    if isinstance(error, BudgetExhausted):
        return Fault(StepExit.BUDGET_EXHAUSTED, f"{STOPPED}{message}", details=details)
    if isinstance(error, RunTerminated):
        return Fault(StepExit.TERMINATED, message, ends_run=True, details=details)
    if isinstance(error, StepEndedByAgent):
        return Fault(error.exit_reason, message, details=details)
    if is_transient(error) or isinstance(error, AgentUnreachable):
        return Fault(model_exit(details) or StepExit.INFRASTRUCTURE, message, infrastructure=True, details=details)
    if ends_run(details):
        return Fault(model_exit(details) or StepExit.ENVIRONMENT, message, ends_run=True, details=details)
    if isinstance(error, SandboxFailure):
        return Fault(StepExit.INFRASTRUCTURE, message, infrastructure=True, details=details)
    known: tuple[tuple[type[Exception], StepExit], ...] = (
        (SchemaValidationError, StepExit.HANDOFF_VIOLATION),
        (AgentFailure, StepExit.AGENT_ERROR),
        (ToolFailure, StepExit.TOOL_FAILURE),
        (TargetImportError, StepExit.ENVIRONMENT),
        (EnvironmentFault, StepExit.ENVIRONMENT),
        (GitHubFailure, StepExit.ENVIRONMENT),
        (StorageError, StepExit.STORAGE),
    )
    for cls, exit_reason in known:
        if isinstance(error, cls):
            return Fault(exit_reason, message, details=details)
    own = isinstance(error, TestwrightError)
    return Fault(StepExit.DEFECT, message if own else f"{type(error).__name__}: {message}", details=details)


def ends_run(details: Mapping[str, Any]) -> bool:
    """Whether the details of an agent's or tool's error name a fault that ends the run."""
    return details.get("error") in _ENDS_THE_RUN


def model_exit(details: Mapping[str, Any]) -> StepExit | None:
    """How a step ends whose model has no quota, is limited in rate or refuses; None for other errors."""
    return MODEL_FAULTS.get(str(details.get("error")))


def is_of_model(error: AgentError) -> bool:
    """Whether an agent failed because its model did: it could not be asked, or its answer could not be used."""
    details = error.details or {}
    return str(details.get("error") or "").startswith("Model") or details.get("of") == "model"


def agent_fault(error: AgentError | None, role: str, response: AgentResponse) -> Fault:
    """Classify an agent's answer without a usable result.

    Raises:
        AgentUnreachable: the agent could not be reached; the step may be tried again.
        StoreUnreachable: the agent could not store what it had, and nobody else can.
    """
    if error is None:
        return Fault(StepExit.AGENT_ERROR, f"the {role} agent answered {response.status} without a result")
    if (error.details or {}).get("error") == StoreUnreachable.__name__:
        raise StoreUnreachable(error.message, advice=str((error.details or {}).get("advice") or ""))
    details = {"role": role, "type": str(error.type), **(error.details or {})}
    if error.recoverable and error.type in TRANSIENT:
        raise AgentUnreachable(f"the {role} agent could not be reached: {error.message}", details=details)
    if ends_run(details):
        advice = str(details.get("advice") or "")
        message = f"{error.message.rstrip('.')}. {advice}" if advice else error.message
        return Fault(model_exit(details) or StepExit.ENVIRONMENT, message, ends_run=True, details=details)
    if model_exit(details) is None and details.get("exit_code") == ExitCode.ENVIRONMENT:
        return Fault(StepExit.ENVIRONMENT, error.message, details=details)
    return Fault(model_exit(details) or StepExit.AGENT_ERROR, error.message, details=details)
