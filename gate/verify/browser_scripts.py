"""Verifies generated test files for Playwright Test.

A test is kept when it passes, and passes again beside others, in other time zones, on another day of the application's,
under another hash seed and in another language; and when the opposite of each of its expectations does not hold.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import PurePosixPath

from ...sandbox.javascript.playwright import (
    PICTURES,
    Playwright,
    PlaywrightRequest,
    PlaywrightRun,
    prepare_playwright,
)
from ...sandbox.javascript.playwright_report import PlaywrightTest
from ...sandbox.target import PythonTarget
from ..model.coverage_data import CoverageData, coverage_from_worker
from ..model.strictness import VerifyOptions
from ..model.verdicts import CaseVerdict, Verification
from ..runner.browser import read_pictures
from .script_verdicts import failed_verdict, first_line, flaky_verdict, not_loaded_verdict

SUFFIX = ".spec.ts"
_DAY = 86_400
_SURROUNDINGS: tuple[tuple[str, Mapping[str, str], int], ...] = (
    ("beside others, in another time zone", {"TZ": "America/New_York"}, 0),
    ("beside others, on another day, under another hash seed", {"TZ": "Asia/Tokyo", "PYTHONHASHSEED": "1"}, 401 * _DAY),
    ("beside others, in another language", {"LANG": "de_DE.UTF-8", "LC_ALL": "de_DE.UTF-8"}, 0),
)
_BESIDE = 2
"""Tests that run at the same time in repeats."""
_NOT_REFUTED = "resolved instead of rejected"
"""What Playwright says of the opposite of an expectation that holds as well."""
_TIME_RAN_OUT = "Timed out waiting"
"""What Playwright says when the time of the whole run is over."""
_NOT_STARTED = frozenset({"skipped", "interrupted"})


async def verify_browser_scripts(
    target: PythonTarget,
    files: Mapping[str, str],
    *,
    refuted: Mapping[str, str],
    documented: frozenset[str] = frozenset(),
    cases: frozenset[str] = frozenset(),
    browser: bool = True,
    options: VerifyOptions,
) -> Verification:
    """Run generated files and give a verdict for each of their tests.

    Args:
        files: contents by POSIX path relative to the project, with the helpers.
        refuted: the same tests with proof of each expectation (`render_refutations`), by the path to write them to.
        documented: ids of cases whose expectation stands in the documentation: a failure is the product's.
        cases: ids of all cases; a tag that is none of them is a word of a title. Empty where they are not known.
        browser: whether the tests open one.

    Raises:
        EnvironmentFault: there is no Node, Playwright Test or Chromium.
        SandboxFailure, TargetRunError: they could not be run.
    """
    began = time.monotonic()
    project = await asyncio.to_thread(prepare_playwright, target, browser=browser)
    tests = tuple(path for path in files if path.endswith(SUFFIX))
    async with target.workspace() as workspace:
        runner = Playwright(project, workspace, PurePosixPath(tests[0]).parent.as_posix())
        for path, text in files.items():
            runner.write(path, text)
        request = PlaywrightRequest(
            tests, measure=options.measure, test_seconds=options.test_seconds, wall_seconds=options.wall_seconds
        )
        first, lost = await _first_run(runner, replace(request, pictures=True))
        known = _Cases(cases, documented)
        verdicts = {test.nodeid: _verdict(test, known, cut_off=_is_cut_off(first)) for test in first.tests} | lost
        request = replace(request, files=tuple(path for path in tests if path not in lost))
        pictures = await asyncio.to_thread(read_pictures, workspace.folder, f"{first.folder}/{PICTURES}")
        again = replace(request, measure=(), workers=_BESIDE)
        await _repeat(runner, again, verdicts, options.repeats)
        notes: tuple[str, ...] = ()
        if refuted:
            for path, text in refuted.items():
                runner.write(path, text)
            notes = await _refute(runner, replace(again, files=tuple(refuted)), verdicts, known)
    kept = any(verdict.verdict == "kept" for verdict in verdicts.values())
    version = ".".join(map(str, project.version))
    whose = "the project's own" if project.own else "ours, because the project has none"
    return Verification(
        framework="playwright",
        contents=dict(files),
        verdicts=tuple(verdicts.values()),
        coverage=_coverage(first),
        repeats=options.repeats if kept else 0,
        notes=(f"Playwright Test {version} ran the tests: {whose}", *notes),
        sandbox=target.sandbox.kind,
        runner_version=version,
        seconds=round(time.monotonic() - began, 3),
        launches=runner.starts,
        pictures=pictures,
    )


async def _first_run(runner: Playwright, request: PlaywrightRequest) -> tuple[PlaywrightRun, dict[str, CaseVerdict]]:
    """The first run, and the files that do not load: Playwright runs no test of any file beside one of these."""
    lost: dict[str, CaseVerdict] = {}
    while True:
        run = await runner.run(request)
        found = {} if run.tests else _lost(run, request.files)
        lost |= found
        left = tuple(path for path in request.files if path not in found)
        if run.tests or not found or not left:
            return run, lost | (_lost(run, left) if left else {})
        request = replace(request, files=left)


@dataclass(frozen=True, slots=True)
class _Cases:
    """Ids of cases: all of them, where they are known, and those whose expectation is documented."""

    known: frozenset[str] = frozenset()
    documented: frozenset[str] = frozenset()

    def of(self, test: PlaywrightTest) -> str | None:
        """The case of a test: the last of its tags, for the words of its titles come before them."""
        fitting = [tag for tag in test.tags if (tag in self.known if self.known else tag.startswith("tc_"))]
        return fitting[-1] if fitting else None


def _is_cut_off(run: PlaywrightRun) -> bool:
    return any(_TIME_RAN_OUT in said for said in run.broken)


def _verdict(test: PlaywrightTest, cases: _Cases, *, cut_off: bool = False) -> CaseVerdict:
    case_id = cases.of(test)
    if test.status == "passed":
        return CaseVerdict(test.nodeid, test.path, test.name, "kept", case_id, seconds=test.seconds)
    if test.status == "timedOut" or (cut_off and test.status in _NOT_STARTED):
        line = first_line(test.message)
        reason = f"it does not come to an end: {line}" if test.status == "timedOut" else "the time of the run ran out"
        line = line if test.message else reason
        return CaseVerdict(
            test.nodeid, test.path, test.name, "timeout", case_id, "timeout", reason, line, test.message, test.seconds
        )
    documented = case_id in cases.documented
    return failed_verdict(test, test.nodeid, case_id, documented=documented, tested="application")


def _lost(first: PlaywrightRun, tests: Sequence[str]) -> dict[str, CaseVerdict]:
    """The files of which no test ran, with what Playwright says of them; those alone that it names, if it does."""
    there = {test.path for test in first.tests}
    missing = [path for path in tests if path not in there]
    named = [path for path in missing if any(path in said for said in first.broken)]
    found: dict[str, CaseVerdict] = {}
    for path in named or missing:
        said = next((one for one in first.broken if path in one), "\n".join(first.broken) or first.complaint)
        found[path] = not_loaded_verdict(path, said)
    return found


async def _repeat(
    runner: Playwright, request: PlaywrightRequest, verdicts: dict[str, CaseVerdict], repeats: int
) -> None:
    """Run again what passes; what fails once is flaky."""
    for number in range(1, repeats + 1):
        passing = _passing(verdicts)
        if not passing:
            return
        where, environment, ahead = _SURROUNDINGS[(number - 1) % len(_SURROUNDINGS)]
        run = await runner.run(replace(request, tags=_tags(passing), environment=environment, clock_seconds=ahead))
        outcomes = {test.nodeid: test for test in run.tests}
        for verdict in passing:
            test = outcomes.get(verdict.nodeid)
            if test is not None and test.status == "passed":
                verdicts[verdict.nodeid] = replace(verdict, runs=number + 1)
                continue
            if _is_cut_off(run) and (test is None or test.status in _NOT_STARTED):
                reason = f"the time of the run ran out before it had passed a second time {where}"
                verdicts[verdict.nodeid] = replace(
                    verdict, verdict="timeout", failure_class="timeout", reason=reason, message=reason, runs=number
                )
                continue
            said = test.message if test is not None else "the test was not run again"
            verdicts[verdict.nodeid] = replace(flaky_verdict(verdict, where, said), runs=number + 1)


async def _refute(
    runner: Playwright, request: PlaywrightRequest, verdicts: dict[str, CaseVerdict], cases: _Cases
) -> tuple[str, ...]:
    """Leave out tests that expect what holds as well as its opposite: they prove nothing.

    Returns:
        a note for each reason for which tests were kept without this proof.
    """
    passing = _passing(verdicts)
    if not passing:
        return ()
    # Each opposite takes time of its own, which the project's limit for a test does not know of.
    run = await runner.run(replace(request, tags=_tags(passing), own_timeout=False))
    twins = {cases.of(test): test for test in run.tests}
    unproven: dict[str, list[str]] = {}
    for verdict in passing:
        twin = twins.get(verdict.case_id) if verdict.case_id else None
        if twin is not None and _NOT_REFUTED in twin.message:
            reason = "an expectation of it proves nothing: its opposite holds as well"
            changed = replace(verdict, verdict="failed", failure_class="test_defect", reason=reason, trace=twin.message)
            verdicts[verdict.nodeid] = changed
        elif twin is not None and twin.status == "failed":
            changed = flaky_verdict(verdict, "beside the opposites of its expectations", twin.message)
            verdicts[verdict.nodeid] = replace(changed, runs=verdict.runs + 1)
        elif twin is None or twin.status != "passed":
            unproven.setdefault(_why_unproven(run, twin), []).append(verdict.name)
    return tuple(
        f"not shown to fail where the opposite of an expectation is asked for, because {why}: {', '.join(names)}"
        for why, names in unproven.items()
    )


def _why_unproven(run: PlaywrightRun, twin: PlaywrightTest | None) -> str:
    if twin is not None and twin.status == "timedOut":
        return "that took longer than a test may take"
    if _is_cut_off(run):
        return "the time of the run ran out"
    if twin is not None:
        return f"that test was {twin.status}"
    return f"that test did not run: {first_line(run.broken[0])}" if run.broken else "that test did not run"


def _passing(verdicts: Mapping[str, CaseVerdict]) -> list[CaseVerdict]:
    return [verdict for verdict in verdicts.values() if verdict.verdict == "kept"]


def _tags(verdicts: Sequence[CaseVerdict]) -> tuple[str, ...]:
    """Tags that select tests; none where one of them has no case."""
    found = tuple(verdict.case_id for verdict in verdicts if verdict.case_id)
    return found if len(found) == len(verdicts) else ()


def _coverage(first: PlaywrightRun) -> CoverageData | None:
    try:
        return coverage_from_worker(first.coverage) if first.coverage is not None else None
    except (AttributeError, KeyError, TypeError, ValueError):
        return None  # a program could have written anything there
