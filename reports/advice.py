"""What the reader of a report can do next."""

from __future__ import annotations

from collections.abc import Iterator

from ..core.outcome import ExitReason
from .model import Report

_BY_REASON = {
    ExitReason.BUDGET_EXHAUSTED: "A ceiling ended the run; what was kept until then is in the report. "
    "`testwright resume` with the run's id and a higher ceiling does the rest, and pays for nothing twice.",
    ExitReason.INTERRUPTED: "The run was interrupted; `testwright resume` with the run's id goes on where it stopped.",
    ExitReason.ENVIRONMENT: "The target's environment stands in the way; `testwright doctor` shows what is missing.",
    ExitReason.NOT_UNDERSTOOD: "Name files, folders, modules, classes or functions of the project.",
    ExitReason.NOTHING_KEPT: "No test stood up to its reruns; the dropped cases below say why.",
    ExitReason.TIMEOUT: "Every test ran out of time: the target waits for something, or needs longer limits.",
    ExitReason.FLAKY: "Every test changed its result between runs: the target depends on time, order or chance.",
}


def advice_for(report: Report) -> Iterator[str]:
    """Lines for people, the most pressing first."""
    if report.suspected_defects:
        yield "Look at the suspected defects first: either the code or its documentation is wrong."
    if report.exit_reason in _BY_REASON:
        yield _BY_REASON[report.exit_reason]
    if report.totals.files_conflicting:
        yield (
            "Some tests were not added, because a person has changed the file or owns its name; the staged versions "
            "are in the run's folder."
        )
    if report.totals.files_staged:
        yield "Staged tests join the project with `testwright apply` and the run's id."
    if report.execution == "not executed" and report.totals.kept:
        yield "The tests were not executed: run them before you rely on them."
    if report.totals.origins.observed and not report.suspected_defects:
        yield "Expectations marked `observed` pin what the code does today; read them before you call them right."
