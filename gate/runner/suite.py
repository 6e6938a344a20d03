"""Runs generated or existing tests with the real pytest or unittest, in the sandbox, in the target's interpreter.

The project's way of calling pytest (addopts, plugins, cache) does not take part. Its conftest.py files do, because the
tests will live beside them. When pytest does not start so, the run goes on with the environment's plugins, then without
conftest, and says so. A runner that cannot start is an environment fault and never a failed test.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Coroutine, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import replace
from pathlib import Path, PurePosixPath
from typing import Any, TypeVar

from ...core.background import background_task
from ...core.errors import EnvironmentFault, TargetRunError, UsageError
from ...sandbox.protocol import Completed, Limits
from ...sandbox.target import PythonTarget, Workspace
from ...utils.benchmark_tests import uses_benchmarks
from ...utils.untrusted_files import write_file
from ..model.journal import SuiteRecord
from ..model.options import Framework, PairedRun, SuiteOptions
from ..model.project_config import pytest_settings
from ..model.results import CaseResult, SuiteResult
from .attempt import SuiteAttempt, outcomes_so_far
from .launch import Launcher, LaunchResult, PytestSetup, error_line

Files = Mapping[str, str] | Sequence[Path]
Outcomes = Mapping[str, CaseResult]
T = TypeVar("T")
LOCUSTFILE = "locustfile"
"""How the names of load tests begin."""
_NOTHING_NAME = "test_nothing_at_all.py"
_NOTHING = """import unittest


class TestNothing(unittest.TestCase):
    def test_nothing(self):
        pass
