"""Whether the step fails: what `fail-on` says of a report."""

from __future__ import annotations

from collections.abc import Set
from dataclasses import dataclass

from ...core.errors import ExitCode
from ...core.outcome import ExitReason
from ...reports.model import Report

_FINE = frozenset({ExitReason.COMPLETED, ExitReason.NOTHING_TO_DO, ExitReason.PRODUCT_DEFECT})


@dataclass(frozen=True, slots=True)
class ActionVerdict:
    """How the step ends.

    Attributes:
        failed_on: the words of `fail-on` that hold, in their order; empty when the step succeeds.
        exit_code: the step's exit code.
    """

    failed_on: tuple[str, ...]
    exit_code: int


def verdict_on(report: Report, fail_on: Set[str]) -> ActionVerdict:
    """Judge a report.

    - `defects`: a defect is suspected (exit code 8)
    - `failures`: a part of the plan failed, nothing was kept, or a ceiling ended the run (the run's own exit code)
    - `dropped`: a test was dropped (5)
    - `not-understood`: a part of the request meant nothing (2)
    """
    totals = report.totals
    failed = totals.targets_failed > 0 or report.exit_reason not in _FINE
    conditions = (
        ("defects", totals.suspected_defects > 0, ExitCode.PRODUCT_DEFECT),
        ("failures", failed, report.exit_code or ExitCode.PARTIAL),
        ("dropped", totals.dropped > 0, ExitCode.NOTHING_KEPT),
        ("not-understood", bool(report.not_understood), ExitCode.USAGE),
    )
    held = [(word, int(code)) for word, holds, code in conditions if holds and word in fail_on]
    return ActionVerdict(tuple(word for word, _ in held), held[0][1] if held else int(ExitCode.OK))
