"""How a run ended (P-11, B-07): the typed exit reason, and the exit code that follows from it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Literal

from .errors import ExitCode

RunStatus = Literal["completed", "failed", "stopped"]


class ExitReason(StrEnum):
    """Why a run ended; every run has exactly one. `spec_ready` stopped on purpose, for its spec to be looked at."""

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
    BUDGET_EXHAUSTED = "budget_exhausted"
    INTERRUPTED = "interrupted"
    GOAL_VALIDATION_FAILED = "goal_validation_failed"
    TERMINATED = "terminated"
    STORAGE = "storage"
    INTERNAL = "internal"


_CODES = {
    ExitReason.COMPLETED: ExitCode.OK,
    ExitReason.SPEC_READY: ExitCode.OK,
    ExitReason.NOTHING_TO_DO: ExitCode.OK,
    ExitReason.PARTIAL: ExitCode.PARTIAL,
    ExitReason.NOTHING_KEPT: ExitCode.NOTHING_KEPT,
    ExitReason.PRODUCT_DEFECT: ExitCode.PRODUCT_DEFECT,
    ExitReason.TEST_DEFECT: ExitCode.TEST_DEFECT,
    ExitReason.FLAKY: ExitCode.FLAKY,
    ExitReason.TIMEOUT: ExitCode.TIMEOUT,
    ExitReason.ENVIRONMENT: ExitCode.ENVIRONMENT,
    ExitReason.NOT_UNDERSTOOD: ExitCode.USAGE,
    ExitReason.PROJECT_NOT_WRITTEN: ExitCode.STORAGE,
    ExitReason.PLAN_FAILED: ExitCode.NOTHING_KEPT,
    ExitReason.BUDGET_EXHAUSTED: ExitCode.BUDGET,
    ExitReason.INTERRUPTED: ExitCode.INTERRUPTED,
    ExitReason.GOAL_VALIDATION_FAILED: ExitCode.PARTIAL,
    ExitReason.TERMINATED: ExitCode.PARTIAL,
    ExitReason.STORAGE: ExitCode.STORAGE,
    ExitReason.INTERNAL: ExitCode.INTERNAL,
}
_WITHOUT_REPORT = {
    ExitCode.USAGE: ExitReason.NOT_UNDERSTOOD,
    ExitCode.ENVIRONMENT: ExitReason.ENVIRONMENT,
    ExitCode.STORAGE: ExitReason.STORAGE,
    ExitCode.BUDGET: ExitReason.BUDGET_EXHAUSTED,
}
_STATUSES: dict[ExitReason, RunStatus] = {
    ExitReason.COMPLETED: "completed",
    ExitReason.NOTHING_TO_DO: "completed",
    ExitReason.PARTIAL: "completed",
    ExitReason.PRODUCT_DEFECT: "completed",
    ExitReason.SPEC_READY: "stopped",
    ExitReason.BUDGET_EXHAUSTED: "stopped",
    ExitReason.INTERRUPTED: "stopped",
    ExitReason.TERMINATED: "stopped",
}
_JUDGED = frozenset(
    {
        ExitReason.COMPLETED,
        ExitReason.NOTHING_TO_DO,
        ExitReason.PARTIAL,
        ExitReason.NOTHING_KEPT,
        ExitReason.PLAN_FAILED,
    }
)
_BY_CLASS = {
    "product_defect": ExitReason.PRODUCT_DEFECT,
    "test_defect": ExitReason.TEST_DEFECT,
    "environment": ExitReason.ENVIRONMENT,
    "flaky": ExitReason.FLAKY,
    "timeout": ExitReason.TIMEOUT,
}


@dataclass(frozen=True, slots=True)
class Tally:
    """What the reason is judged by.

    Attributes:
        good: tests kept, or written where nothing was executed.
        targets: targets that were worked on; those without anything to test do not count.
        failed_steps: steps that failed.
        dropped: classes of the dropped cases and failed steps.
        defects: suspected defects.
        skipped: targets the plan left out on purpose.
        not_understood: parts of the request that meant nothing.
    """

    good: int
    targets: int
    failed_steps: int
    dropped: Sequence[str]
    defects: int
    skipped: int
    not_understood: int


def exit_reason_of(tally: Tally, *, ended: str | None, fail_on_defect: bool) -> ExitReason:
    """Why the run ended.

    A class of failure names the run only when nothing was kept and all failures are of that class.

    Args:
        ended: what ended it, an `ExitReason`. A ceiling, an interruption or a fault stands; how a plan that went to its
            end is to be called follows from the tally.
        fail_on_defect: a suspected defect names the run although tests were kept.

    Raises:
        ValueError: `ended` is no exit reason.
    """
    if ended is not None and ExitReason(ended) not in _JUDGED:
        return ExitReason(ended)
    if tally.defects and (fail_on_defect or not tally.good):
        return ExitReason.PRODUCT_DEFECT
    if tally.targets == 0:
        return ExitReason.NOT_UNDERSTOOD if tally.not_understood and not tally.skipped else ExitReason.NOTHING_TO_DO
    if tally.good:
        return ExitReason.PARTIAL if tally.failed_steps else ExitReason.COMPLETED
    classes = set(tally.dropped)
    if len(classes) == 1:
        return _BY_CLASS.get(classes.pop(), ExitReason.NOTHING_KEPT)
    return ExitReason.NOTHING_KEPT


def exit_code_of(reason: ExitReason) -> ExitCode:
    """The command line's exit code for a reason."""
    return _CODES[reason]


def reason_without_report(code: ExitCode) -> ExitReason:
    """The reason of a run that an error with this exit code has ended before it had a report."""
    return _WITHOUT_REPORT.get(code, ExitReason.INTERNAL)


def status_of(reason: ExitReason) -> RunStatus:
    """`completed` ran to its end with something to show, `stopped` may be resumed, `failed` is the rest."""
    return _STATUSES.get(reason, "failed")
