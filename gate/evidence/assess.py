"""Assesses a test suite written by people by the standards that generated tests meet.

The tests are run as they are, in a copy of the project. What generated tests would be dropped for is told here, test by
test: nothing is edited.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

from ...sandbox.target import PythonTarget
from ...utils.canonical import attributes
from ...utils.names.counted import counted
from ...utils.untrusted_files import read_source
from ..model.conditions import AGAIN, TITLES, TOGETHER
from ..model.coverage_data import CoverageData
from ..model.mutant_results import MutantResult, MutationReport
from ..model.options import Framework
from ..model.results import CaseResult, SuiteResult
from ..model.strictness import VerifyOptions
from ..model.verdicts import CaseVerdict, Verification
from ..mutation.measurement import MutationOptions, measure_mutants, try_further
from ..runner.suite import Suite, open_suite
from ..verify.examination import Examination, own_modules
from .additions import Addition, FunctionAddition, additions_by_function, additions_of
from .assertions import AssertionProfile, assertion_profiles
from .evidence import EvidenceRecord, evidence_of
from .summary import mutation_summary, trivial_summary
from .time_left import TimeLeft

SLOW_SECONDS = 1.0
_LEAST_FURTHER_SECONDS = 5.0
"""Time below which trying more mutants comes to nothing."""
MADE_LOCALE = "zz_ZZ"
"""The name that sandbox/worker/suites/environment.py gives the locale it makes."""


@dataclass(frozen=True, slots=True)
class AssessOptions:
    """How a suite is assessed.

    Attributes:
        measure: files of the project whose branches and mutants count.
        mutants: size of the sample; 0 for none.
        seed: of the sample.
        repeats: runs after the first, under the gate's conditions.
        test_seconds, wall_seconds: limits for one test and one run.
        further: most mutants beyond the sample that tests of which it does not show what they add are tried on.
        most_seconds: after the first run no part begins that would probably last longer than what is left of these;
            None for no limit.
    """

    measure: tuple[str, ...] = ()
    mutants: int = 100
    repeats: int = 3
    test_seconds: float = 30.0
    wall_seconds: float = 600.0
    further: int = 300
    seed: int = 0
    most_seconds: float | None = None

    def strictness(self) -> VerifyOptions:
        """What the gate is told."""
        return VerifyOptions(
            repeats=self.repeats,
            measure=self.measure,
            test_seconds=self.test_seconds,
            wall_seconds=self.wall_seconds,
            project_plugins=True,
            confined=False,  # a person's own tests may do what they like: they are judged, not kept
        )


@dataclass(frozen=True, slots=True)
class Assessment:
    """What there is to say about a suite.

    Attributes:
        verification: a verdict for each test; `kept` are those that hold under every condition.
        records: the evidence of all tests that pass where nothing is varied.
        skipped: tests that were skipped or expected to fail, which is no fault.
        additions: what each of them adds, by node id; functions: what their functions add, rows taken together.
        checks: what each test checks, by node id; tests whose source could not be read are left out.
        in_force: what was in force under a condition that the machine decides on, by its name; "" for nothing.
        cut_short: parts that there was no time for: "conditions", "beside", "mutants".
    """

    verification: Verification
    records: tuple[EvidenceRecord, ...] = ()
    skipped: tuple[str, ...] = ()
    additions: Mapping[str, Addition] = field(default_factory=dict)
    functions: tuple[FunctionAddition, ...] = ()
    checks: Mapping[str, AssertionProfile] = field(default_factory=dict)
    in_force: Mapping[str, str] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    cut_short: tuple[str, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """JSON form; the evidence of a test is that of generated tests, and what it alone covers and notices."""
        verification = self.verification
        records = {record.nodeid: record for record in self.records}
        shown = [verdict for verdict in verification.verdicts if verdict.nodeid not in self.skipped]
        coverage, mutation = verification.coverage, verification.mutation
        return {
            "framework": verification.framework,
            "tests": [self._test(verdict, records.get(verdict.nodeid)) for verdict in shown],
            "functions": [asdict(function) for function in self.functions],
            "skipped": list(self.skipped),
            # Which test makes which other one fail, needs which, or fails beside which.
            "disturbances": [
                {"test": one.nodeid, "relation": one.relation, "other": other, "reason": one.reason}
                for one in shown
                for other in one.related
            ],
            "conditions": self._conditions(shown),
            "totals": self._totals(shown),
            "coverage": None if coverage is None else coverage.to_dict(),
            "mutation": None if mutation is None else mutation_summary(mutation),
            "trivial": None if mutation is None else trivial_summary(mutation),
            "unproven": [] if mutation is None else [asdict(one) for one in mutation.unproven],
            "mutants": [] if mutation is None else [result.to_dict() for result in mutation.results],
            **attributes(verification, "repeats", "sandbox", "runner_version"),
            "notes": list(self.notes),
            "cut_short": list(self.cut_short),
            "seconds": verification.seconds,
        }

    def _test(self, verdict: CaseVerdict, record: EvidenceRecord | None) -> dict[str, Any]:
        addition = self.additions.get(verdict.nodeid)
        checks = self.checks.get(verdict.nodeid)
        evidence = None
        if record is not None and addition is not None:
            own = {"own_lines": addition.own_lines, "own_kills": addition.own_kills}
            evidence = {**record.to_dict(), **own}
            if self.verification.mutation is None:
                evidence["own_kills"] = None
        return {
            "nodeid": verdict.nodeid,
            "verdict": "holds" if verdict.verdict == "kept" else verdict.verdict,
            "class": verdict.failure_class,
            **attributes(verdict, "reason", "message", "causes", "relation", "related"),
            "evidence": evidence,
            "adds_nothing": addition.reason if addition is not None and addition.idle else None,
            "repeats": addition.reason if addition is not None and addition.repeats else None,
            "covered_by": list(addition.covered_by) if addition is not None else [],
            "checks": None if checks is None else {"count": checks.count, "strength": checks.strength},
            "seconds": verdict.seconds,
            "slow": verdict.seconds >= SLOW_SECONDS,
        }

    def _conditions(self, shown: Sequence[CaseVerdict]) -> list[dict[str, Any]]:
        """Each condition that the tests were run under, what was in force, and how many tests fail under it."""
        if not self.verification.repeats:
            return []
        rows = []
        for name, title in TITLES.items():
            failing = [one.nodeid for one in shown if name in one.causes]
            tried = self.in_force.get(name) != ""
            if name != TOGETHER or failing:
                in_force = self.in_force.get(name) or None
                rows.append({"name": name, "title": title, "in_force": in_force, "tried": tried, "failing": failing})
        return rows

    def _totals(self, shown: Sequence[CaseVerdict]) -> dict[str, int | float]:
        names = ("holds", "failed", "error", "timeout", "flaky")
        verdicts = ["holds" if one.verdict == "kept" else one.verdict for one in shown]
        return {
            "tests": len(shown),
            **{name: verdicts.count(name) for name in names},
            "skipped": len(self.skipped),
            "adds_nothing": sum(addition.idle for addition in self.additions.values()),
            "repeating_rows": sum(addition.repeats for addition in self.additions.values()),
            "asserts_nothing": sum(check.strength == "none" for check in self.checks.values()),
            "asserts_little": sum(check.strength == "weak" for check in self.checks.values()),
            "slow": sum(one.seconds >= SLOW_SECONDS for one in shown),
            "test_seconds": round(sum(one.seconds for one in shown), 3),
        }


async def assess_suite(
    target: PythonTarget,
    paths: Sequence[str],
    *,
    framework: Framework,
    options: AssessOptions,
    on_phase: Callable[[str], None] = lambda _: None,
) -> Assessment:
    """Run test files of the project under every condition of the gate, and measure them.

    Args:
        paths: test files, POSIX, relative to the project.
        on_phase: told what is done next, in a few words for people.

    Raises:
        EnvironmentFault, SandboxFailure, UsageError: as `verify_files`.
    """
    began = time.monotonic()
    strictness = options.strictness()
    time_left = TimeLeft(options.most_seconds, began)
    async with open_suite(target, [Path(path) for path in paths], framework) as suite:
        examination = Examination(suite, strictness, {}, own_modules(target), one_target=False)
        on_phase(f"running {counted(len(paths), 'test file')}")
        first = await examination.first_run(strictness.same_start())
        once = time.monotonic() - began
        in_full = time_left.suffices("conditions", options.repeats * once)
        if in_full:
            on_phase(f"{counted(len(first.tests), 'test')} ran; running them shuffled and under other conditions")
        repeats = await _repeat(examination, options.repeats if in_full else None)
        if time_left.suffices("beside", once):
            await examination.beside_itself()
        judging = _judging(first, examination)
        mutation, further = await _mutants(suite, examination, first, judging, options, on_phase, time_left)
    verification = Verification(
        framework=framework,
        contents={},
        verdicts=tuple(examination.verdicts.values()),
        coverage=first.coverage,
        mutation=mutation,
        repeats=repeats,
        sandbox=first.sandbox,
        runner_version=first.runner_version,
        seconds=round(time.monotonic() - began, 3),
        launches=suite.starts,
    )
    records = _evidence(verification, frozenset(judging), first.coverage)
    ran = [test for test in first.tests if test.outcome not in ("skipped", "xfailed")]
    checks = await asyncio.to_thread(_checks, target.snapshot.path, ran)
    notes = [*time_left.notes(), *first.notes, *examination.notes, *(mutation.notes if mutation else ())]
    additions = additions_of(records, mutation, further)
    return Assessment(
        verification=verification,
        records=records,
        skipped=tuple(test.nodeid for test in first.tests if test.outcome in ("skipped", "xfailed")),
        additions=additions,
        functions=additions_by_function(records, mutation, additions),
        checks=checks,
        in_force=_in_force(examination),
        notes=tuple(dict.fromkeys(notes)),
        cut_short=tuple(time_left.lacking),
    )


async def _repeat(examination: Examination, repeats: int | None) -> int:
    """Run the tests again, under all conditions or, for None, once; returns how often they were repeated."""
    if repeats is None:
        await examination.see_again()
        return examination.ahead
    repeated = repeats if examination.passing else 0
    await examination.repeat()
    return repeated


async def _mutants(
    suite: Suite,
    examination: Examination,
    first: SuiteResult,
    judging: Sequence[str],
    options: AssessOptions,
    on_phase: Callable[[str], None],
    time_left: TimeLeft,
) -> tuple[MutationReport | None, tuple[MutantResult, ...]]:
    """What a sample of mutants says of the tests, and what more of them say where it leaves a doubt."""
    if not options.mutants or not judging or first.coverage is None or not first.coverage.files:
        return None, ()
    if not time_left.suffices("mutants", 0):
        return None, ()
    size = MutationOptions(size=options.mutants, seed=options.seed)
    size = replace(size, wall_seconds=min(size.wall_seconds, time_left.seconds))
    on_phase(f"trying up to {counted(options.mutants, 'mutant')}")
    mutation = await measure_mutants(suite, judging, first.coverage, size, run=options.strictness().base())
    if time_left.seconds < _LEAST_FURTHER_SECONDS:
        return mutation, ()
    on_phase(f"{counted(len(mutation.results), 'mutant')} tried; trying more where a test adds nothing so far")
    limits = MutationOptions(seed=options.seed, size=options.further)
    limits = replace(limits, wall_seconds=min(limits.wall_seconds, time_left.seconds))
    return mutation, await _further(suite, examination, first, judging, mutation, limits)


async def _further(
    suite: Suite,
    examination: Examination,
    first: SuiteResult,
    judging: Sequence[str],
    mutation: MutationReport,
    limits: MutationOptions,
) -> tuple[MutantResult, ...]:
    """What more mutants say of the functions that add nothing as far as the sample goes."""
    if first.coverage is None or len(mutation.results) >= mutation.found or not limits.size:
        return ()
    verdicts = tuple(examination.verdicts.values())
    told = Verification(framework=suite.framework, contents={}, verdicts=verdicts, mutation=mutation)
    additions = additions_of(_evidence(told, frozenset(judging), first.coverage), mutation)
    doubted = [nodeid for nodeid in judging if nodeid in additions and additions[nodeid].idle]
    if not doubted:
        return ()
    base = examination.options.base()
    return await try_further(suite, judging, doubted, mutation, first.coverage, limits, run=base)


def _judging(first: SuiteResult, examination: Examination) -> list[str]:
    """Tests that pass where nothing is varied, also when some condition makes them fail: they cover and notice."""
    unsteady = {verdict.nodeid for verdict in examination.verdicts.values() if {AGAIN, TOGETHER} & {*verdict.causes}}
    return [test.nodeid for test in first.tests if test.outcome == "passed" and test.nodeid not in unsteady]


def _evidence(
    verification: Verification, judging: frozenset[str], coverage: CoverageData | None
) -> tuple[EvidenceRecord, ...]:
    """The evidence of all judging tests; the reruns of those that do not hold are not counted."""
    if coverage is None:
        return ()
    verification = replace(verification, coverage=coverage)
    verdicts = [replace(verdict, verdict="kept") for verdict in verification.verdicts if verdict.nodeid in judging]
    return evidence_of(replace(verification, verdicts=tuple(verdicts)))


def _in_force(examination: Examination) -> dict[str, str]:
    made = "made for this run: numbers only, the machine has no such locale"
    found = {
        "locale": made if examination.locale == MADE_LOCALE else examination.locale,
        "encoding": examination.encoding,
    }
    return {name: value for name, value in found.items() if value is not None}


def _checks(project: Path, tests: Sequence[CaseResult]) -> dict[str, AssertionProfile]:
    """What each test checks, told from the file it is written in, which may be that of a base class."""
    by_file: dict[str, dict[int, AssertionProfile]] = {}
    found = {}
    for test in tests:
        if test.place is None:
            continue
        path, line = test.place
        if path not in by_file:
            try:
                by_file[path] = assertion_profiles(read_source(project, path))
            except (OSError, SyntaxError, UnicodeDecodeError):
                by_file[path] = {}
        if line in by_file[path]:
            found[test.nodeid] = by_file[path][line]
    return found
