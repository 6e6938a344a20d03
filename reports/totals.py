"""The run in numbers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from .model import Coverage, CoverageChange, ReportOrigins, ReportTarget, SuspectedDefect, Totals, WrittenFile
from .operations import counts_of


def totals_of(
    targets: Sequence[ReportTarget], defects: Sequence[SuspectedDefect], files: Sequence[WrittenFile]
) -> Totals:
    """Everything added up."""
    status = Counter(target.status for target in targets)
    outcome = Counter(file.outcome for file in files)
    return Totals(
        targets=len(targets),
        targets_completed=status["completed"],
        targets_failed=status["failed"],
        targets_skipped=status["skipped"],
        cases=sum(target.cases for target in targets),
        kept=sum(len(target.kept) for target in targets),
        dropped=sum(len(target.dropped) for target in targets),
        suspected_defects=len(defects),
        not_reached=sum(len(target.not_reached) for target in targets),
        files_added=outcome["added"],
        files_updated=outcome["updated"],
        files_unchanged=outcome["unchanged"],
        files_conflicting=outcome["conflict"],
        files_staged=outcome["staged"],
        origins=_origins(targets),
        coverage=_coverage(targets),
        operations=counts_of(targets),
    )


def _origins(targets: Sequence[ReportTarget]) -> ReportOrigins:
    found = Counter(
        expectation.origin
        for target in targets
        for evidence in target.evidence
        for expectation in evidence.expectations
    )
    return ReportOrigins(documented=found["documented"], inferred=found["inferred"], observed=found["observed"])


def _coverage(targets: Sequence[ReportTarget]) -> CoverageChange:
    """Sums over the targets that were measured; `before` only when it is known for all of these."""
    before = [target.coverage.before for target in targets if target.coverage.after is not None]
    return CoverageChange(
        before=_sum([one for one in before if one is not None]) if before and all(before) else None,
        after=_sum([target.coverage.after for target in targets if target.coverage.after is not None]),
    )


def _sum(counts: Sequence[Coverage]) -> Coverage | None:
    if not counts:
        return None
    return Coverage(
        statements=sum(count.statements for count in counts),
        covered=sum(count.covered for count in counts),
        branches=sum(count.branches for count in counts),
        covered_branches=sum(count.covered_branches for count in counts),
    )
