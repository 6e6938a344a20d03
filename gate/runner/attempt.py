"""Runs a suite to its end although some of its tests or files hang or kill the process, which are left out."""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace

from ...core.errors import TargetRunError
from ..model.coverage_data import CoverageData
from ..model.journal import SuiteRecord
from ..model.options import Framework, SuiteOptions
from ..model.results import CaseResult, CollectError, Failure, Outcome, SuiteResult
from .launch import LaunchResult, error_line

Launch = Callable[[Sequence[str], SuiteOptions, float], Awaitable[LaunchResult]]


class SuiteAttempt:
    """One run with its restarts.

    Args:
        launch: runs files once, in one process, within some seconds.
    """

    def __init__(self, launch: Launch, framework: Framework, files: Sequence[str], options: SuiteOptions) -> None:
        self._launch = launch
        self._framework = framework
        self._options = options
        self._files = list(files)
        self._excluded: list[str] = []
        self._casualties: list[CaseResult] = []
        self._lost: list[CollectError] = []
        self._case_ids: dict[str, str | None] = {}
        self._launches = 0
        self._began = time.monotonic()

    async def run(self) -> SuiteResult:
        """Launch until the runner comes to its end, or there is no point in going on; see `Suite.run`."""
        while True:
            self._launches += 1
            options = replace(self._options, exclude=(*self._options.exclude, *self._excluded))
            left = max(1.0, self._options.wall_seconds - (time.monotonic() - self._began))
            launched = await self._launch(self._files, options, left)
            result = self.conclude(launched)
            if result is not None:
                return result
            if not self._blame(launched):
                return self._result(launched, self._cut_off(launched.record))

    def conclude(self, launched: LaunchResult) -> SuiteResult | None:
        """The result of a launch that came to its end in good order, else None."""
        record = launched.record
        self._case_ids.update(record.case_ids)
        if record.code is None or record.running is not None or record.broken:
            return None
        return self._result(launched, self._unrun(record))

    def _blame(self, launched: LaunchResult) -> bool:
        """Find the test or file that ended the process and leave it out; False when there is no point in going on."""
        record, ending = launched.record, launched.completed.ending
        out_of_time = ending == "wall_clock"
        for test in record.tests if not out_of_time else ():
            if test.outcome == "timeout":  # It would take its whole time again.
                self._casualties.append(test)
                self._excluded.append(test.nodeid)
        if record.running is not None:
            self._casualties.append(_casualty(record.running, launched, self._options.test_seconds))
            self._excluded.append(record.running)
        elif record.broken and record.tests:
            # The runner broke between two tests: whatever the last one left behind did it.
            last = record.tests[-1].nodeid
            failure = Failure("ProcessEnded", f"{self._framework} broke after it: {error_line(launched)}")
            self._casualties.append(_bare(last, "crashed", failure))
            self._excluded.append(last)
        elif record.collecting is not None and record.collected is None:
            self._lost.append(_lost(record.collecting, launched))
            self._files = [path for path in self._files if path != record.collecting]
        elif not out_of_time:
            raise TargetRunError(
                f"the test run ended by itself ({_how(launched)}): {error_line(launched)}",
                advice="raise the sandbox's memory or time limits, or look at what the project does at exit",
                details={"output": launched.complaint},
            )
        return not out_of_time and self._launches <= self._options.restarts and bool(self._files)

    def _unrun(self, record: SuiteRecord) -> list[CaseResult]:
        """Tests that were collected and not run although the runner came to its end: their class's fixture failed."""
        results = []
        for nodeid in record.not_run:
            names = nodeid.split("::")[1:-1]
            fixture = next((entry for entry in record.fixtures if names and names[0] in entry[0]), None)
            fixture = fixture or next(iter(record.fixtures), None)
            if fixture is None:
                results.append(_bare(nodeid, "not_run", Failure("NotRun", "the session was stopped before it")))
                continue
            _, skipped, failure, trace = fixture
            results.append(_bare(nodeid, "skipped" if skipped else "error", failure, phase="setup", trace=trace))
        return results

    def _cut_off(self, record: SuiteRecord) -> list[CaseResult]:
        blamed = {result.nodeid for result in self._casualties}
        text = f"the run was ended after {self._launches} starts and {self._options.wall_seconds:g} s at most"
        return [_bare(nodeid, "not_run", Failure("NotRun", text)) for nodeid in record.not_run if nodeid not in blamed]

    def _result(self, launched: LaunchResult, more: list[CaseResult]) -> SuiteResult:
        record = launched.record
        moved = () if record.clock_moved else ("the clock could be moved only in part in this interpreter",)
        blamed = {test.nodeid for test in self._casualties}
        cases = self._case_ids
        return SuiteResult(
            framework=self._framework,
            tests=(
                *(test for test in record.tests if test.nodeid not in blamed),
                *(replace(test, case_id=cases.get(test.nodeid)) for test in [*more, *self._casualties]),
            ),
            collect_errors=(*record.collect_errors, *self._lost),
            coverage=launched.coverage if launched.coverage is not None else self._no_coverage(),
            notes=moved,
            runner_version=record.version,
            seconds=round(time.monotonic() - self._began, 3),
            launches=self._launches,
            locale=record.locale,
            encoding=record.encoding,
            acts_outside_tests=tuple(record.acts_outside_tests),
            pictures=launched.pictures,
        )

    def _no_coverage(self) -> CoverageData | None:
        return CoverageData() if self._options.measure else None


def outcomes_so_far(launched: LaunchResult, test_seconds: float) -> dict[str, CaseResult]:
    """What is known of each test of a launch, by node id, also when it did not get to its end."""
    record = launched.record
    found = {test.nodeid: test for test in record.tests}
    if record.running is not None:
        found[record.running] = _casualty(record.running, launched, test_seconds)
    elif record.code is not None:
        broken = [fixture for fixture in record.fixtures if not fixture[1]]
        for nodeid in record.not_run if broken else ():
            found[nodeid] = _bare(nodeid, "error", broken[0][2], phase="setup", trace=broken[0][3])
    return found


def _casualty(nodeid: str, launched: LaunchResult, test_seconds: float) -> CaseResult:
    completed = launched.completed
    if completed.ending == "wall_clock" or b"Timeout (" in completed.stderr:
        failure = Failure("TestTimedOut", f"the test ran longer than {test_seconds:g} s and could not be interrupted")
        return _bare(nodeid, "timeout", failure)
    failure = Failure("ProcessEnded", f"the test ended the whole process ({_how(launched)})")
    return _bare(nodeid, "crashed", failure, trace=launched.complaint[-1000:])


def _lost(path: str, launched: LaunchResult) -> CollectError:
    if launched.completed.ending == "wall_clock" or b"Timeout (" in launched.completed.stderr:
        return CollectError(path, Failure("TestTimedOut", "importing the file did not come to an end"))
    failure = Failure("ProcessEnded", f"importing the file ended the whole process ({_how(launched)})")
    return CollectError(path, failure, launched.complaint[-1000:])


def _bare(nodeid: str, outcome: Outcome, failure: Failure, *, phase: str = "call", trace: str = "") -> CaseResult:
    path, _, rest = nodeid.partition("::")
    name = rest.rpartition("::")[2]
    return CaseResult(nodeid, path, name, outcome, None, phase, 0.0, failure, trace)


def _how(launched: LaunchResult) -> str:
    completed = launched.completed
    if completed.ending == "exited":
        return f"exit code {completed.exit_code}"
    return {"signalled": f"signal {-completed.exit_code}", "output_limit": "too much output"}.get(
        completed.ending, "out of time"
    )
