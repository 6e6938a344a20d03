"""The gate for generated test files (B-11).

A test is kept when it passes, passes again in shuffled orders and fresh processes, under another hash seed, and on
another day in another time zone. The repeats vary several things at once, so that good files cost few processes; only
when one fails is the cause found by varying one thing at a time.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from ..errors import TargetImportError
from ..sandbox.target import PythonTarget
from .classify import cases_by_id, classify_case, classify_collection
from .mutation.model import MutationReport
from .mutation.running import MutationOptions, measure_mutants
from .options import SHIFTED_CLOCK, SHIFTED_ZONE, Framework, SuiteOptions
from .results import CaseResult, CollectError, SuiteResult
from .settle import Order, passed, settle
from .suite import Suite, open_suite
from .verdicts import Verdict, VerdictName, Verification


@dataclass(frozen=True, slots=True)
class VerifyOptions:
    """How strictly files are verified.

    Attributes:
        repeats: runs after the first; from the second on with another hash seed, the last one on another day and in
            another zone.
        seeds: seeds of the shuffled orders, used in turn.
        measure: files whose branch coverage the first run measures.
        test_seconds, wall_seconds: limits for one test and one run.
        project_plugins: load the pytest plugins of the target's environment, which its own tests need.
        mutants: size of the sample of mutants that the kept tests are measured by; 0 for none.
    """

    repeats: int = 3
    seeds: tuple[int, ...] = (1, 2, 3)
    measure: tuple[str, ...] = ()
    test_seconds: float = 10.0
    wall_seconds: float = 120.0
    mutants: int = 0
    project_plugins: bool = False

    def base(self) -> SuiteOptions:
        """How every run of the file starts out."""
        return SuiteOptions(
            test_seconds=self.test_seconds, wall_seconds=self.wall_seconds, project_plugins=self.project_plugins
        )

    def variation(self, number: int) -> SuiteOptions:
        """The surroundings of one repeat, counted from 1."""
        options = replace(self.base(), hash_seed=0 if number == 1 else 1)
        if number == self.repeats:
            options = replace(options, time_zone=SHIFTED_ZONE, clock_shift=SHIFTED_CLOCK)
        return options

    def same_start(self) -> list[SuiteOptions]:
        """Repeats that may share the start of the runner with the first run; they run whatever is collected."""
        if self.repeats < 1 or self.variation(1).hash_seed != self.base().hash_seed:
            return []
        return [replace(self.variation(1), shuffle=self.order(1).seed)]

    def order(self, number: int) -> Order:
        """The order of one repeat, counted from 1."""
        return Order(self.seeds[(number - 1) % len(self.seeds)] if self.seeds else number)


async def verify_file(
    target: PythonTarget,
    path: str,
    contents: str,
    *,
    framework: Framework,
    spec: Mapping[str, Any] | None = None,
    options: VerifyOptions | None = None,
) -> Verification:
    """Verify one generated file; see `verify_files`."""
    return await verify_files(target, {path: contents}, framework=framework, spec=spec, options=options)


async def verify_files(
    target: PythonTarget,
    files: Mapping[str, str],
    *,
    framework: Framework,
    spec: Mapping[str, Any] | None = None,
    options: VerifyOptions | None = None,
) -> Verification:
    """Run generated files and give a verdict for each of their tests (B-11).

    Args:
        files: contents by POSIX path relative to the project.
        spec: the spec they were written from: it decides whether a failure is the test's or the product's.

    Raises:
        TargetImportError: the target or a module it needs does not import; that is no test's failure.
        EnvironmentFault, SandboxFailure, UsageError: see `Suite.run` and `open_suite`.
    """
    began = time.monotonic()
    options = options or VerifyOptions()
    async with open_suite(target, files, framework) as suite:
        examination = Examination(suite, options, cases_by_id(spec), own_modules(target))
        first = await examination.first_run(examination.options.same_start())
        await examination.repeat()
        mutation = await examination.mutants(first)
    return Verification(
        framework=framework,
        contents=dict(files),
        verdicts=tuple(examination.verdicts.values()),
        coverage=first.coverage,
        mutation=mutation,
        repeats=options.repeats if examination.passing else 0,
        notes=tuple(dict.fromkeys([*first.notes, *examination.notes])),
        sandbox=first.sandbox,
        runner_version=first.runner_version,
        seconds=round(time.monotonic() - began, 3),
        launches=suite.starts,
    )


@dataclass(slots=True)
class Examination:
    """The verification of one suite in the making.

    Attributes:
        passing: the tests nothing speaks against so far.
        ahead: repeats that the first run has done already.
        one_target: whether a file that cannot be loaded for want of something ends it all; where the files of several
            targets run together, it only costs that file.
    """

    suite: Suite
    options: VerifyOptions
    cases: Mapping[str, Mapping[str, Any]]
    modules: frozenset[str]
    verdicts: dict[str, Verdict] = field(default_factory=dict)
    passing: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    ahead: int = 0
    one_target: bool = True

    async def first_run(self, ahead: Sequence[SuiteOptions] = ()) -> SuiteResult:
        """Run in the given order with coverage, and judge what does not pass.

        Args:
            ahead: repeats to run at once. They count only when all of this is green: then `ahead` says how many passed.

        Raises:
            TargetImportError: the target does not import.
        """
        base = replace(self.options.base(), measure=self.options.measure)
        first, *more = await self.suite.run_ahead([base, *ahead])
        result = first or await self.suite.run(base)
        names = result.by_nodeid().keys()
        if result.green and all(one is not None and one.green and one.by_nodeid().keys() == names for one in more):
            self.ahead = len(more)
            self.notes.extend(note for one in more if one for note in one.notes)
        for error in result.collect_errors:
            self._uncollected(error)
        for test in result.tests:
            if test.outcome == "passed":
                self.passing.append(test.nodeid)
                self.verdicts[test.nodeid] = _verdict(test, "kept")
            else:
                judgement = classify_case(test, self.cases.get(test.case_id or ""), own_modules=self.modules)
                verdict = replace(
                    _verdict(test, _name(test)), failure_class=judgement.failure_class, reason=judgement.reason
                )
                self.verdicts[test.nodeid] = verdict
        return result

    async def repeat(self) -> None:
        """Run what passes again and again; what fails once is flaky."""
        numbers = range(self.ahead + 1, self.options.repeats + 1)
        runs = [self._repeat_of(number) for number in numbers]
        done = await self.suite.run_ahead(runs) if runs and self.passing else []
        for number, early, early_result in zip(numbers, runs, done, strict=False):
            if not self.passing:
                return
            run = self._repeat_of(number)
            result = early_result if run == early and early_result else await self.suite.run(run)
            variation, chosen = self.options.variation(number), self.options.order(number).of(self.passing)
            self.notes.extend(result.notes)
            outcomes = result.by_nodeid()
            failing = {nodeid for nodeid in chosen if not passed(outcomes, nodeid)}
            if failing:
                await self._find_causes(variation, number, failing)
                await self._insist(variation, number)
        for nodeid in self.passing:
            self.verdicts[nodeid] = replace(self.verdicts[nodeid], runs=1 + self.options.repeats)

    async def mutants(self, first: SuiteResult) -> MutationReport | None:
        """Measure what passes by mutants of the measured files; None where that was not asked for or cannot be."""
        if not self.options.mutants or not self.passing or first.coverage is None or not first.coverage.files:
            return None
        size = MutationOptions(size=self.options.mutants)
        order = [test.nodeid for test in first.tests if test.nodeid in set(self.passing)]
        return await measure_mutants(self.suite, order, first.coverage, size, run=self.options.base())

    def _repeat_of(self, number: int) -> SuiteOptions:
        """One repeat of what passes so far."""
        return replace(self.options.variation(number), select=self.options.order(number).of(self.passing))

    async def _find_causes(self, variation: SuiteOptions, number: int, failing: set[str]) -> None:
        """Vary one thing at a time, in the given order, then the order alone, until every failure has its cause."""
        base = self.options.base()
        causes = [(base, "it does not pass a second time: it depends on chance or on files that it leaves behind")]
        if variation.hash_seed != base.hash_seed:
            seeded = replace(base, hash_seed=variation.hash_seed)
            causes.append((seeded, "it depends on the order of sets or hashes, which differs from process to process"))
        if variation.clock_shift:
            zoned = replace(base, time_zone=variation.time_zone)
            causes.append((zoned, "it depends on the time zone"))
            shifted = replace(base, clock_shift=variation.clock_shift)
            causes.append((shifted, "it depends on the date or time at which it runs"))
        for options, reason in causes:
            if not failing & set(self.passing):
                return
            await self._drop_failing(options, tuple(self.passing), reason)
        if not failing & set(self.passing):
            return
        settlement = await settle(self.suite, self.passing, [self.options.order(number)], base)
        for expelled in settlement.expelled:
            self.flaky(expelled.nodeid, expelled.reason, expelled.result)

    async def _insist(self, variation: SuiteOptions, number: int) -> None:
        """The repeat itself again, without what was dropped: what still fails goes as well."""
        reason = "it does not pass in every combination of order, hash seed, date and time zone"
        await self._drop_failing(variation, self.options.order(number).of(self.passing), reason)

    async def _drop_failing(self, options: SuiteOptions, chosen: Sequence[str], reason: str) -> None:
        if not chosen:
            return
        outcomes = (await self.suite.run(replace(options, select=tuple(chosen)))).by_nodeid()
        for nodeid in chosen:
            if not passed(outcomes, nodeid):
                self.flaky(nodeid, reason, outcomes.get(nodeid))

    def flaky(self, nodeid: str, reason: str, result: CaseResult | None) -> None:
        """Leave out a test that passed and does not hold."""
        self.passing.remove(nodeid)
        message = result.message if result else "the test was not collected again"
        self.verdicts[nodeid] = replace(
            self.verdicts[nodeid],
            verdict="flaky",
            failure_class="flaky",
            reason=reason,
            message=message,
            trace=result.trace if result else "",
        )

    def _uncollected(self, error: CollectError) -> None:
        judgement = classify_collection(error, own_modules=self.modules)
        if judgement.failure_class == "environment" and self.one_target:
            raise TargetImportError(
                f"{error.path} cannot be loaded: {judgement.reason}",
                advice="make the target importable in its environment: install what it needs, or give --python",
                details={"class": "environment", "path": error.path, "trace": error.trace},
            )
        verdict: VerdictName = "timeout" if judgement.failure_class == "timeout" else "error"
        self.verdicts[error.path] = Verdict(
            nodeid=error.path,
            path=error.path,
            name=error.path.rpartition("/")[2],
            verdict=verdict,
            failure_class=judgement.failure_class,
            reason=judgement.reason,
            message=error.failure.summary,
            trace=error.trace,
        )


def own_modules(target: PythonTarget) -> frozenset[str]:
    """Top-level import names that the project itself provides."""
    names = set()
    for root in target.import_roots:
        for entry in (target.snapshot.path / root).glob("*"):
            if entry.is_dir() or entry.suffix == ".py":
                names.add(entry.stem)
    return frozenset(names)


def _name(test: CaseResult) -> VerdictName:
    if test.outcome in ("timeout", "not_run"):
        return "timeout"
    return "error" if test.outcome in ("error", "crashed") else "failed"


def _verdict(test: CaseResult, name: VerdictName) -> Verdict:
    return Verdict(
        nodeid=test.nodeid,
        path=test.path,
        name=test.name,
        verdict=name,
        case_id=test.case_id,
        message=test.message,
        trace=test.trace,
        seconds=test.seconds,
    )
