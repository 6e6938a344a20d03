"""What a run found, at the lines it is about."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import PurePosixPath

from ...reports.model import Report, ReportPlace, SuspectedDefect
from .workflow_commands import Annotation

SHOWN_BY_GITHUB = 10
"""Annotations of one level that GitHub shows for a step; the log has them all."""


def annotations_of(report: Report, below: str, *, defects_fail: bool) -> Iterator[Annotation]:
    """A warning at each suspected defect, and at each target that failed.

    Args:
        below: the project's folder, POSIX, relative to the workspace; "." for the workspace itself.
        defects_fail: suspected defects fail the step: they are errors then.
    """
    for defect in report.suspected_defects:
        place = defect.evidence or ReportPlace(path=defect.target, lines=(1, 1))
        yield Annotation(
            level="error" if defects_fail else "warning",
            title=f"Suspected defect: {defect.subject or defect.target}",
            message=_told(defect),
            path=_below(below, place.path),
            lines=place.lines,
        )
    for target in report.targets:
        if target.status == "failed":
            yield Annotation(
                level="warning",
                title="No tests",
                message=target.error or "This target failed; the report says why.",
                path=_below(below, target.path),
                lines=(1, 1),
            )
    hidden = len(report.suspected_defects) - SHOWN_BY_GITHUB
    if hidden > 0:
        yield Annotation(
            "notice",
            "testwright",
            f"{len(report.suspected_defects)} suspected defects: GitHub shows {SHOWN_BY_GITHUB} annotations of a step, "
            "the job summary and the report have all.",
        )


def _told(defect: SuspectedDefect) -> str:
    lines = [defect.title, f"documented: {defect.documented}", f"observed: {defect.observed}"]
    return "\n".join([*lines, *(["reproduce:", defect.reproduce] if defect.reproduce else [])])


def _below(folder: str, path: str) -> str:
    return PurePosixPath(folder, path).as_posix()
