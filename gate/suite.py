"""Running generated or existing tests with the real pytest or unittest, in the sandbox, in the target's interpreter.

The project's way of calling pytest (addopts, plugins, cache) does not take part. Its conftest.py files do, because the
tests will live beside them. When pytest does not start so, the run goes on with the environment's plugins, then without
conftest, and says so. A runner that cannot start is an environment fault and never a failed test (B-07).
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path, PurePosixPath

from ..errors import EnvironmentFault, UsageError
from ..sandbox.target import PythonTarget, Workspace
from .coverage_data import CoverageData
from .journal import Record
from .launch import Launched, Launcher, Manner
from .options import Framework, SuiteOptions
from .project_config import pytest_settings
from .results import CaseResult, CollectError, Failure, SuiteResult

Files = Mapping[str, str] | Sequence[Path]
_PYTEST_INTERRUPTED, _PYTEST_INTERNAL, _PYTEST_USAGE, _NOT_STARTED = 2, 3, 4, 70


class Suite:
    """Some test files in a workspace of their own, ready to be run again and again.

    All runs share the workspace, as they would share the user's working tree: a test that leaves files behind and
    fails the second time is found out.
    """

    def __init__(self, target: PythonTarget, workspace: Workspace, files: Sequence[str], framework: Framework) -> None:
        self.files = tuple(files)
        self.framework: Framework = framework
        self.workspace = workspace
        self.sandbox_kind = target.sandbox.kind
        settings = pytest_settings(workspace.project) if framework == "pytest" else ()
        self._launcher = Launcher(target, workspace, framework, settings)
        self._manner: Manner | None = None
        self._notes: list[str] = []

    async def run(self, options: SuiteOptions, *, files: Sequence[str] | None = None) -> SuiteResult:
        """Run once, starting again without a test or a file that hung or killed the process.

        Raises:
            EnvironmentFault: the runner does not start, or stopped the session for a reason of its own.
            SandboxFailure: the sandbox itself broke.
        """
        attempt = _Attempt(self, options, self.files if files is None else tuple(files))
        return await attempt.run()

    async def launch(self, files: Sequence[str], options: SuiteOptions, wall_seconds: float) -> Launched:
        """One process, in the first manner in which the runner starts; the manner is kept for later launches."""
        manners = [self._manner] if self._manner else self._manners(options)
        first: Launched | None = None
        for manner in manners:
            launched = await self._launcher.launch(files, options, manner=manner, wall_seconds=wall_seconds)
            if not _did_not_start(launched.record):
                self._settle(manner, first)
                return launched
            first = first or launched
        assert first is not None
        raise EnvironmentFault(
            f"{self.framework} could not run in the target's environment: {_last_line(first)}",
            advice=f"run the project's own tests with {self.framework} in the same environment and repair what it says",
            details={"output": first.record.broken or first.complaint, "exit_code": first.record.code},
        )

    @property
    def notes(self) -> tuple[str, ...]:
        """What a reader must know about how the runs were set up."""
        return tuple(self._notes)

    def _settle(self, manner: Manner, first: Launched | None) -> None:
        self._manner = manner
        if first is None:
            return
        if not manner.conftest:
            how = "without the project's conftest.py and pytest settings"
        else:
            how = "with the environment's pytest plugins" if manner.plugins else "without the environment's plugins"
        self._notes.append(f"the tests ran {how}, because pytest did not start otherwise: {_last_line(first)}")

    def _manners(self, options: SuiteOptions) -> list[Manner]:
        if self.framework == "unittest":
            return [Manner()]
        if options.project_plugins:
            return [Manner(plugins=True), Manner(), Manner(conftest=False, settings=False)]
        return [Manner(), Manner(plugins=True), Manner(conftest=False, settings=False)]


class _Attempt:
    """One run with its restarts."""

    def __init__(self, suite: Suite, options: SuiteOptions, files: tuple[str, ...]) -> None:
        self._suite = suite
        self._options = options
        self._files = list(files)
        self._excluded: list[str] = []
        self._casualties: list[CaseResult] = []
        self._lost: list[CollectError] = []
        self._case_ids: dict[str, str | None] = {}
        self._launches = 0
        self._began = time.monotonic()

    async def run(self) -> SuiteResult:
        while True:
            launched = await self._launch()
            record = launched.record
            self._case_ids.update(record.case_ids)
            if record.code is not None and record.running is None:
                return self._result(launched, self._unrun(record))
            if not self._blame(launched):
                return self._result(launched, self._cut_off(record))

    async def _launch(self) -> Launched:
        self._launches += 1
        options = _without(self._options, self._excluded)
        left = max(1.0, self._options.wall_seconds - (time.monotonic() - self._began))
        return await self._suite.launch(self._files, options, left)

    def _blame(self, launched: Launched) -> bool:
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
        elif record.collecting is not None and record.collected is None:
            self._lost.append(_lost(record.collecting, launched))
            self._files = [path for path in self._files if path != record.collecting]
        elif not out_of_time:
            raise EnvironmentFault(
                f"the test run ended by itself ({_how(launched)}): {_last_line(launched)}",
                advice="raise the sandbox's memory or time limits, or look at what the project does at exit",
                details={"output": launched.complaint},
            )
        return not out_of_time and self._launches <= self._options.restarts and bool(self._files)

    def _unrun(self, record: Record) -> list[CaseResult]:
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

    def _cut_off(self, record: Record) -> list[CaseResult]:
        blamed = {result.nodeid for result in self._casualties}
        text = f"the run was ended after {self._launches} starts and {self._options.wall_seconds:g} s at most"
        return [_bare(nodeid, "not_run", Failure("NotRun", text)) for nodeid in record.not_run if nodeid not in blamed]

    def _result(self, launched: Launched, more: list[CaseResult]) -> SuiteResult:
        record = launched.record
        notes = list(self._suite.notes)
        if not record.clock_moved:
            notes.append("the clock could be moved only in part in this interpreter")
        cases = self._case_ids
        return SuiteResult(
            framework=self._suite.framework,
            tests=(
                *record.tests,
                *(replace(test, case_id=cases.get(test.nodeid)) for test in [*more, *self._casualties]),
            ),
            collect_errors=(*record.collect_errors, *self._lost),
            coverage=launched.coverage if launched.coverage is not None else self._no_coverage(),
            notes=tuple(notes),
            sandbox=self._suite.sandbox_kind,
            runner_version=record.version,
            seconds=round(time.monotonic() - self._began, 3),
            launches=self._launches,
        )

    def _no_coverage(self) -> CoverageData | None:
        return CoverageData() if self._options.measure else None


@asynccontextmanager
async def open_suite(target: PythonTarget, files: Files, framework: Framework) -> AsyncIterator[Suite]:
    """A suite in a fresh workspace, deleted on leaving.

    Args:
        files: contents by POSIX path relative to the project (written into the workspace; conftest.py files may be
            among them), or paths of files that the project has.

    Raises:
        UsageError: a path is absolute or leads out of the project, or a file of the project does not exist.
    """
    paths = [_relative(str(path)) for path in files]
    # A conftest is there for the tests around it; pytest finds it by itself.
    tests = [path for path in paths if PurePosixPath(path).name != "conftest.py"]
    async with target.workspace() as workspace:
        if isinstance(files, Mapping):
            await asyncio.to_thread(_write_files, workspace.project, files)
        absent = [path for path in paths if not (workspace.project / path).exists()]
        if absent:
            raise UsageError(f"there is no test file {absent[0]} in the project")
        yield Suite(target, workspace, tests, framework)


async def run_suite(
    target: PythonTarget, files: Files, *, framework: Framework, options: SuiteOptions | None = None
) -> SuiteResult:
    """Run test files once, in a fresh workspace (T-11). Raises as `open_suite` and `Suite.run`."""
    async with open_suite(target, files, framework) as suite:
        return await suite.run(options or SuiteOptions())


def _write_files(project: Path, files: Mapping[str, str]) -> None:
    for path, contents in files.items():
        place = project / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(contents, encoding="utf-8")


def _relative(path: str) -> str:
    pure = PurePosixPath(path)
    if pure.is_absolute() or ".." in pure.parts or not pure.parts:
        raise UsageError(f"a test file must lie in the project, not at {path!r}")
    return pure.as_posix()


def _without(options: SuiteOptions, excluded: Sequence[str]) -> SuiteOptions:
    return replace(options, exclude=(*options.exclude, *excluded))


def _did_not_start(record: Record) -> bool:
    if record.tests or record.running or record.collected or record.collect_errors:
        return bool(record.broken) and record.running is None
    return bool(record.broken) or record.code in (_PYTEST_INTERRUPTED, _PYTEST_INTERNAL, _PYTEST_USAGE, _NOT_STARTED)


def _casualty(nodeid: str, launched: Launched, test_seconds: float) -> CaseResult:
    completed = launched.completed
    if completed.ending == "wall_clock" or b"Timeout (" in completed.stderr:
        failure = Failure("TestTimedOut", f"the test ran longer than {test_seconds:g} s and could not be interrupted")
        return _bare(nodeid, "timeout", failure)
    failure = Failure("ProcessEnded", f"the test ended the whole process ({_how(launched)})")
    return _bare(nodeid, "crashed", failure, trace=launched.complaint[-1000:])


def _lost(path: str, launched: Launched) -> CollectError:
    if launched.completed.ending == "wall_clock" or b"Timeout (" in launched.completed.stderr:
        return CollectError(path, Failure("TestTimedOut", "importing the file did not come to an end"))
    failure = Failure("ProcessEnded", f"importing the file ended the whole process ({_how(launched)})")
    return CollectError(path, failure, launched.complaint[-1000:])


def _bare(nodeid: str, outcome: str, failure: Failure, *, phase: str = "call", trace: str = "") -> CaseResult:
    path, _, rest = nodeid.partition("::")
    name = rest.rpartition("::")[2]
    return CaseResult(nodeid, path, name, outcome, None, phase, 0.0, failure, trace)  # type: ignore[arg-type]


def _how(launched: Launched) -> str:
    completed = launched.completed
    if completed.ending == "exited":
        return f"exit code {completed.exit_code}"
    return {"signalled": f"signal {-completed.exit_code}", "output_limit": "too much output"}.get(
        completed.ending, "out of time"
    )


def _last_line(launched: Launched) -> str:
    text = (launched.record.broken or launched.complaint).strip()
    return text.splitlines()[-1].strip() if text else "it printed nothing"
