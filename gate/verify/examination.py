"""Examines one suite: which tests pass under every condition, and what the others depend on."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from ...core.errors import TargetImportError
from ...sandbox.target import PythonTarget
from ..model.classify import classify_case, classify_collection
from ..model.conditions import (
    AGAIN,
    BESIDE,
    ORDER,
    TOGETHER,
    RunCondition,
    conditions_of,
    conditions_to_blame,
    dependence,
)
from ..model.options import SuiteOptions
from ..model.results import CaseResult, CollectError, SuiteResult
from ..model.strictness import VerifyOptions
from ..model.verdicts import CaseVerdict, VerdictName
from ..mutation.measuring import BackgroundMeasurement
from ..runner.suite import Suite
from .confinement import changed_outside, confinement_reason
from .interference import find_disturbances, fixed_resources
from .own_acts import own_acts
from .stabilize import RemovedTest, passed, stabilize

_LONG_SECONDS = 10.0
"""Tests that take longer than this take longer than another workspace does to be made."""
_AGAIN = "it does not pass a second time: it depends on chance or on files that it leaves behind"
_TOGETHER = "it does not pass in every combination of order and surroundings"


@dataclass(slots=True)
class Examination:
    """The verification of one suite in the making.

    Attributes:
        passing: the tests nothing speaks against so far.
        ahead: repeats that ran at once with the first run and that everything passed.
        one_target: whether a file that cannot be loaded for want of something ends it all; where the files of several
            targets run together, it only costs that file.
        locale, encoding: what was in force where another one was asked for; None where that did not happen.
        untried: names of conditions under which the project itself does not load.
        watched: runs of everything in the same surroundings that noted shared things.
    """

    suite: Suite
    options: VerifyOptions
    cases: Mapping[str, Mapping[str, Any]]
    modules: frozenset[str]
    verdicts: dict[str, CaseVerdict] = field(default_factory=dict)
    passing: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    ahead: int = 0
    one_target: bool = True
    locale: str | None = None
    encoding: str | None = None
    untried: set[str] = field(default_factory=set)
    watched: list[SuiteResult] = field(default_factory=list)
    _running: asyncio.Task[list[SuiteResult | None]] | None = None

    async def first_run(self, ahead: Sequence[SuiteOptions] = ()) -> SuiteResult:
        """Run in the given order with coverage, and judge what does not pass.

        Args:
            ahead: repeats to run at once, in the surroundings of the first run; they go on when this has its answer
                (see `see_again`). They count only when everything that passed passes in all of them.

        Raises:
            TargetImportError: the target does not import.
        """
        watch = self.options.beside or self.options.confined
        base = replace(self.options.base(), measure=self.options.measure, watch=watch)
        early: asyncio.Future[SuiteResult] = asyncio.get_running_loop().create_future()
        runs = [base, *(replace(one, watch=watch) for one in ahead)]
        self._running = self.suite.begin(self.suite.run_ahead(runs, early.set_result))
        await asyncio.wait((self._running, early), return_when=asyncio.FIRST_COMPLETED)
        result = early.result() if early.done() else (await self._running)[0] or await self.suite.run(base)
        self.watched = [result]
        acting = own_acts(result, self.options.acting)
        for error in result.collect_errors:
            if error.path in acting:
                self.verdicts[error.path] = _uncollected_act(error, acting[error.path])
            else:
                self._uncollected(error)
        for test in result.tests:
            changed = changed_outside(test.things) if self.options.confined else ()
            if test.nodeid in acting:
                self.verdicts[test.nodeid] = replace(
                    _verdict(test, "failed"), failure_class="test_defect", reason=acting[test.nodeid]
                )
            elif changed and test.outcome == "passed":
                # It passes, but wherever it is kept it would change what belongs to the user.
                self.verdicts[test.nodeid] = replace(
                    _verdict(test, "failed"), failure_class="test_defect", reason=confinement_reason(changed)
                )
            elif test.outcome == "passed":
                self.passing.append(test.nodeid)
                self.verdicts[test.nodeid] = _verdict(test, "kept")
            else:
                judgement = classify_case(test, self.cases.get(test.case_id or ""), own_modules=self.modules)
                verdict = replace(
                    _verdict(test, _name(test)), failure_class=judgement.failure_class, reason=judgement.reason
                )
                self.verdicts[test.nodeid] = verdict
        return result

    async def see_again(self) -> None:
        """Wait for the repeats that were run at once, and take them in; nothing else runs in the workspace before."""
        if self._running is None:
            return
        (_, *more), self._running = await self._running, None
        if self._all_pass_again(self.watched[0], more):
            self.ahead = len(more)
            for one in more:
                self._refuse_acting(one)
            self.notes.extend(note for one in more if one for note in one.notes)
            self.watched += [one for one in more[:1] if one]

    def _refuse_acting(self, result: SuiteResult | None) -> None:
        """Leave out tests that did something themselves in a later run only: where CI variables are set, say."""
        for nodeid, reason in own_acts(result, self.options.acting).items() if result is not None else ():
            self.refuse([nodeid], reason)

    def _all_pass_again(self, first: SuiteResult, more: Sequence[SuiteResult | None]) -> bool:
        passing = [test.nodeid for test in first.tests if test.outcome == "passed"]
        again = [one.by_nodeid() for one in more if one is not None]
        same = all(one.keys() == first.by_nodeid().keys() for one in again)
        return bool(passing) and len(again) == len(more) and same and all(passed(o, n) for o in again for n in passing)

    async def repeat(self) -> None:
        """Run what passes again and again; what fails once is flaky."""
        await self.see_again()
        numbers = range(self.ahead + 1, self.options.repeats + 1)
        runs = [self._repeat_of(number) for number in numbers]
        done = await self.suite.run_ahead(runs, two_at_once=self._two_at_once()) if runs and self.passing else []
        for number, early, early_result in zip(numbers, runs, done, strict=False):
            if not self.passing:
                return
            run = self._repeat_of(number)
            result = early_result if run == early and early_result else await self.suite.run(run)
            self._refuse_acting(result)
            self.notes.extend(result.notes)
            self.locale = result.locale if self.locale is None else self.locale
            self.encoding = result.encoding if self.encoding is None else self.encoding
            outcomes = result.by_nodeid()
            failing = {nodeid for nodeid in self.passing if not passed(outcomes, nodeid)}
            if failing:
                await self._find_causes(number, failing)
                await self._insist(number)
        for nodeid in self.passing:
            self.verdicts[nodeid] = replace(self.verdicts[nodeid], runs=1 + self.options.repeats)

    def _two_at_once(self) -> bool:
        """Whether two starts may repeat the tests at the same time, and take less time so.

        Only bubblewrap keeps the two apart, and tests that measure how long something takes must not share the
        processor.
        """
        if self.suite.sandbox_kind != "bubblewrap" or self.suite.measures_time:
            return False
        times = [test.seconds for test in self.watched[0].tests] if self.watched else []
        return sum(times) > _LONG_SECONDS

    async def beside_itself(self) -> None:
        """Run the tests that use what other processes could use, too, two at a time; what fails there is flaky."""
        if not self.options.beside or not self.watched or not self.passing:
            return
        suspects = [test.nodeid for test in self.watched[0].tests if test.things and test.nodeid in set(self.passing)]
        if not suspects:
            return
        base = self.options.base()
        if len(self.watched) < 2:
            self.watched.append(await self.suite.run(replace(base, select=tuple(suspects), watch=True)))
        first, second = (one.by_nodeid() for one in self.watched[:2])
        used = {nodeid: things for nodeid, things in fixed_resources(first, second).items() if nodeid in set(suspects)}
        for disturbance in await find_disturbances(self.suite, used, base) if used else ():
            related = ("fails beside", (disturbance.beside,))
            self.flaky(disturbance.nodeid, disturbance.reason, disturbance.result, causes=(BESIDE,), related=related)

    def measuring(self) -> BackgroundMeasurement:
        """What measures the tests by mutants, made ready from now on."""
        return BackgroundMeasurement(self.suite, self.options)

    def expel(self, expelled: RemovedTest) -> None:
        """Leave out a test that makes others fail, or fails because of others."""
        related = (expelled.relation, expelled.related)
        self.flaky(expelled.nodeid, expelled.reason, expelled.result, causes=(ORDER,), related=related)

    def refuse(self, nodeids: Sequence[str], reason: str) -> None:
        """Leave out tests that hold and say nothing."""
        for nodeid in nodeids:
            if nodeid in self.passing:
                self.passing.remove(nodeid)
                self.verdicts[nodeid] = replace(
                    self.verdicts[nodeid], verdict="failed", failure_class="test_defect", reason=reason
                )

    def flaky(
        self,
        nodeid: str,
        reason: str,
        result: CaseResult | None,
        *,
        causes: Sequence[str],
        related: tuple[str, tuple[str, ...]] = ("", ()),
    ) -> None:
        """Leave out a test that passed and does not hold.

        Args:
            causes: names of conditions.
            related: how it stands to which tests; see `CaseVerdict.relation`.
        """
        if nodeid in self.passing:
            self.passing.remove(nodeid)
        message = result.message if result else "the test was not collected again"
        self.verdicts[nodeid] = replace(
            self.verdicts[nodeid],
            verdict="flaky",
            failure_class="flaky",
            reason=reason,
            message=message,
            trace=result.trace if result else "",
            causes=tuple(causes),
            relation=related[0],
            related=related[1],
        )

    def _repeat_of(self, number: int) -> SuiteOptions:
        """One repeat of what passes so far."""
        return replace(self.options.variation(number, self.untried), select=self.options.order(number).of(self.passing))

    async def _find_causes(self, number: int, failing: set[str]) -> None:
        """Vary one thing at a time, in the given order, then the order alone, until every failure has its cause."""
        base = replace(self.options.base(), select=tuple(self.passing))
        conditions = conditions_of(number, self.options.repeats, self.untried)
        plain_result, *results = await self._run_each([base, *(condition.applied(base) for condition in conditions)])
        plain = plain_result.by_nodeid()
        conditions, single = self._borne(conditions, results, {error.path for error in plain_result.collect_errors})
        for nodeid in tuple(self.passing):
            if not passed(plain, nodeid):
                self.flaky(nodeid, _AGAIN, plain.get(nodeid), causes=(AGAIN,))
                continue
            pairs = zip(conditions, single, strict=True)
            guilty: list[tuple[RunCondition, CaseResult | None]] = [
                (one, outcomes.get(nodeid)) for one, outcomes in pairs if not passed(outcomes, nodeid)
            ]
            if guilty:
                found = conditions_to_blame([one for one, _ in guilty])
                self.flaky(nodeid, dependence(found), guilty[0][1], causes=[one.name for one in found])
        if not failing & set(self.passing):
            return
        settlement = await stabilize(self.suite, self.passing, [self.options.order(number)], self.options.base())
        for expelled in settlement.expelled:
            self.expel(expelled)

    def _borne(
        self, conditions: Sequence[RunCondition], results: Sequence[SuiteResult], lost: set[str]
    ) -> tuple[list[RunCondition], list[Mapping[str, CaseResult]]]:
        """Conditions that the project itself bears, with the outcomes under each; the others are not tried any more.

        Args:
            lost: files that cannot be loaded anyway.
        """
        borne, outcomes = [], []
        for condition, result in zip(conditions, results, strict=True):
            broken = [error for error in result.collect_errors if error.path not in lost]
            if condition.excuses_import and broken:
                self.untried.add(condition.name)
                self.notes.append(
                    f"not tried with {condition.title}: the project itself does not load there "
                    f"({broken[0].failure.summary})"
                )
                continue
            borne.append(condition)
            outcomes.append(result.by_nodeid())
        return borne, outcomes

    async def _run_each(self, runs: Sequence[SuiteOptions]) -> list[SuiteResult]:
        done = await self.suite.run_ahead(runs)
        return [one or await self.suite.run(run) for run, one in zip(runs, done, strict=True)]

    async def _insist(self, number: int) -> None:
        """The repeat itself again, without what was dropped: what still fails goes as well."""
        if not self.passing:
            return
        outcomes = (await self.suite.run(self._repeat_of(number))).by_nodeid()
        for nodeid in tuple(self.passing):
            if not passed(outcomes, nodeid):
                self.flaky(nodeid, _TOGETHER, outcomes.get(nodeid), causes=(TOGETHER,))

    def _uncollected(self, error: CollectError) -> None:
        judgement = classify_collection(error, own_modules=self.modules)
        if judgement.failure_class == "environment" and self.one_target:
            raise TargetImportError(
                f"{error.path} cannot be loaded: {judgement.reason}",
                advice="make the target importable in its environment: install what it needs, or give --python",
                details={"class": "environment", "path": error.path, "trace": error.trace},
            )
        verdict: VerdictName = "timeout" if judgement.failure_class == "timeout" else "error"
        self.verdicts[error.path] = CaseVerdict(
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


def _uncollected_act(error: CollectError, reason: str) -> CaseVerdict:
    return CaseVerdict(
        nodeid=error.path,
        path=error.path,
        name=error.path.rpartition("/")[2],
        verdict="error",
        failure_class="test_defect",
        reason=reason,
        message=error.failure.summary,
        trace=error.trace,
    )


def _name(test: CaseResult) -> VerdictName:
    if test.outcome in ("timeout", "not_run"):
        return "timeout"
    return "error" if test.outcome in ("error", "crashed") else "failed"


def _verdict(test: CaseResult, name: VerdictName) -> CaseVerdict:
    return CaseVerdict(
        nodeid=test.nodeid,
        path=test.path,
        name=test.name,
        verdict=name,
        case_id=test.case_id,
        message=test.message,
        trace=test.trace,
        seconds=test.seconds,
    )
