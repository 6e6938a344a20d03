"""Judging a test suite that somebody else wrote by the standards of our own (B-01, B-11).

The tests are run as they are, in a copy of the project. What generated tests would be dropped for is told here, test by
test: nothing is edited.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ..sandbox.target import PythonTarget
from .assertions import tests_without_checks
from .evidence import EvidenceRecord, evidence_of
from .examination import Examination, own_modules
from .mutation.model import MutationReport
from .mutation.running import MutationOptions, measure_mutants
from .options import Framework
from .results import SuiteResult
from .strictness import VerifyOptions
from .suite import Suite, open_suite
from .summary import mutation_summary
from .verdicts import Verification


@dataclass(frozen=True, slots=True)
class AssessOptions:
    """How a suite is assessed.

    Attributes:
        measure: files of the project whose branches and mutants count.
        mutants: size of the sample; 0 for none.
        repeats: runs after the first, under the gate's conditions.
        test_seconds, wall_seconds: limits for one test and one run.
    """

    measure: tuple[str, ...] = ()
    mutants: int = 100
    repeats: int = 3
    test_seconds: float = 60.0
    wall_seconds: float = 600.0


@dataclass(frozen=True, slots=True)
class Assessment:
    """What there is to say about a suite.

    Attributes:
        verification: a verdict for each test; `kept` are those that hold under every condition.
        records: the evidence of the tests that hold.
        skipped: tests that were skipped or expected to fail, which is no fault.
        idle: tests that hold and take no branch, run no line and notice no mutant that others do not.
        unchecked: tests that assert nothing.
    """

    verification: Verification
    records: tuple[EvidenceRecord, ...] = ()
    skipped: tuple[str, ...] = ()
    idle: tuple[str, ...] = ()
    unchecked: tuple[str, ...] = ()
    notes: tuple[str, ...] = field(default=())

    def to_dict(self) -> dict[str, Any]:
        """JSON form; the evidence of a test is that of generated tests."""
        verification = self.verification
        records = {one.nodeid: one for one in self.records}
        idle, unchecked = set(self.idle), set(self.unchecked)
        tests = []
        for verdict in verification.verdicts:
            if verdict.nodeid in self.skipped:
                continue
            record = records.get(verdict.nodeid)
            tests.append(
                {
                    "nodeid": verdict.nodeid,
                    "verdict": "holds" if verdict.verdict == "kept" else verdict.verdict,
                    "class": verdict.failure_class,
                    "reason": verdict.reason,
                    "message": verdict.message,
                    "causes": list(verdict.causes),
                    "related": list(verdict.related),
                    "evidence": record.to_dict() if record else None,
                    "adds_nothing": verdict.nodeid in idle,
                    "asserts_nothing": verdict.nodeid in unchecked,
                }
            )
        coverage, mutation = verification.coverage, verification.mutation
        return {
            "framework": verification.framework,
            "tests": tests,
            "skipped": list(self.skipped),
            "coverage": None if coverage is None else coverage.to_dict(),
            "mutation": None if mutation is None else mutation_summary(mutation),
            "mutants": [] if mutation is None else [one.to_dict() for one in mutation.results],
            "repeats": verification.repeats,
            "sandbox": verification.sandbox,
            "runner_version": verification.runner_version,
            "notes": list(self.notes),
            "seconds": verification.seconds,
        }


async def assess_suite(
    target: PythonTarget, paths: Sequence[str], *, framework: Framework, options: AssessOptions
) -> Assessment:
    """Run test files of the project under every condition of the gate, and measure them.

    Args:
        paths: test files, POSIX, relative to the project.

    Raises:
        EnvironmentFault, SandboxFailure, UsageError: as `verify_files`.
    """
    began = time.monotonic()
    strictness = VerifyOptions(
        repeats=options.repeats,
        measure=options.measure,
        test_seconds=options.test_seconds,
        wall_seconds=options.wall_seconds,
        project_plugins=True,
    )
    async with open_suite(target, [Path(path) for path in paths], framework) as suite:
        examination = Examination(suite, strictness, {}, own_modules(target))
        examination.one_target = False
        first = await examination.first_run(strictness.same_start())
        await examination.repeat()
        await examination.beside_itself()
        mutation = await _mutants(suite, examination, first, options)
    verification = Verification(
        framework=framework,
        contents={},
        verdicts=tuple(examination.verdicts.values()),
        coverage=first.coverage,
        mutation=mutation,
        repeats=options.repeats if examination.passing else 0,
        sandbox=first.sandbox,
        runner_version=first.runner_version,
        seconds=round(time.monotonic() - began, 3),
        launches=suite.starts,
    )
    records = evidence_of(verification)
    unchecked = await asyncio.to_thread(_unchecked, target.snapshot.path, verification)
    notes = [*first.notes, *examination.notes, *(mutation.notes if mutation else ())]
    return Assessment(
        verification=verification,
        records=records,
        skipped=tuple(test.nodeid for test in first.tests if test.outcome in ("skipped", "xfailed")),
        idle=_idle(records, mutation),
        unchecked=unchecked,
        notes=tuple(dict.fromkeys(notes)),
    )


async def _mutants(
    suite: Suite, examination: Examination, first: SuiteResult, options: AssessOptions
) -> MutationReport | None:
    if not options.mutants or not examination.passing or first.coverage is None or not first.coverage.files:
        return None
    holding = set(examination.passing)
    order = [test.nodeid for test in first.tests if test.nodeid in holding]
    size = MutationOptions(size=options.mutants)
    return await measure_mutants(suite, order, first.coverage, size, run=examination.options.base())


def _idle(records: Sequence[EvidenceRecord], mutation: MutationReport | None) -> tuple[str, ...]:
    """Tests that could go, one after the other, without a branch, a line or a noticed mutant being lost."""
    kills: dict[str, set[int]] = {record.nodeid: set() for record in records}
    for number, result in enumerate(mutation.results if mutation else ()):
        for nodeid in result.killed_by:
            kills.setdefault(nodeid, set()).add(number)
    wealth: dict[str, set[tuple[Any, ...]]] = {
        record.nodeid: {
            *(("line", path, line) for path, lines in record.lines.items() for line in lines),
            *(("branch", path, branch) for path, branches in record.branches.items() for branch in branches),
            *(("mutant", number) for number in kills[record.nodeid]),
        }
        for record in records
    }
    holders: dict[tuple[Any, ...], int] = {}
    for owned in wealth.values():
        for one in owned:
            holders[one] = holders.get(one, 0) + 1
    idle = []
    # The poorest first, and the later of two alike: what is left is what a reader would keep.
    backwards = list(wealth.items())
    backwards.reverse()
    for nodeid, owned in sorted(backwards, key=lambda item: len(item[1])):
        if all(holders[one] > 1 for one in owned):
            idle.append(nodeid)
            for one in owned:
                holders[one] -= 1
    order: Mapping[str, int] = {record.nodeid: place for place, record in enumerate(records)}
    return tuple(sorted(idle, key=lambda nodeid: order[nodeid]))


def _unchecked(project: Path, verification: Verification) -> tuple[str, ...]:
    bare: dict[str, frozenset[str]] = {}
    found = []
    for verdict in verification.verdicts:
        path, separator, rest = verdict.nodeid.partition("::")
        if not separator:
            continue
        if path not in bare:
            try:
                bare[path] = tests_without_checks((project / path).read_text(encoding="utf-8"))
            except (OSError, SyntaxError, UnicodeDecodeError):
                bare[path] = frozenset()
        if rest.partition("[")[0] in bare[path]:
            found.append(verdict.nodeid)
    return tuple(found)
