"""Shares in percent, as the page's bars show them."""

from __future__ import annotations

from dataclasses import dataclass

from ..model import Coverage, CoverageChange, Mutation


@dataclass(frozen=True, slots=True)
class Share:
    """A share in percent, before and now.

    Attributes:
        now: 0 to 100; None where it was not measured, or where there is nothing to be measured.
        before: None where it is not known.
        counts: what it is a share of, in words.
    """

    now: float | None
    before: float | None = None
    counts: str = ""


def statements(change: CoverageChange) -> Share:
    """The share of statements that tests run."""
    after = change.after
    if after is None:
        return Share(None, counts="not measured")
    counts = f"{after.covered} of {after.statements} statements"
    return Share(_percent(after.covered, after.statements), _before(change.before, branches=False), counts)


def branches(change: CoverageChange) -> Share:
    """The share of branches that tests take."""
    after = change.after
    if after is None:
        return Share(None, counts="not measured")
    if not after.branches:
        return Share(None, counts="no branches")
    counts = f"{after.covered_branches} of {after.branches} branches"
    return Share(_percent(after.covered_branches, after.branches), _before(change.before, branches=True), counts)


def mutants(measured: Mutation | None, before: Mutation | None = None) -> Share:
    """The share of mutants that tests notice, and what it was in an earlier run."""
    if measured is None or measured.score is None:
        return Share(None, counts="not tried" if measured is None else "no mutants")
    noticed, left = measured.killed + measured.timeout, measured.survived + measured.uncovered
    return Share(measured.score, before.score if before else None, f"{noticed} of {noticed + left} mutants")


def _before(found: Coverage | None, *, branches: bool) -> float | None:
    if found is None:
        return None
    if branches:
        return _percent(found.covered_branches, found.branches)
    return _percent(found.covered, found.statements)


def _percent(part: int, whole: int) -> float | None:
    return round(100 * part / whole, 1) if whole else None