"""
_PYTEST_INTERRUPTED, _PYTEST_INTERNAL, _PYTEST_USAGE, _NOT_STARTED = 2, 3, 4, 70


class Suite:
    """Some test files in a workspace of their own, ready to be run again and again.

    All runs share the workspace, as they would share the user's working tree: a test that leaves files behind and
    fails the second time is found out.
    """

    def __init__(
        self,
        target: PythonTarget,
        workspace: Workspace,
        files: Sequence[str],
        framework: Framework,
        again: Callable[[], AbstractAsyncContextManager[Suite]],
        *,
        benchmarks: bool = False,
        own: bool = False,
    ) -> None:
        self._again = again
        self.files = tuple(files)
        self.framework: Framework = framework
        self.measures_time = benchmarks or framework == "locust"
        self.workspace = workspace
        self.sandbox_kind = target.sandbox.kind
        settings = pytest_settings(workspace.project) if framework == "pytest" else ()
        self._launcher = Launcher(target, workspace, framework, settings, benchmarks=benchmarks, own=own)
        self._manner: PytestSetup | None = None
        self._notes: list[str] = []
        self._begun: list[asyncio.Task[Any]] = []
        self.starts = 0

    async def run(self, options: SuiteOptions, *, files: Sequence[str] | None = None) -> SuiteResult:
        """Run once, starting again without a test or a file that hung or killed the process.

        Raises:
            EnvironmentFault: the runner does not start, or stopped the session for a reason of its own.
            SandboxFailure: the sandbox itself broke.
        """
        attempt = SuiteAttempt(self.launch, self.framework, self.files if files is None else files, options)
        result = await attempt.run()
        return replace(result, sandbox=self.sandbox_kind, notes=self._told(result))

    async def run_ahead(
        self,
        runs: Sequence[SuiteOptions],
        told: Callable[[SuiteResult], None] | None = None,
        *,
        two_at_once: bool = False,
    ) -> list[SuiteResult | None]:
        """Run several times with as few starts of the runner as possible: those that agree in `SuiteOptions.start`
        share one.

        Returns the result of each run that went smoothly, and None for the others: call `run` for those. The time of
        the shared starts is in no result.

        Args:
            told: called with the first result as soon as it is there, if it is no None.
            two_at_once: whether two starts may work at the same time, the second in a workspace of its own.

        Raises:
            EnvironmentFault, SandboxFailure: as `run`.
        """
        manner = self._manner or self._manners(runs[0])[0]
        results: list[SuiteResult | None] = [None] * len(runs)

        def concluded(launched: LaunchResult, options: SuiteOptions) -> SuiteResult | None:
            if _did_not_start(launched.record):
                return None
            result = SuiteAttempt(self.launch, self.framework, self.files, options).conclude(launched)
            return result and replace(result, sandbox=self.sandbox_kind, notes=self._told(result))

        def early(launched: LaunchResult) -> None:
            result = concluded(launched, runs[0])
            if result is not None and told is not None:
                told(result)

        async def share(launcher: Launcher, places: Sequence[int]) -> None:
            chosen = [runs[place] for place in places]
            wall = sum(options.wall_seconds for options in chosen)
            many = await launcher.launch_all(
                self.files, chosen, manner=manner, wall_seconds=wall, told=early if told and 0 in places else None
            )
            for place, launched in zip(places, many, strict=True):
                results[place] = concluded(launched, runs[place])
            self.starts += 1

        async def elsewhere(places: Sequence[int]) -> None:
            async with self.fresh() as suite:
                await share(suite._launcher, places)

        starts = dict.fromkeys(options.start for options in runs)
        left = [[place for place, options in enumerate(runs) if options.start == start] for start in starts]
        while left:
            first, *left = left
            if not (two_at_once and left):
                await share(self._launcher, first)
                continue
            async with background_task(elsewhere(left.pop(0))) as other:
                await share(self._launcher, first)
                await other
        return results

    @asynccontextmanager
    async def fresh(self) -> AsyncIterator[Suite]:
        """The same suite in a workspace where nothing has run yet. Raises as `open_suite`."""
        async with self._again() as suite:
            suite._manner = self._manner
            yield suite
        self.starts += suite.starts

    async def run_pairs(
        self, holding: Sequence[str], visiting: Sequence[str], things: Sequence[str], options: SuiteOptions
    ) -> list[Outcomes]:
        """Run two columns of tests at the same time, taking turns at `things`, once for each moment; see `PairedRun`.

        A test that ends its process, or does not come to an end, has failed; those behind it have no outcome.

        Returns:
            The outcomes by node id: of holder and visitor, for each moment.

        Raises:
            SandboxFailure: the sandbox itself broke.
        """
        runs = []
        for moment in ("taken", "again"):
            runs.append(replace(options, select=tuple(holding), pair=PairedRun("holder", tuple(things), moment)))
            runs.append(replace(options, select=tuple(visiting), pair=PairedRun("visitor")))
        manner = self._manner or self._manners(options)[0]
        self.starts += 1
        wall = len(runs) * options.wall_seconds
        launched = await self._launcher.launch_all(self.files, runs, manner=manner, wall_seconds=wall)
        return [outcomes_so_far(run, options.test_seconds) for run in launched]

    async def launch(self, files: Sequence[str], options: SuiteOptions, wall_seconds: float) -> LaunchResult:
        """One process, in the first manner in which the runner starts; the manner is kept for later launches."""
        manners = [self._manner] if self._manner else self._manners(options)
        first: LaunchResult | None = None
        for manner in manners:
            self.starts += 1
            launched = await self._launcher.launch(files, options, manner=manner, wall_seconds=wall_seconds)
            if not _did_not_start(launched.record):
                self._settle(manner, first)
                return launched
            first = first or launched
        assert first is not None
        if await self._starts_with_nothing(files, options, manners):
            raise TargetRunError(
                f"the tests, or the code they call, keep {self.framework} from reporting: {error_line(first)}",
                advice="look at what the module does when it is imported",
                details={"output": first.record.broken or first.complaint, "exit_code": first.record.code},
            )
        raise EnvironmentFault(
            f"{self.framework} could not run in the target's environment: {error_line(first)}",
            advice=f"run the project's own tests with {self.framework} in the same environment and repair what it says",
            details={"output": first.record.broken or first.complaint, "exit_code": first.record.code},
        )

    async def _starts_with_nothing(
        self, files: Sequence[str], options: SuiteOptions, manners: Sequence[PytestSetup]
    ) -> bool:
        """Whether the runner starts with an empty test in place of these files: then they, not the machine, stop it."""
        place = PurePosixPath(files[0]).with_name(_NOTHING_NAME) if files else PurePosixPath(_NOTHING_NAME)
        await asyncio.to_thread(_write_files, self.workspace.project, {str(place): _NOTHING})
        chosen = replace(options, select=None, measure=(), pair=None)
        try:
            for manner in manners:
                self.starts += 1
                launched = await self._launcher.launch([str(place)], chosen, manner=manner, wall_seconds=60)
                if not _did_not_start(launched.record):
                    return True
        finally:
            await asyncio.to_thread((self.workspace.project / place).unlink, missing_ok=True)
        return False

    async def work(
        self,
        script: str,
        options: SuiteOptions,
        more: Mapping[str, Any],
        limits: Limits,
        plan: Callable[[], Coroutine[Any, Any, Mapping[str, Any]]] | None = None,
    ) -> tuple[list[dict[str, Any]], Completed]:
        """Run another worker on the suite's files, in the manner in which the runner starts; see `Launcher.work`."""
        manner = self._manner or self._manners(options)[0]
        self.starts += 1
        return await self._launcher.work(script, self.files, options, more, manner=manner, limits=limits, plan=plan)

    def _told(self, result: SuiteResult) -> tuple[str, ...]:
        return (*self._notes, *self._launcher.notes, *result.notes)

    @property
    def starts_as_usual(self) -> bool:
        """Whether the runner starts in the first manner that is tried, as far as it was started."""
        return not self._notes

    def begin(self, work: Coroutine[Any, Any, T]) -> asyncio.Task[T]:
        """Let something go on in the workspace meanwhile; what has not ended when the suite is left is broken off."""
        task = asyncio.create_task(work)
        task.add_done_callback(lambda done: done.cancelled() or done.exception())  # asked for, or of no interest
        self._begun.append(task)
        return task

    async def end(self) -> None:
        """Break off what has not ended; called on leaving."""
        left = [task for task in self._begun if not task.done()]
        for task in left:
            task.cancel()
        if left:
            await asyncio.wait(left)

    def _settle(self, manner: PytestSetup, first: LaunchResult | None) -> None:
        self._manner = manner
        if first is None:
            return
        if not manner.conftest:
            how = "without the project's conftest.py and pytest settings"
        else:
            how = "with the environment's pytest plugins" if manner.plugins else "without the environment's plugins"
        self._notes.append(f"the tests ran {how}, because pytest did not start otherwise: {error_line(first)}")

    def _manners(self, options: SuiteOptions) -> list[PytestSetup]:
        if self.framework != "pytest":
            return [PytestSetup()]
        if options.project_plugins:
            return [PytestSetup(plugins=True), PytestSetup(), PytestSetup(conftest=False, settings=False)]
        return [PytestSetup(), PytestSetup(plugins=True), PytestSetup(conftest=False, settings=False)]


