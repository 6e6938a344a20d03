"""Measures which mutants of a seeded sample a suite's tests kill, and which test kills which.

The work is done in the sandbox by sandbox/worker/mutants/run_tests.py, which forks for each mutant and writes no file.
"""

from __future__ import annotations

import asyncio
import os
import time
from collections import Counter, defaultdict
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any, TypeVar, get_args

from ...core.errors import EnvironmentFault
from ...mutation.catalog import sample
from ...mutation.model import Mutant
from ...mutation.trivial import TestedFunction, implementations_of
from ...sandbox.protocol import Completed, Limits
from ...utils.canonical import attributes
from ..model.coverage_data import CoverageData
from ..model.mutant_results import MutantResult, MutationReport, Status
from ..model.options import SuiteOptions
from ..model.trivial_results import function_trials, unproven_expectation
from ..runner.launch import READY_SECONDS
from ..runner.suite import Suite
from .notes import notes_of
from .planning import (
    JudgingTests,
    PlannedMutant,
    mutants_in_files,
    plan_of,
    tested_functions,
    tests_without_own_lines,
)

SCRIPT = "mutants.run_tests"
T = TypeVar("T")
_FORMS: Mapping[str, Mapping[str, type]] = {
    "mutant": {"id": int, "status": str, "killed_by": list, "tests": int},
    "unproven": {"tests": list, "path": str, "line": int, "why": str},
    "control": {"failing": list},
    "after": {"failing": list},
    "trivial": {"path": str, "name": str, "line": int, "tests": list, "tried": int, "passing": list, "noticed": list},
    "end": {"peak_kib": int, "untried": str},
}


@dataclass(frozen=True, slots=True)
class MutationOptions:
    """How a suite is measured.

    Attributes:
        size: mutants in the sample; all there are when there are fewer.
        seed: of the sample.
        jobs: mutants tried at the same time; 0 for one on each processor. Verdicts do not depend on it.
        memory_mib: address space of the process of one mutant.
        floor_seconds, factor: processor time that a test may take: `floor_seconds` plus `factor` times what it takes
            without a mutant.
        thorough: find out of every test whether it notices a mutant of a line that runs at import; else those that
            cover something of their own are left once another one has noticed it.
        trivial: most trivial implementations of tested functions that are tried; 0 for none.
        wall_seconds: safeguard for the whole measurement; mutants that it cuts off are `untried`.
    """

    size: int = 100
    seed: int = 0
    jobs: int = 0
    memory_mib: int = 1024
    floor_seconds: float = 1.0
    factor: float = 10.0
    thorough: bool = True
    trivial: int = 1500
    wall_seconds: float = 900.0


async def measure_mutants(
    suite: Suite,
    passing: Sequence[str],
    coverage: CoverageData,
    options: MutationOptions,
    *,
    run: SuiteOptions | None = None,
) -> MutationReport:
    """Try a sample of the mutants of all measured files.

    Args:
        suite: has run already; its workspace holds the unchanged files.
        passing: node ids of the tests that judge, in the order of collection.
        coverage: what each test runs, of the files to mutate.
        run: how the suite is run otherwise.

    Raises:
        EnvironmentFault: the worker did not get to its end.
        SandboxFailure: the sandbox broke.
    """
    sources = sorted(coverage.files)
    judges = JudgingTests(passing, coverage)
    measuring = _Measuring(suite, sources, options)
    planned = await measuring.plan(judges)
    tried = [place for place, one in enumerate(planned) if _is_to_try(one)]
    functions = await measuring.functions(judges)
    facts: list[Mapping[str, Any]] = []
    if tried or functions:
        work = [planned[place] for place in tried]
        needy = measuring.needy(judges)
        facts = await _work(suite, work, tried, passing, needy, options, run or SuiteOptions(), functions)
    return measuring.report(planned, facts)


async def measure_on_plan(
    suite: Suite,
    sources: Sequence[str],
    judges: Awaitable[JudgingTests],
    options: MutationOptions,
    *,
    run: SuiteOptions | None = None,
) -> MutationReport:
    """As `measure_mutants`, made ready while nobody knows yet which tests judge.

    Args:
        sources: the files to mutate; `coverage` of the judges is of the same.
        judges: which they are.
    """
    measuring = _Measuring(suite, sources, options)
    planned: list[PlannedMutant] = []

    async def plan() -> dict[str, Any]:
        planned[:] = await measuring.plan(judges)
        told = await judges
        places = [place for place, one in enumerate(planned) if _is_to_try(one)]
        work = [planned[place] for place in places]
        functions = await measuring.functions(told)
        return {**_plan_asked(work, places, told.passing, measuring.needy(told), functions, options), **_time(options)}

    asked = {**_ready_asked(sources, options), "stop_after": READY_SECONDS}
    written, completed = await suite.work(SCRIPT, run or SuiteOptions(), asked, _limits(options), plan)
    facts = _wellformed(written)
    _see_to_the_end(facts, completed)
    return measuring.report(planned, facts)


