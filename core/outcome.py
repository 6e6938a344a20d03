"""Defines how runs and steps end: the typed exit reasons, and the exit code and stored status that follow from them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Literal

from .errors import RunTerminated, TestwrightError
from .exit_code import ExitCode

FinalStatus = Literal["completed", "failed", "stopped"]


NOTHING_PUBLIC = "it defines no public function or method of its own"
"""Why a module has no tests in which there is nothing to test."""
STOPPED = "stopped: "
"""Begins the message of a step that a ceiling stopped."""
NOT_BEGUN = "not begun: "
"""Begins the message of a step that was left out."""


class ExitReason(StrEnum):
    """Why a run ended; every run has exactly one. `spec_ready` stopped on purpose, for a review of its spec."""

    COMPLETED = "completed"
    SPEC_READY = "spec_ready"
    NOTHING_TO_DO = "nothing_to_do"
    PARTIAL = "partial"
    NOTHING_KEPT = "nothing_kept"
    PRODUCT_DEFECT = "product_defect"
    TEST_DEFECT = "test_defect"
    FLAKY = "flaky"
    TIMEOUT = "timeout"
    ENVIRONMENT = "environment"
    NOT_UNDERSTOOD = "not_understood"
    PROJECT_NOT_WRITTEN = "project_not_written"
    PLAN_FAILED = "plan_failed"
    MODEL_QUOTA = "model_quota"
    MODEL_RATE_LIMIT = "model_rate_limit"
    MODEL_REFUSED = "model_refused"
    BUDGET_EXHAUSTED = "budget_exhausted"
    INTERRUPTED = "interrupted"
    GOAL_VALIDATION_FAILED = "goal_validation_failed"
    TERMINATED = "terminated"
    STORAGE = "storage"
    INTERNAL = "internal"


class StepExit(StrEnum):
    """Why a step ended.

    `*_EXHAUSTED` are validation failures that no refinement cured; `AGENT_ERROR` is an agent that failed;
    `INFRASTRUCTURE` is a transient fault that outlasted every retry. The three are never mixed up. `MODEL_*` say of a
    failed agent that its model's account is used up, that its endpoint limits the rate, or that the model refuses.
    `NOT_APPROVED` is a step that the safety gate rejected; `TERMINATED`, `PASSED` and `INTERRUPTED` are flags of an
    agent; `NOT_REVEALED` is a step in reserve that nothing needed.
    """

    COMPLETED = "completed"
    NOTHING_TO_TEST = "nothing_to_test"
    NOTHING_KEPT = "nothing_kept"
    SPEC_EXHAUSTED = "spec_exhausted"
    CODE_EXHAUSTED = "code_exhausted"
    UNKNOWN_TEST_TYPE = "unknown_test_type"
    UNKNOWN_STEP_TYPE = "unknown_step_type"
    AGENT_ERROR = "agent_error"
    MODEL_QUOTA = "model_quota"
    MODEL_RATE_LIMIT = "model_rate_limit"
    MODEL_REFUSED = "model_refused"
    HANDOFF_VIOLATION = "handoff_violation"
    TOOL_FAILURE = "tool_failure"
    INFRASTRUCTURE = "infrastructure"
    ENVIRONMENT = "environment"
    STORAGE = "storage"
    BUDGET_EXHAUSTED = "budget_exhausted"
    DEPENDENCY_FAILED = "dependency_failed"
    RUN_ENDED = "run_ended"
    SWITCHED_OFF = "switched_off"
    NOT_APPROVED = "not_approved"
    TERMINATED = "terminated"
    PASSED = "passed"
    INTERRUPTED = "interrupted"
    NOT_REVEALED = "not_revealed"
    DEFECT = "defect"


class EvidenceExit(StrEnum):
    """Why an evidence loop ended; every loop has exactly one.

    `APPROVED` by the judge; the others end a loop that the judge has not approved: no round is left, rounds found
    nothing new, the time is over, the tokens are used.
    """

    APPROVED = "approved"
    MAX_ROUNDS = "max_rounds"
    STALLED = "stalled"
    TIMEOUT = "timeout"
    TOKEN_BUDGET = "token_budget"


_OUTCOMES: dict[ExitReason, tuple[ExitCode, FinalStatus]] = {
    ExitReason.COMPLETED: (ExitCode.OK, "completed"),
    ExitReason.SPEC_READY: (ExitCode.OK, "stopped"),
    ExitReason.NOTHING_TO_DO: (ExitCode.OK, "completed"),
    ExitReason.PARTIAL: (ExitCode.PARTIAL, "completed"),
    ExitReason.NOTHING_KEPT: (ExitCode.NOTHING_KEPT, "failed"),
    ExitReason.PRODUCT_DEFECT: (ExitCode.PRODUCT_DEFECT, "completed"),
    ExitReason.TEST_DEFECT: (ExitCode.TEST_DEFECT, "failed"),
    ExitReason.FLAKY: (ExitCode.FLAKY, "failed"),
    ExitReason.TIMEOUT: (ExitCode.TIMEOUT, "failed"),
    ExitReason.ENVIRONMENT: (ExitCode.ENVIRONMENT, "failed"),
    ExitReason.NOT_UNDERSTOOD: (ExitCode.USAGE, "failed"),
    ExitReason.PROJECT_NOT_WRITTEN: (ExitCode.STORAGE, "failed"),
    ExitReason.PLAN_FAILED: (ExitCode.NOTHING_KEPT, "failed"),
    ExitReason.MODEL_QUOTA: (ExitCode.ENVIRONMENT, "failed"),
    ExitReason.MODEL_RATE_LIMIT: (ExitCode.ENVIRONMENT, "failed"),
    ExitReason.MODEL_REFUSED: (ExitCode.NOTHING_KEPT, "failed"),
    ExitReason.BUDGET_EXHAUSTED: (ExitCode.BUDGET, "stopped"),
    ExitReason.INTERRUPTED: (ExitCode.INTERRUPTED, "stopped"),
    ExitReason.GOAL_VALIDATION_FAILED: (ExitCode.PARTIAL, "failed"),
    ExitReason.TERMINATED: (ExitCode.PARTIAL, "stopped"),
    ExitReason.STORAGE: (ExitCode.STORAGE, "failed"),
    ExitReason.INTERNAL: (ExitCode.INTERNAL, "failed"),
}
MODEL_EXITS: dict[str, ExitReason] = {
    StepExit.MODEL_QUOTA: ExitReason.MODEL_QUOTA,
    StepExit.MODEL_RATE_LIMIT: ExitReason.MODEL_RATE_LIMIT,
    StepExit.MODEL_REFUSED: ExitReason.MODEL_REFUSED,
}
"""Why a run ended whose model failed in a way that people have to tell apart, by how its steps ended."""

MODEL_FAULTS: dict[str, StepExit] = {
    "ModelQuotaExhausted": StepExit.MODEL_QUOTA,
    "ModelRateLimited": StepExit.MODEL_RATE_LIMIT,
    "ModelAnswerRefused": StepExit.MODEL_REFUSED,
}
"""How a step ends whose model failed in such a way, by the name of the error."""

_WITHOUT_REPORT = {
    ExitCode.USAGE: ExitReason.NOT_UNDERSTOOD,
    ExitCode.ENVIRONMENT: ExitReason.ENVIRONMENT,
    ExitCode.STORAGE: ExitReason.STORAGE,
    ExitCode.BUDGET: ExitReason.BUDGET_EXHAUSTED,
    # No answer that could be used, so that there was no plan to keep tests of.
    ExitCode.NOTHING_KEPT: ExitReason.PLAN_FAILED,
}
_DERIVED = frozenset(
    {
        ExitReason.COMPLETED,
        ExitReason.NOTHING_TO_DO,
        ExitReason.PARTIAL,
        ExitReason.NOTHING_KEPT,
        ExitReason.PLAN_FAILED,
    }
)
_REASON_OF_FAILURE = {
    "product_defect": ExitReason.PRODUCT_DEFECT,
    "test_defect": ExitReason.TEST_DEFECT,
    "environment": ExitReason.ENVIRONMENT,
    "flaky": ExitReason.FLAKY,
    "timeout": ExitReason.TIMEOUT,
}


def count_undone(plan: Sequence[Mapping[str, Any]]) -> int:
    """Count the steps of a plan that leave a part of what was asked for undone.

    These are the steps that failed, and those that the safety gate rejected. Not a step whose work a later one did, nor
    what a critique of the goal agent asked for beside the request: whether that is met is the goal agent's to say.

    Args:
        plan: steps in their JSON form, with `id`, `type`, `status`, `params` and `result`.
    """
    redone = {_param(step, "redoes") for step in plan if step.get("status") == "completed"}
    return sum(step.get("id") not in redone and _is_undone(step) for step in plan)


def _is_undone(step: Mapping[str, Any]) -> bool:
    if (step.get("result") or {}).get("exit_reason") == StepExit.NOT_APPROVED:
        return True
    is_extra = _param(step, "of_critique") is not None and step.get("type") != "accept_tests"
    return step.get("status") == "failed" and not is_extra


def _param(step: Mapping[str, Any], name: str) -> Any:
    return (step.get("params") or {}).get(name)


@dataclass(frozen=True, slots=True)
class RunCounts:
    """The counts of a finished plan from which its exit reason is derived.

    Attributes:
        good: tests kept, or written where nothing was executed.
        targets: targets that were worked on; those in which there is nothing to test do not count, those for which no
            test could be made, or that were not approved, do.
        failed_steps: steps that leave a part undone, see `count_undone`.
        dropped: failure classes of the dropped cases and failed steps.
        defects: suspected defects.
        skipped: targets that the plan left out on purpose.
        not_understood: parts of the request that matched nothing.
    """

    good: int
    targets: int
    failed_steps: int
    dropped: Sequence[str]
    defects: int
    skipped: int
    not_understood: int


def exit_reason_of(counts: RunCounts, *, ended: str | None, fail_on_defect: bool) -> ExitReason:
    """Derive why the run ended.

    Args:
        ended: the `ExitReason` that ended the run early, or the graph's own. A ceiling, an interruption or a fault is
            kept; the reason of a plan that was carried out to its end is derived from the counts.
        fail_on_defect: a suspected defect is the reason even when tests were kept.

    Raises:
        ValueError: `ended` is no exit reason.
    """
    if ended is not None and ExitReason(ended) not in _DERIVED:
        return ExitReason(ended)
    if counts.defects and (fail_on_defect or not counts.good):
        return ExitReason.PRODUCT_DEFECT
    if counts.targets == 0:
        # Targets that were skipped on purpose show that at least part of the request was understood.
        return ExitReason.NOT_UNDERSTOOD if counts.not_understood and not counts.skipped else ExitReason.NOTHING_TO_DO
    if counts.good:
        return ExitReason.PARTIAL if counts.failed_steps else ExitReason.COMPLETED
    # A failure class becomes the reason only when nothing was kept and all failures are of that class.
    classes = set(counts.dropped)
    if len(classes) == 1:
        return _REASON_OF_FAILURE.get(classes.pop(), ExitReason.NOTHING_KEPT)
    return ExitReason.NOTHING_KEPT


def exit_code_of(reason: ExitReason) -> ExitCode:
    """The exit code of the command line for a reason."""
    return _OUTCOMES[reason][0]


def reason_without_report(error: TestwrightError) -> ExitReason:
    """The reason of a run that an error ended before its report was written."""
    if isinstance(error, RunTerminated):
        return ExitReason.TERMINATED
    of_model = MODEL_FAULTS.get(type(error).__name__)
    return MODEL_EXITS[of_model] if of_model else _WITHOUT_REPORT.get(error.exit_code, ExitReason.INTERNAL)


def status_of(reason: ExitReason) -> FinalStatus:
    """The stored status for a reason: `completed` has results, `stopped` may be resumed, anything else is `failed`."""
    return _OUTCOMES[reason][1]