@asynccontextmanager
async def open_suite(target: PythonTarget, files: Files, framework: Framework) -> AsyncIterator[Suite]:
    """A suite in a fresh workspace, deleted on leaving.

    Args:
        files: contents by POSIX path relative to the project (written into the workspace; conftest.py files may be
            among them), or paths of files that the project has.

    Raises:
        UsageError: a path is absolute or leads out of the project, or a file of the project does not exist.
        InterpreterError: the files use pytest-benchmark, which cannot be provided.
    """
    paths = [_relative(str(path)) for path in files]
    # A conftest is there for the tests around it; pytest finds it by itself.
    tests = [path for path in paths if PurePosixPath(path).name != "conftest.py"]
    if framework == "locust":
        # Their helpers lie beside them.
        tests = [path for path in tests if PurePosixPath(path).name.startswith(LOCUSTFILE)]
    benchmarks = isinstance(files, Mapping) and framework == "pytest" and any(map(uses_benchmarks, files.values()))
    target = await target.with_benchmark_tools() if benchmarks else target
    target = await target.with_load_tools() if framework == "locust" else target
    async with target.workspace() as workspace:
        if isinstance(files, Mapping):
            await asyncio.to_thread(_write_files, workspace.project, files)
        absent = [path for path in paths if not (workspace.project / path).exists()]
        if absent:
            raise UsageError(f"there is no test file {absent[0]} in the project")
        own = not isinstance(files, Mapping)
        again = lambda: open_suite(target, files, framework)  # noqa: E731
        suite = Suite(target, workspace, tests, framework, again, benchmarks=benchmarks, own=own)
        try:
            yield suite
        finally:
            await suite.end()


async def run_suite(
    target: PythonTarget, files: Files, *, framework: Framework, options: SuiteOptions | None = None
) -> SuiteResult:
    """Run test files once, in a fresh workspace. Raises as `open_suite` and `Suite.run`."""
    async with open_suite(target, files, framework) as suite:
        return await suite.run(options or SuiteOptions())


def _write_files(project: Path, files: Mapping[str, str]) -> None:
    root = project.resolve()
    for path, contents in files.items():
        parent = (root / path).parent.resolve()
        # The project may have links; what we write must stay in its copy.
        if not parent.is_relative_to(root):
            raise UsageError(f"{path} leads out of the project through a symbolic link")
        write_file(root, (parent.relative_to(root) / PurePosixPath(path).name).as_posix(), contents)


def _relative(path: str) -> str:
    pure = PurePosixPath(path)
    if pure.is_absolute() or ".." in pure.parts or not pure.parts:
        raise UsageError(f"a test file must lie in the project, not at {path!r}")
    return pure.as_posix()


def _did_not_start(record: SuiteRecord) -> bool:
    if record.tests or record.running:
        return False
    if record.collected or record.collect_errors:
        return bool(record.broken)
    return bool(record.broken) or record.code in (_PYTEST_INTERRUPTED, _PYTEST_INTERNAL, _PYTEST_USAGE, _NOT_STARTED)
