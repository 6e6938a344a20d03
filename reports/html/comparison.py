"""Compares a run with an earlier one of the same project."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from ..model import Report, ReportTarget, SuspectedDefect
from . import shares
from .overview import added_up_mutation
from .shares import Share


@dataclass(frozen=True, slots=True)
class ComparedModule:
    """A target in both runs; the shares' `before` are those of the earlier one.

    Attributes:
        state: `both`, `new` or `gone`.
        tests, tests_before: kept tests.
        added, removed: case ids that only one of the runs kept.
    """

    path: str
    state: str
    tests: int
    tests_before: int
    added: tuple[str, ...]
    removed: tuple[str, ...]
    branches: Share
    mutants: Share


@dataclass(frozen=True, slots=True)
class Comparison:
    """What has changed since an earlier run: `total` over the targets of each, and target by target.

    Attributes:
        other_request: what the earlier run was asked for, where that was something else; totals say nothing then.
    """

    run_id: str
    began: str
    total: ComparedModule
    modules: tuple[ComparedModule, ...]
    new_defects: tuple[SuspectedDefect, ...]
    gone_defects: tuple[SuspectedDefect, ...]
    other_request: str = ""


def compare(report: Report, earlier: Report) -> Comparison:
    """What has changed since the earlier run; a defect of a target that this run did not look at is not gone."""
    now, before = _by_key(report), _by_key(earlier)
    modules = tuple(_module(now.get(key), before.get(key)) for key in sorted(now.keys() | before.keys()))
    known, still = _defects(earlier), _defects(report)
    looked_at = {target.path for target in report.targets}
    return Comparison(
        run_id=earlier.run.id,
        began=earlier.run.started_at,
        total=_total(report, earlier, modules),
        modules=modules,
        new_defects=tuple(defect for key, defect in still.items() if key not in known),
        gone_defects=tuple(defect for key, defect in known.items() if key not in still and key[0] in looked_at),
        other_request=earlier.request if earlier.request != report.request else "",
    )


def _by_key(report: Report) -> dict[tuple[str, str], ReportTarget]:
    return {(target.path, target.test_type): target for target in report.targets}


def _defects(report: Report) -> dict[tuple[str, str], SuspectedDefect]:
    return {(defect.target, defect.id): defect for defect in report.suspected_defects}


def _module(now: ReportTarget | None, before: ReportTarget | None) -> ComparedModule:
    kept, kept_before = set(now.kept if now else ()), set(before.kept if before else ())
    return ComparedModule(
        path=now.path if now else before.path if before else "",
        state="both" if now and before else "new" if now else "gone",
        tests=len(kept),
        tests_before=len(kept_before),
        added=tuple(sorted(kept - kept_before)),
        removed=tuple(sorted(kept_before - kept)),
        branches=_branches(now, before),
        mutants=shares.mutants(now.mutation if now else None, before.mutation if before else None),
    )


def _branches(now: ReportTarget | None, before: ReportTarget | None) -> Share:
    found = shares.branches(now.coverage) if now else Share(None)
    return Share(found.now, shares.branches(before.coverage).now if before else None, found.counts)


def _total(report: Report, earlier: Report, modules: Iterable[ComparedModule]) -> ComparedModule:
    covered = shares.branches(report.totals.coverage)
    measured, measured_before = (
        added_up_mutation([target.mutation for target in run.targets if target.mutation]) for run in (report, earlier)
    )
    modules = list(modules)
    return ComparedModule(
        path="All together",
        state="both",
        tests=report.totals.kept,
        tests_before=earlier.totals.kept,
        added=tuple(case for module in modules for case in module.added),
        removed=tuple(case for module in modules for case in module.removed),
        branches=Share(covered.now, shares.branches(earlier.totals.coverage).now, covered.counts),
        mutants=shares.mutants(measured, measured_before),
    )
