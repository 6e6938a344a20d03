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
    status = Counter(one.status for one in targets)
    outcome = Counter(one.outcome for one in files)
    return Totals(
        targets=len(targets),
        targets_completed=status["completed"],
        targets_failed=status["failed"],
        targets_skipped=status["skipped"],
        cases=sum(one.cases for one in targets),
        kept=sum(len(one.kept) for one in targets),
        dropped=sum(len(one.dropped) for one in targets),
        suspected_defects=len(defects),
        not_reached=sum(len(one.not_reached) for one in targets),
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
        expectation.origin for one in targets for evidence in one.evidence for expectation in evidence.expectations
    )
    return ReportOrigins(documented=found["documented"], inferred=found["inferred"], observed=found["observed"])


def _coverage(targets: Sequence[ReportTarget]) -> CoverageChange:
    """Sums over the targets that were measured; `before` only when it is known for all of these."""
    before = [one.coverage.before for one in targets if one.coverage.after is not None]
    return CoverageChange(
        before=_sum([one for one in before if one is not None]) if before and all(before) else None,
        after=_sum([one.coverage.after for one in targets if one.coverage.after is not None]),
    )


def _sum(counts: Sequence[Coverage]) -> Coverage | None:
    if not counts:
        return None
    return Coverage(
        statements=sum(one.statements for one in counts),
        covered=sum(one.covered for one in counts),
        branches=sum(one.branches for one in counts),
        covered_branches=sum(one.covered_branches for one in counts),
    )
