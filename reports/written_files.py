"""Tells what became of the test files of a run, and what they no longer test."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from .model import LostTests, ReportTarget, WrittenFile
from .reading import mapping, parts, rows, text

Json = Mapping[str, Any]
_GENERATES = "generate_"


def written_files(plan: list[Json], given: list[Json], targets: Sequence[ReportTarget]) -> tuple[WrittenFile, ...]:
    """What became of each test file, by path.

    Args:
        given: rows (path, outcome, reason, lost) of all files, when no step of the plan has them.
    """
    results = [mapping(step.get("result")) for step in plan if not text(step.get("type")).startswith(_GENERATES)]
    listed = given or [row for result in results for row in rows(result.get("files"))]
    staged = [target.test_path for target in targets if target.test_path and target.kept]
    found = {path: WrittenFile(path=path, outcome="staged") for path in staged}
    # A later row of the same file replaces the earlier one.
    reasons = {target.test_path: target for target in targets}
    listed = [{**row, "lost": list(_lost(row, reasons.get(text(row.get("path")))))} for row in listed]
    found |= {file.path: file for file in parts(WrittenFile, listed)}
    return tuple(found[path] for path in sorted(found))


def _lost(row: Json, target: ReportTarget | None) -> Iterator[LostTests]:
    """Yield what a test file exercised before it was written anew, with the reason that the target knows."""
    for lost in rows(row.get("lost")):
        subject, gone = text(lost.get("subject")), text(lost.get("reason"))
        unreached = [each.reason for each in target.not_reached if each.subject == subject] if target else []
        ending = subject.replace(".", "_").lower()
        dropped = [case.reason for case in target.dropped if ending in case.case_id] if target else []
        found = [*([gone] if gone else ()), *unreached, *dropped, "none of its cases was chosen"]
        yield LostTests(subject=subject, reason=found[0])


def why_of(file: WrittenFile) -> str:
    """Why a file is as it is, in one line; empty for one of which nothing is to be said."""
    lost = [f"no test of {row.subject} any more: {row.reason}" for row in file.lost]
    return "; ".join([*([file.reason] if file.reason else ()), *lost])