class _Measuring:
    """One measurement: its sample, what is planned, what came of it."""

    def __init__(self, suite: Suite, sources: Sequence[str], options: MutationOptions) -> None:
        self._options = options
        self._project = suite.workspace.project
        self._began = time.monotonic()
        self._notes: list[str] = []
        self._found = asyncio.ensure_future(
            asyncio.to_thread(mutants_in_files, suite.workspace.project, sources, self._notes)
        )

    async def plan(self, judges: JudgingTests | Awaitable[JudgingTests]) -> list[PlannedMutant]:
        """What is to be done with each mutant of the sample; waits until it is known who judges."""
        found = await self._found
        chosen = sample(found, self._options.size, seed=self._options.seed)
        told = judges if isinstance(judges, JudgingTests) else await judges
        self._began = time.monotonic()
        needy = self.needy(told) or ()
        return [plan_of(mutant, told.coverage.files[mutant.path], told.passing, needy) for mutant in chosen]

    async def functions(self, judges: JudgingTests) -> list[TestedFunction]:
        """Which functions get trivial implementations."""
        if not self._options.trivial or not judges.passing:
            return []
        return await asyncio.to_thread(tested_functions, self._project, judges)

    def needy(self, judges: JudgingTests) -> list[int] | None:
        """Places of the tests that only a mutant can speak for; None where that is asked of all."""
        return None if self._options.thorough else tests_without_own_lines(judges.passing, judges.coverage)

    def report(self, planned: Sequence[PlannedMutant], facts: Sequence[Mapping[str, Any]]) -> MutationReport:
        """What came of it."""
        answers = {fact["id"]: fact for fact in facts if fact["kind"] == "mutant"}
        unanswered = len({place for place, one in enumerate(planned) if _is_to_try(one)} - set(answers))
        notes = [*self._notes, *notes_of(facts, unanswered)]
        results = tuple(_result(one, answers.get(place)) for place, one in enumerate(planned))
        peak = max((fact["peak_kib"] for fact in facts if fact["kind"] == "end"), default=0) / 1024
        seconds = round(time.monotonic() - self._began, 3)
        found = self._found.result()
        places: dict[str, Counter[int]] = defaultdict(Counter)
        for mutant in found:
            places[mutant.path][mutant.line] += 1
        return MutationReport(
            results,
            len(found),
            self._options.seed,
            tuple(notes),
            seconds,
            round(peak, 1),
            tuple(sorted(_read(facts, "trivial", function_trials), key=lambda one: (one.path, one.line))),
            tuple(_read(facts, "unproven", unproven_expectation)),
            places,
        )


async def try_further(
    suite: Suite,
    passing: Sequence[str],
    doubted: Sequence[str],
    report: MutationReport,
    coverage: CoverageData,
    options: MutationOptions,
    *,
    run: SuiteOptions | None = None,
) -> tuple[MutantResult, ...]:
    """Try mutants that were not in the sample, on lines of tests of which the sample does not show what they are for.

    Only mutants that a doubted test notices are tried on all others; only those are in the answer.

    Args:
        doubted: those tests; they are among `passing`.
        report: the measurement by the sample.
        options: as for the measurement; `size` bounds how many more are tried.

    Raises:
        EnvironmentFault, SandboxFailure: as `measure_mutants`.
    """
    known = {one.mutant for one in report.results}
    lines = {path: _lines_of(doubted, coverage, path) for path in coverage.files}
    everything = await asyncio.to_thread(mutants_in_files, suite.workspace.project, sorted(coverage.files), [])
    near = [one for one in everything if one.rule is None and one not in known and lines[one.path] & set(one.lines)]
    chosen: Sequence[Mutant] = sample(near, options.size, seed=options.seed)
    found: dict[Mutant, MutantResult] = {}
    others = [nodeid for nodeid in passing if nodeid not in set(doubted)]
    for judging in (doubted, others):
        planned = [plan_of(mutant, coverage.files[mutant.path], judging, ()) for mutant in chosen]
        places = [place for place, one in enumerate(planned) if one.rounds]
        work = [planned[place] for place in places]
        facts = await _work(suite, work, places, judging, None, options, run or SuiteOptions()) if work else []
        answers = {fact["id"]: fact for fact in facts if fact["kind"] == "mutant"}
        for place, one in enumerate(planned):
            result = _result(one, answers.get(place))
            before = found.get(one.mutant)
            noticed = (*(before.killed_by if before else ()), *result.killed_by)
            found[one.mutant] = replace(result, killed_by=noticed)
        chosen = [mutant for mutant in chosen if found[mutant].killed_by]
    return tuple(found[mutant] for mutant in chosen)


