"""Computes what the page shows at once: modules in numbers, time by phase, causes of what was refused."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from ..headings import common_error
from ..model import Mutation, Report, ReportTarget
from ..operations import operations_shown
from . import shares
from .shares import Share

PHASES = {
    "build_plan": "Planning",
    "retrieve_context": "Reading the code",
    "select_schema": "Reading the code",
    "generate_spec": "Exploring, choosing cases",
    "refine_spec": "Exploring, choosing cases",
    "validate_spec": "Checking specs and code",
    "generate_code": "Writing tests",
    "refine_code": "Writing tests",
    "validate_code": "Checking specs and code",
    "run_tests": "Running tests and mutants",
    "analyze_results": "Judging results",
    "verify_suite": "Running all tests together",
    "accept_tests": "Adding tests to the project",
}
_CAUSES = {
    "flaky": "Flaky: the result changed between runs",
    "timeout": "Ran out of time",
    "environment": "The environment lacks something",
    "test_defect": "The test itself was wrong",
    "product_defect": "The code contradicts its documentation",
    "redundant": "Redundant: notices and covers nothing more",
    "unknown": "Another reason",
}


@dataclass(frozen=True, slots=True)
class ModuleRow:
    """One target in numbers; `number` is its place in the report."""

    number: int
    target: ReportTarget
    statements: Share
    branches: Share
    mutants: Share
    operations: str
    error: str


@dataclass(frozen=True, slots=True)
class Portion:
    """A named number beside others; `share` is its part of the largest in percent."""

    name: str
    number: float
    share: float


def module_rows(report: Report) -> list[ModuleRow]:
    """All targets, in the report's order; an error that all of them share is left out."""
    shared = common_error(report)
    return [
        ModuleRow(
            number,
            target,
            shares.statements(target.coverage),
            shares.branches(target.coverage),
            shares.mutants(target.mutation),
            operations_shown(target.operations) if target.operations else "",
            "" if shared and shared in target.error else target.error,
        )
        for number, target in enumerate(report.targets)
    ]


def total_mutants(targets: Sequence[ReportTarget]) -> Share:
    """The share of mutants that the tests of all targets notice, of those that were tried."""
    found = [target.mutation for target in targets if target.mutation is not None]
    return shares.mutants(added_up_mutation(found))


def added_up_mutation(found: Sequence[Mutation]) -> Mutation | None:
    """Counts and score over several measurements; None without any."""
    if not found:
        return None
    names = ("found", "sampled", "killed", "timeout", "survived", "uncovered", "equivalent", "untried")
    sums = {name: sum(getattr(one, name) for one in found) for name in names}
    noticed, left = sums["killed"] + sums["timeout"], sums["survived"] + sums["uncovered"]
    score = round(100 * noticed / (noticed + left), 1) if noticed + left else None
    return Mutation.model_validate({**sums, "score": score})


def phase_portions(report: Report) -> list[Portion]:
    """Time by kind of work, in the order of the work."""
    taken: dict[str, float] = {}
    for phase in report.run.phases:
        name = PHASES.get(phase.phase, phase.phase.replace("_", " ").capitalize())
        taken[name] = taken.get(name, 0.0) + phase.seconds
    return _portions((name, round(seconds, 1)) for name, seconds in taken.items())


def cause_portions(report: Report) -> list[Portion]:
    """Cases that are not kept, by cause, the most frequent first."""
    causes = Counter(case.failure_class for target in report.targets for case in target.dropped)
    return _portions((_CAUSES.get(cause, cause), number) for cause, number in sorted(causes.items(), key=_frequent))


def _frequent(row: tuple[str, int]) -> tuple[int, str]:
    return -row[1], row[0]


def _portions(rows: Iterable[tuple[str, float]]) -> list[Portion]:
    rows = list(rows)
    most = max((number for _, number in rows), default=0) or 1
    return [Portion(name, number, round(100 * number / most, 1)) for name, number in rows]
