"""What executing a step comes to, as plain data."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from ...core.outcome import StepExit
from ...core.usage import NOTHING_USED, TokenUsage
from ..faults import Fault
from .planning_state import PlanStep, StepStatus


@dataclass(frozen=True, slots=True)
class StepOutcome:
    """How one step ended.

    Attributes:
        status: completed, failed or skipped.
        result: what came of it, as far as it came; `applied` adds `exit_reason` and `failure`.
        message: why, for a step that is not completed.
        usage: tokens and cost of its agents.
        fault: what ended it, when a fault did.
    """

    status: StepStatus
    exit_reason: StepExit
    result: dict[str, Any] = field(default_factory=dict)
    message: str = ""
    usage: TokenUsage = field(default_factory=lambda: NOTHING_USED)
    fault: Fault | None = None

    def applied(self, step: PlanStep) -> PlanStep:
        """The step with this outcome."""
        failure = {} if self.fault is None else {"failure": self.fault.to_dict()}
        return {
            **step,
            "status": self.status,
            "result": {**self.result, **failure, "exit_reason": str(self.exit_reason)},
            "error_message": self.message or None,
        }


def skipped(exit_reason: StepExit, message: str) -> StepOutcome:
    """A step that was not executed."""
    return StepOutcome("skipped", exit_reason, message=message)


def failed(fault: Fault, result: dict[str, Any] | None = None, usage: TokenUsage = NOTHING_USED) -> StepOutcome:
    """A step that a fault ended, with what it had reached."""
    return StepOutcome("failed", fault.exit_reason, result or {}, fault.message, usage, fault)