def _lines_of(nodeids: Sequence[str], coverage: CoverageData, path: str) -> set[int]:
    """What they run, and what runs at import, which is everybody's."""
    by_test = coverage.files[path].by_test
    return {line for nodeid in ("", *nodeids) if nodeid in by_test for line in by_test[nodeid].lines}


async def _work(
    suite: Suite,
    planned: Sequence[PlannedMutant],
    ids: Sequence[int],
    passing: Sequence[str],
    needy: Sequence[int] | None,
    options: MutationOptions,
    run: SuiteOptions,
    functions: Sequence[TestedFunction] = (),
) -> list[Mapping[str, Any]]:
    sources = sorted({*(one.mutant.path for one in planned), *(one.path for one in functions)})
    more = {**_ready_asked(sources, options), **_plan_asked(planned, ids, passing, needy, functions, options)}
    written, completed = await suite.work(SCRIPT, run, more, _limits(options))
    facts = _wellformed(written)
    _see_to_the_end(facts, completed)
    return facts


def _ready_asked(sources: Sequence[str], options: MutationOptions) -> dict[str, Any]:
    """What the worker has to know to make itself ready."""
    return {
        "sources": list(sources),
        "jobs": options.jobs or os.cpu_count() or 1,
        **attributes(options, "memory_mib", "floor_seconds", "factor"),
        **_time(options),
    }


def _time(options: MutationOptions) -> dict[str, Any]:
    return {"stop_after": 0.9 * options.wall_seconds}


def _plan_asked(
    planned: Sequence[PlannedMutant],
    ids: Sequence[int],
    passing: Sequence[str],
    needy: Sequence[int] | None,
    functions: Sequence[TestedFunction],
    options: MutationOptions,
) -> dict[str, Any]:
    """What the worker has to know to begin."""
    return {
        "functions": [_function_asked(one) for one in functions],
        "trivial_most": options.trivial,
        "tests": list(passing),
        "known": list(passing),
        "needy": needy,
        "mutants": [_asked(place, one) for place, one in zip(ids, planned, strict=True)],
    }


def _limits(options: MutationOptions) -> Limits:
    return Limits(wall_seconds=options.wall_seconds, memory_mib=max(2048, options.memory_mib))


def _asked(number: int, planned: PlannedMutant) -> dict[str, Any]:
    mutant = planned.mutant
    return {
        "id": number,
        **attributes(mutant, "path", "start", "end", "replacement"),
        "imported": planned.imported,
        "rounds": [list(round_) for round_ in planned.rounds],
    }


def _function_asked(function: TestedFunction) -> dict[str, Any]:
    return {
        **attributes(function, "path", "name", "line", "left_out"),
        "implementations": [one.to_dict() for one in implementations_of(function)],
    }


def _read(facts: Sequence[Mapping[str, Any]], kind: str, read: Callable[[Mapping[str, Any]], T]) -> Iterator[T]:
    """The facts of a kind that have its form."""
    for fact in facts:
        if fact["kind"] == kind:
            with suppress(KeyError, TypeError, ValueError):
                yield read(fact)


def _see_to_the_end(facts: Sequence[Mapping[str, Any]], completed: Completed) -> None:
    if any(fact["kind"] == "end" for fact in facts) or completed.ending == "wall_clock":
        return
    printed = (completed.stderr or completed.stdout).decode("utf-8", "replace").strip()
    lines = printed.splitlines() or ["it printed nothing"]
    raise EnvironmentFault(
        f"the mutants could not be tried: {lines[-1][:300]}",
        advice="run without mutants, and report it with the output below",
        details={"output": printed[-2000:], "exit_code": completed.exit_code, "ending": completed.ending},
    )


def _is_to_try(planned: PlannedMutant) -> bool:
    return planned.mutant.rule is None and bool(planned.rounds)


def _wellformed(facts: Sequence[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """The facts in the form that the worker writes: tests run beside it and could write there, too."""
    return [
        fact
        for fact in facts
        if fact.get("kind") in _FORMS
        and all(isinstance(fact.get(name), form) for name, form in _FORMS[fact["kind"]].items())
        and all(isinstance(name, str) for names in ("killed_by", "failing") for name in fact.get(names) or ())
        and (fact.get("kind") != "mutant" or fact["status"] in get_args(Status))
    ]


def _result(planned: PlannedMutant, answer: Mapping[str, Any] | None) -> MutantResult:
    mutant = planned.mutant
    if mutant.rule is not None:
        return MutantResult(mutant, "equivalent", rule=mutant.rule)
    if not planned.rounds:
        return MutantResult(mutant, "uncovered")
    if answer is None:
        return MutantResult(mutant, "untried")
    status: Status = answer["status"]
    rule = "same_code" if status == "equivalent" else None
    tests = 0 if rule else int(answer["tests"])
    return MutantResult(mutant, status, tuple(answer["killed_by"]), rule, tests)
