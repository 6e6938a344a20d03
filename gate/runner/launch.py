"""Launches pytest or unittest once in the sandbox: writes the request, runs the process, reads the record."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Callable, Coroutine, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from ...core.background import background_task
from ...core.errors import TargetRunError
from ...sandbox.protocol import Completed, Limits, Program
from ...sandbox.target import PythonTarget, Workspace
from ...sandbox.worker_files import worker_arguments
from ...utils.untrusted_files import read_json, write_file
from ..model.coverage_data import CoverageData, coverage_from_worker
from ..model.journal import SuiteRecord, read_facts, read_record, scrubber
from ..model.options import Framework, SuiteOptions
from ..model.project_config import Settings, configuration
from .browser import PICTURES, RunNeeds, needs_of, read_pictures

COLLECT_SECONDS = 60.0
READY_SECONDS = 900.0
_NAMES_TROUBLE = re.compile(r"(ERROR: |[\w.]*(Error|Exception|Warning)\b)")
_LINE = 300
_LOOK_SECONDS = 0.01
# Plugins that would change the order, the process or the timing of tests, or measure coverage a second time, or report
# to a server: that of LangSmith comes along wherever testwright is installed, and takes longer to load than pytest.
UNWANTED_PLUGINS = (
    "xdist",
    "xdist.looponfail",
    "pytest_cov",
    "randomly",
    "random_order",
    "rerunfailures",
    "timeout",
    "sugar",
    "forked",
    "langsmith_plugin",
)


BENCHMARK = "benchmark"
"""The plugin that only performance tests get: it is unwanted elsewhere."""


@dataclass(frozen=True, slots=True)
class PytestSetup:
    """How pytest is set up for a launch; the gate goes from the most faithful manner to the most guarded.

    Attributes:
        conftest: load the project's conftest.py files, as they will be loaded where the tests will live.
        plugins: let pytest load the plugins installed in the target's environment.
        settings: take over those of the project's pytest settings that decide over passing.
    """

    conftest: bool = True
    plugins: bool = False
    settings: bool = True


@dataclass(frozen=True, slots=True)
class LaunchResult:
    """What one launch gave; `complaint` is the end of what the process printed, for error messages."""

    record: SuiteRecord
    completed: Completed
    coverage: CoverageData | None
    complaint: str
    pictures: Mapping[str, bytes] = field(default_factory=dict)


class Launcher:
    """Launches runs of one set of files in one workspace.

    Args:
        settings: the project's own for pytest.
        own: whether the files are the project's own.
        benchmarks: whether the files use the fixture of pytest-benchmark.
    """

    def __init__(
        self,
        target: PythonTarget,
        workspace: Workspace,
        framework: Framework,
        settings: Settings = (),
        *,
        benchmarks: bool = False,
        own: bool = False,
    ) -> None:
        self._own = own
        self.notes: tuple[str, ...] = ()
        self._benchmarks = benchmarks
        self._unwanted = UNWANTED_PLUGINS if benchmarks else (*UNWANTED_PLUGINS, BENCHMARK)
        self._target = target
        self._workspace = workspace
        self._framework = framework
        self._settings = settings
        self._project = workspace.project.resolve()
        self._count = 0
        self.scrub = scrubber(self._project, workspace.scratch.resolve())

    async def launch(
        self,
        files: Sequence[str],
        options: SuiteOptions,
        *,
        manner: PytestSetup,
        wall_seconds: float,
    ) -> LaunchResult:
        """Run once. Raises SandboxFailure when the sandbox breaks, TargetRunError when results cannot be read."""
        return (await self.launch_all(files, [options], manner=manner, wall_seconds=wall_seconds))[0]

    async def launch_all(
        self,
        files: Sequence[str],
        runs: Sequence[SuiteOptions],
        *,
        manner: PytestSetup,
        wall_seconds: float,
        told: Callable[[LaunchResult], None] | None = None,
    ) -> list[LaunchResult]:
        """Several runs under one start of the runner, each in a fork that has not met the project. Raises as `launch`.

        Args:
            runs: they agree in `SuiteOptions.start`; a holder is followed by its visitor, and both run at once. A run
                that did not get to its end has a record without a code.
            wall_seconds: for all of them together.
            told: called with the first one as soon as it has come to its end, while the others still run.
        """
        folders = [await asyncio.to_thread(self._new_folder) for _ in runs]
        needs = await needs_of(self._target, self._project, files, own=self._own)
        self.notes = (needs.note,) if needs.note else ()
        for folder, options in zip(folders, runs, strict=True):
            seconds = wall_seconds / len(runs)
            # A trace takes time: the run that measures is the first one, whose failures a person looks into.
            plugins = needs.arguments(folder, loaded=manner.plugins, traced=bool(options.measure))
            await asyncio.to_thread(self._write_request, folder, files, options, manner, seconds, plugins=plugins)
        program = self._program(folders, runs[0], manner, wall_seconds, needs=needs)
        async with background_task(self._target.sandbox.run(program)) as run:
            if told is not None and await _appears(folders[0] / "ended", run):
                ended = Completed(0, b"", b"", 0.0, "exited")
                told(await asyncio.to_thread(self._read, folders[0], ended, bool(runs[0].measure)))
            completed = await run
        return [
            await asyncio.to_thread(self._read, folder, completed, bool(options.measure))
            for folder, options in zip(folders, runs, strict=True)
        ]

    async def work(
        self,
        module: str,
        files: Sequence[str],
        options: SuiteOptions,
        more: Mapping[str, Any],
        *,
        manner: PytestSetup,
        limits: Limits,
        plan: Callable[[], Coroutine[Any, Any, Mapping[str, Any]]] | None = None,
    ) -> tuple[list[dict[str, Any]], Completed]:
        """Run another of our workers on the same files, in the same manner: the facts it wrote, and how it ended.

        Args:
            module: its name, relative to the worker's folder.
            more: added to the request.
            plan: finds more of it, once the worker has been started, and is told to it when it is there; the worker
                makes itself ready meanwhile, which may take `READY_SECONDS` and does not count as its time.

        Raises:
            SandboxFailure: the sandbox broke.
            TargetRunError: the facts cannot be read.
        """
        folder = await asyncio.to_thread(self._new_folder)
        plan_file = self._requests(folder) / "plan.json"
        writable = [self._project, self._workspace.scratch.resolve(), *self._own_places()]
        more = {**more, "framework": self._framework, "scratch": str(folder), "plan": str(plan_file)}
        more["places"] = [str(one) for one in writable]
        await asyncio.to_thread(self._write_request, folder, files, options, manner, limits.wall_seconds, more)
        program = self._program([folder], options, manner, limits.wall_seconds, module)
        ready = 0.0 if plan is None else READY_SECONDS
        whole = replace(limits, wall_seconds=limits.wall_seconds + ready)
        async with background_task(self._target.sandbox.run(replace(program, limits=whole))) as run:
            if plan is not None:
                async with background_task(plan()) as awaited:
                    await asyncio.wait((run, awaited), return_when=asyncio.FIRST_COMPLETED)
                    if awaited.done():
                        await asyncio.to_thread(self._give, folder, plan_file.name, json.dumps(awaited.result()))
                await asyncio.wait((run,), timeout=limits.wall_seconds)
            out_of_time = Completed(-9, b"", b"", limits.wall_seconds, "wall_clock")
            completed = await run if plan is None or run.done() else out_of_time
        return await asyncio.to_thread(self._facts, folder), completed

    def _own_places(self) -> tuple[Path, ...]:
        """Where a program may write besides its workspace: folders of its own in a sandbox of namespaces."""
        return (Path("/tmp"), Path("/dev/shm")) if self._target.sandbox.kind == "bubblewrap" else ()

    def _program(
        self,
        folders: Sequence[Path],
        options: SuiteOptions,
        manner: PytestSetup,
        wall_seconds: float,
        module: str = "",
        needs: RunNeeds | None = None,
    ) -> Program:
        needs = needs or RunNeeds()
        environment = {**options.environment(), **needs.environment}
        # The copy of the project may hold bytecode: the next launch in this workspace starts faster for it.
        environment["PYTHONDONTWRITEBYTECODE"] = ""
        if not manner.plugins:
            environment["PYTEST_DISABLE_PLUGIN_AUTOLOAD"] = "1"
        requests = [str(self._requests(folder) / "request.json") for folder in folders]
        return self._workspace.program(
            worker_arguments(module or f"suites.run_{self._framework}", *requests),
            environment=environment,
            limits=replace(needs.limits, wall_seconds=wall_seconds),
            overlay=needs.overlay,
            readable=needs.readable,
            opens_site=needs.browser,
        )

    def _new_folder(self) -> Path:
        while True:
            self._count += 1
            folder = self._workspace.scratch / f"gate-{self._count}"
            try:
                folder.mkdir()
            except FileExistsError:  # Code under test may write beside us; whatever it made is not ours to use.
                continue
            return folder

    def _requests(self, folder: Path) -> Path:
        """Where what a launch is given lies; its program cannot write there."""
        return self._workspace.requests / folder.name

    def _give(self, folder: Path, name: str, text: str) -> None:
        write_file(self._workspace.folder, f"{self._workspace.requests.name}/{folder.name}/{name}", text)

    def _result_file(self, folder: Path, name: str) -> str:
        """A file that the program wrote, by its path below the workspace's folder."""
        return f"{self._workspace.scratch.name}/{folder.name}/{name}"

    def _facts(self, folder: Path) -> list[dict[str, Any]]:
        try:
            return read_facts(self._workspace.folder, self._result_file(folder, "results.jsonl"))
        except OSError as fault:
            raise TargetRunError(
                f"the worker's results could not be read: {fault.strerror or fault}",
                advice="look at what the tests write and remove: they, or the code they call, changed that file",
            ) from fault

    def _write_request(
        self,
        folder: Path,
        files: Sequence[str],
        options: SuiteOptions,
        manner: PytestSetup,
        wall_seconds: float,
        more: Mapping[str, Any] | None = None,
        plugins: Sequence[str] = (),
    ) -> None:
        ini = self._requests(folder) / "pytest.ini"
        settings = self._settings if manner.settings else ()
        text = configuration(settings, self._project, complete=manner.plugins, unwanted=self._unwanted)
        self._give(folder, ini.name, text)
        request = {
            "project": str(self._project),
            "results": str(folder / "results.jsonl"),
            "coverage": str(folder / "coverage.json"),
            "files": list(files),
            "imports": list(options.imports),
            "arguments": [*self._arguments(ini, folder / "tmp", manner), *plugins],
            "order": options.order(),
            "measure": list(options.measure),
            **options.surroundings(),
            "test_seconds": options.test_seconds,
            "grace_seconds": options.grace_seconds,
            "load_seconds": options.load_seconds,
            "collect_seconds": COLLECT_SECONDS,
            # Stopping between two tests before the wall clock strikes keeps what was measured.
            "stop_after": 0.8 * wall_seconds,
            **(more or {}),
        }
        self._give(folder, "request.json", json.dumps(request))

    def _arguments(self, ini: Path, basetemp: Path, manner: PytestSetup) -> list[str]:
        arguments = ["-q", "--tb=short", "--show-capture=no", "--continue-on-collection-errors"]
        arguments += ["-p", "no:cacheprovider", "-p", "no:faulthandler"]
        arguments += ["-c", str(ini), "--rootdir", str(self._project), "--confcutdir", str(self._project)]
        arguments += ["--basetemp", str(basetemp)]
        if manner.plugins:
            for name in self._unwanted:
                arguments += ["-p", f"no:{name}"]
        elif self._benchmarks:
            arguments += ["-p", "pytest_benchmark.plugin"]
        if not manner.conftest:
            arguments.append("--noconftest")
        return arguments

    def _read(self, folder: Path, completed: Completed, measured: bool) -> LaunchResult:
        record = read_record(self._workspace.folder, self._result_file(folder, "results.jsonl"), self.scrub)
        printed = (completed.stderr or completed.stdout).decode("utf-8", "replace")
        complaint = self.scrub(printed.strip()[-2000:])
        coverage = None
        if measured and record.code is not None:
            try:
                name = self._result_file(folder, "coverage.json")
                coverage = coverage_from_worker(read_json(self._workspace.folder, name))
            except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
                raise TargetRunError(
                    f"the tests ran, but their coverage could not be read: {error}",
                    advice="check that the target's environment has a working `coverage` package",
                ) from error
        pictures = read_pictures(self._workspace.folder, self._result_file(folder, PICTURES))
        return LaunchResult(record, completed, coverage, complaint, pictures)


async def _appears(path: Path, run: asyncio.Task[Any]) -> bool:
    """Wait for a file, or for the end of a run; whether the file is there."""
    while not path.exists() and not run.done():
        await asyncio.wait((run,), timeout=_LOOK_SECONDS)
    return path.exists()


def error_line(launched: LaunchResult) -> str:
    """The line of a runner's complaint that names the trouble: the last exception, else the last line."""
    text = (launched.record.broken or launched.complaint).strip()
    lines = [line.removeprefix("INTERNALERROR>").removeprefix("E  ").strip() for line in text.splitlines()]
    named = [line for line in lines if _NAMES_TROUBLE.match(line)]
    return (named or lines or ["it printed nothing"])[-1][:_LINE]
