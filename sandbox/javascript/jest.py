"""Runs test files with Jest in the sandbox: writes the request, starts Node, reads the journal."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from ...core.errors import TargetRunError
from ...utils.untrusted_files import read_bytes, read_json, write_file
from ..protocol import Completed, Limits, Program
from ..target import Workspace
from ..worker_files import WORKER_FOLDER, worker_arguments
from .project import ScriptProject

_SCRIPTS = WORKER_FOLDER / "javascript"
_START_SECONDS = 60.0
_LOAD_SECONDS = 30.0
_ENDED_HERE = 86
"""The exit code of `run_jest.cjs` when it ended what did not come to an end."""
_MEMORY_MIB = 3072
_ROOM_FOR_LOADING = ("--min-semi-space-size=64", "--max-semi-space-size=64")
"""Room in MiB for what is new: while Jest loads itself, to look for garbage in less takes an eighth of the time."""
_SERVING_PROCESSES = 512
_MOST_JOURNAL = 64 * 1024 * 1024
Reach = Mapping[str, tuple[frozenset[str], frozenset[tuple[str, int]]]]
"""By file: ids of statements, and branches with the number of the arm."""


@dataclass(frozen=True, slots=True)
class ServedApplication:
    """What is asked of the applications that tests start.

    Attributes:
        measure: their files whose coverage is measured, POSIX, relative to the project.
        clock_seconds: how far their clocks are ahead; nothing is measured then.
    """

    measure: tuple[str, ...] = ()
    clock_seconds: int = 0


@dataclass(frozen=True, slots=True)
class JestRequest:
    """One run of Jest.

    Attributes:
        files: test files, POSIX, relative to the project.
        measure: files whose coverage is measured, relative to the project.
        seed: of a random order; None for the order of the file.
        shift_days: how far the clock is ahead.
        swapped: by test file, the file whose place another one takes, and that other one; all relative to the project.
        leave_out: full names of tests that are not run.
        test_seconds: how long nothing may happen: no test or trial begins or ends.
        hook_seconds: how long one test may take in all; 0 for `test_seconds`.
        environment: more variables.
        ask_collected: ask the project's own Jest whether it collects the files by itself.
        application: what is asked of the applications that the tests start; None for tests that start none.
    """

    files: tuple[str, ...]
    measure: tuple[str, ...] = ()
    seed: int | None = None
    shift_days: int = 0
    swapped: Mapping[str, tuple[str, str]] = field(default_factory=dict)
    leave_out: tuple[str, ...] = ()
    test_seconds: float = 5.0
    hook_seconds: float = 0.0
    wall_seconds: float = 120.0
    environment: Mapping[str, str] = field(default_factory=dict)
    ask_collected: bool = False
    application: ServedApplication | None = None


@dataclass(frozen=True, slots=True)
class JestTest:
    """One test: `name` is its full name, `status` Jest's word."""

    path: str
    name: str
    status: str
    seconds: float = 0.0
    message: str = ""
    reach: Reach = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class SourceMap:
    """The places of one measured file: lines of statements by id; line and lines of the arms of branches by id."""

    statements: Mapping[str, int] = field(default_factory=dict)
    branches: Mapping[str, tuple[int, tuple[int, ...]]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class JestRun:
    """What a run gave.

    Attributes:
        broken: why files could not be loaded, by path.
        hung: full name of the test that did not come to an end; None where none hung.
        hung_file: the file that did not come to an end, be it while it was loaded.
        finished: whether Jest came to its end.
        crashed: whether its process ended before, by itself or by a limit of the sandbox; what is named as `hung` ran
            then. Otherwise it was ended because nothing happened for too long.
        maps, imported: places of the measured files, and what loading them reached.
        complaint: the end of what Jest printed.
        uncollected: by file that the project's own Jest does not collect by itself, the setting that leaves it out, and
            the file's folder relative to `rootDir`.
        application: coverage of the applications, as `coverage_measure.py` wrote it; None where none was measured.
    """

    tests: tuple[JestTest, ...] = ()
    broken: Mapping[str, str] = field(default_factory=dict)
    hung: str | None = None
    hung_file: str | None = None
    finished: bool = True
    maps: Mapping[str, SourceMap] = field(default_factory=dict)
    imported: Reach = field(default_factory=dict)
    complaint: str = ""
    crashed: bool = False
    uncollected: Mapping[str, tuple[str, str]] = field(default_factory=dict)
    application: Mapping[str, Any] | None = None


class Jest:
    """Runs Jest in one workspace, whose cache of transformed files every run uses.

    Args:
        project: the package that is tested.
        workspace: the copy of the project; links to the installed packages are put into it.
    """

    def __init__(self, project: ScriptProject, workspace: Workspace) -> None:
        self._project = project
        self._workspace = workspace
        self._root = workspace.project.resolve()
        self._count = 0
        for folder, modules in project.modules.items():
            link = self._root / folder / "node_modules"
            if not os.path.lexists(link) and link.parent.is_dir():
                link.symlink_to(modules)

    @property
    def root(self) -> Path:
        """The copy of the project."""
        return self._root

    @property
    def starts(self) -> int:
        """Processes started so far."""
        return self._count

    def write(self, path: str, text: str) -> None:
        """Write a file into the copy of the project."""
        write_file(self._root, path, text)

    def remove(self, path: str) -> None:
        """Remove a file from the copy of the project."""
        (self._root / path).unlink(missing_ok=True)

    async def run(self, request: JestRequest) -> JestRun:
        """Run once.

        Raises:
            SandboxFailure: the sandbox broke.
            TargetRunError: Jest did not start, or its results cannot be read; with what it said.
        """
        self._count += 1
        name = f"jest-{self._count}"
        folder = self._workspace.scratch / name
        folder.mkdir()
        written = f"{self._workspace.requests.name}/{name}.json"
        write_file(self._workspace.folder, written, json.dumps(self._request(request, folder)))
        served = request.application
        program = self._serving(request, served, name) if served else self._program(request, name)
        run = self._read(name, await self._project.target.sandbox.run(program))
        return replace(run, application=self._coverage(name)) if served is not None and served.measure else run

    def _request(self, request: JestRequest, folder: Path) -> dict[str, Any]:
        project, tools = self._project, self._project.jest.parent
        only = "|".join(map(_escaped, request.leave_out))
        measured = request.application is not None and request.application.measure
        return {
            "jest": str(project.jest),
            "root": str(self._root / project.package.folder),
            "own": project.own,
            "configured": project.package.configured,
            "config_root": str(self._root / (project.package.config_folder or project.package.folder)),
            "ask_collected": request.ask_collected,
            "typescript": project.package.typescript,
            "transform_ignore": ["/node_modules/"],
            "babel": {
                "jest": str(tools / "babel-jest"),
                "modules": str(tools / "@babel" / "plugin-transform-modules-commonjs"),
                "typescript": str(tools / "@babel" / "preset-typescript"),
            },
            "files": [str(self._root / path) for path in request.files],
            "names": {str(self._root / path): path for path in request.files},
            "test_file": str(folder / "applications" / "test") if measured else "",
            "measure": [str(self._root / path) for path in request.measure],
            "seed": request.seed if project.shuffles else None,
            "shift_days": request.shift_days,
            "swapped": {
                str(self._root / path): {"subject": str(self._root / subject), "by": str(self._root / by)}
                for path, (subject, by) in request.swapped.items()
            },
            "only": f"^(?!(?:{only})$)" if only else "",
            "flags": list(self._flags()),
            "journal": str(folder / "journal.jsonl"),
            "scratch": str(self._workspace.scratch / "jest"),
            "test_seconds": request.test_seconds,
            "timeout_seconds": request.hook_seconds or request.test_seconds,
            "start_seconds": _START_SECONDS,
            # Mutants have been loaded before as they were; what takes long there hangs.
            "load_seconds": request.test_seconds if request.swapped else max(_LOAD_SECONDS, request.test_seconds),
        }

    def _flags(self) -> tuple[str, ...]:
        """Flags of Node: the project's own script for tests says whether Jest runs ES modules as they are."""
        scripts = self._project.package.manifest.get("scripts")
        said = " ".join(map(str, scripts.values())) if isinstance(scripts, dict) else ""
        native = self._project.own and "--experimental-vm-modules" in said
        flags = ("--no-warnings", *_ROOM_FOR_LOADING)
        return ("--experimental-vm-modules", *flags) if native else flags

    def _environment(self) -> dict[str, str]:
        return {
            "HOME": str(self._workspace.scratch / "home"),
            "TMPDIR": str(self._workspace.scratch / "tmp"),
            "PATH": f"{self._project.node.path.parent}:/usr/local/bin:/usr/bin:/bin",
            "LANG": "C.UTF-8",
            "TZ": "UTC",
            "NODE_ENV": "test",
            "CI": "true",
            **self._project.target.variables,
        }

    def _program(self, request: JestRequest, name: str) -> Program:
        project = self._project
        given = self._workspace.requests / f"{name}.json"
        limits = Limits(wall_seconds=request.wall_seconds, memory_mib=_MEMORY_MIB, address_space=False)
        places = {project.jest.parent, *project.modules.values(), project.node.path.parent}
        return Program(
            argv=(str(project.node.path), str(_SCRIPTS / "run_jest.cjs"), str(given)),
            cwd=self._root,
            environment={**self._environment(), **request.environment},
            readable=(*sorted(places), WORKER_FOLDER, self._workspace.requests),
            writable=(self._root, self._workspace.scratch),
            limits=limits,
            written_since=self._workspace.ready,
        )

    def _serving(self, request: JestRequest, served: ServedApplication, name: str) -> Program:
        """The program for tests that start applications, which a process of Python around Node measures."""
        plain = self._program(request, name)
        given = {
            "argv": list(plain.argv),
            "project": str(self._root),
            "measure": list(served.measure),
            "folder": str(self._workspace.scratch / name),
            "clock_seconds": served.clock_seconds,
        }
        written = f"{self._workspace.requests.name}/{name}-serving.json"
        write_file(self._workspace.folder, written, json.dumps(given))
        return self._workspace.program(
            worker_arguments("suites.run_in_node", str(self._workspace.folder / written)),
            environment={**self._environment(), **request.environment},
            limits=replace(plain.limits, processes=_SERVING_PROCESSES),
            readable=plain.readable,
        )

    def _coverage(self, name: str) -> Mapping[str, Any] | None:
        with suppress(OSError, ValueError):
            return read_json(self._workspace.folder, f"{self._workspace.scratch.name}/{name}/coverage.json")
        return None  # the process was ended before it had written what was measured

    def _read(self, name: str, completed: Completed) -> JestRun:
        path = f"{self._workspace.scratch.name}/{name}/journal.jsonl"
        said = (completed.stderr or completed.stdout).decode("utf-8", "replace").strip()
        complaint = (completed.reason or said)[-3000:].replace(f"{self._root}/", "")
        try:
            text = read_bytes(self._workspace.folder, path, most=_MOST_JOURNAL).decode("utf-8", "replace")
        except OSError:
            text = ""
        reader = _Reader(str(self._root))
        for line in text.splitlines():
            reader.line(line)
        if reader.fault or not reader.files:
            raise TargetRunError(
                f"Jest did not start: {reader.fault or complaint or f'exit code {completed.exit_code}'}",
                advice="run the project's own tests once with `npx jest`, and look at its configuration",
                details={"output": complaint},
            )
        return reader.run(complaint, ended_here=completed.exit_code == _ENDED_HERE)


class _Reader:
    """Reads the journal line by line; a line that is damaged is left out."""

    def __init__(self, root: str) -> None:
        self._root = f"{root}/"
        self.fault = ""
        self.files: list[str] = []
        self._done = False
        self._running: tuple[str, str] | None = None
        self._reach: dict[tuple[str, str], Reach] = {}
        self._tests: list[JestTest] = []
        self._broken: dict[str, str] = {}
        self._reported: set[str] = set()
        self._maps: dict[str, SourceMap] = {}
        self._imported: dict[str, tuple[frozenset[str], frozenset[tuple[str, int]]]] = {}
        self._uncollected: dict[str, tuple[str, str]] = {}

    def line(self, text: str) -> None:
        """Read one line."""
        try:
            fact: Any = json.loads(text)
            self._fact(fact)
        except (ValueError, KeyError, TypeError, AttributeError):
            return

    def _fact(self, fact: Mapping[str, Any]) -> None:
        path = self._inner(str(fact.get("file") or ""))
        if "broken" in fact and "results" not in fact:
            self.fault = str(fact["broken"])
        elif "begin" in fact:
            self._running = (path, str(fact["begin"]))
        elif "end" in fact:
            self._reach[path, str(fact["end"])] = self._reached(fact["reach"])
            self._running = None
        elif "maps" in fact:
            self._maps |= {self._inner(name): _source_map(one) for name, one in fact["maps"].items()}
            self._imported |= self._reached(fact["imported"])
        elif "results" in fact:
            self._results(path, fact)
        elif "uncollected" in fact:
            self._uncollected[path] = str(fact["uncollected"]), str(fact["folder"])
        elif "done" in fact:
            self._done = True
        else:
            self.files.append(path)

    def _results(self, path: str, fact: Mapping[str, Any]) -> None:
        self._reported.add(path)
        if path not in self.files:
            self.files.append(path)
        if fact["broken"]:
            self._broken[path] = str(fact["broken"]).replace(self._root, "")
        for one in fact["results"]:
            message = str(one["message"]).replace(self._root, "")
            reach = self._reach.get((path, str(one["name"])), {})
            test = JestTest(path, str(one["name"]), str(one["status"]), float(one["seconds"]), message, reach)
            self._tests.append(test)

    def run(self, complaint: str, *, ended_here: bool) -> JestRun:
        """What was read."""
        unfinished = [path for path in self.files if path not in self._reported]
        hung_file = None if self._done else (unfinished[-1] if unfinished else None)
        return JestRun(
            tuple(self._tests),
            self._broken,
            self._running[1] if self._running and not self._done else None,
            hung_file,
            self._done,
            self._maps,
            self._imported,
            complaint,
            not self._done and not ended_here,
            self._uncollected,
        )

    def _inner(self, path: str) -> str:
        return path.removeprefix(self._root)

    def _reached(self, raw: Mapping[str, Any]) -> dict[str, tuple[frozenset[str], frozenset[tuple[str, int]]]]:
        return {
            self._inner(name): (
                frozenset(map(str, one["s"])),
                frozenset((str(branch), int(arm)) for branch, arm in one["b"]),
            )
            for name, one in raw.items()
        }


def _source_map(raw: Mapping[str, Any]) -> SourceMap:
    return SourceMap(
        {str(name): int(line) for name, line in raw["s"]},
        {str(name): (int(line), tuple(int(arm) for arm in arms)) for name, line, arms in raw["b"]},
    )


def _escaped(text: str) -> str:
    return "".join(f"\\{sign}" if sign in r"\^$.*+?()[]{}|/" else sign for sign in text)


def with_exclusion(request: JestRequest, name: str) -> JestRequest:
    """The same run without one test."""
    return replace(request, leave_out=(*request.leave_out, name))
