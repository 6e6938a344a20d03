"""Runs the project's own bare `pytest` on tests that are about to join the project, as its users will.

The gate runs tests under settings of its own; here the project's configuration, plugins and import mode take part as
they are, and nothing puts the project on the import path or sets the variables of the code under test. Where a line of
settings, or a conftest.py that sets variables, is what is missing, it is tried, so that what a person reads is known to
help.
"""

from __future__ import annotations

import asyncio
import json
import os
import posixpath
import re
import shlex
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Literal

from ...sandbox.target import PythonTarget, Workspace
from ...sandbox.worker_files import worker_arguments
from ...utils.benchmark_tests import uses_benchmarks
from ...utils.untrusted_files import read_json, read_source, write_file
from ..model.journal import scrubber
from ..model.project_config import moved_configuration, pytest_file, settings_above, settings_words
from ..model.pytest_setting import ListSetting, PytestSetting, list_setting
from ..runner.browser import needs_of
from .earlier_tests import BenchmarkTools, EarlierFile, EarlierTests, benchmark_tools

Outcome = Literal["passed", "needs_setting", "failed", "not_collected", "not_started"]
WALL_SECONDS = 180.0
BROWSER_WALL_SECONDS = 900.0
_LINE = 300
_NOT_FOUND = re.compile(r"(ModuleNotFoundError|ImportError)\b")
_NAMES_TROUBLE = re.compile(r"(pytest\S*: error: |ERROR: (?!usage)|[\w.]*(Error|Exception|Warning|Failed)\b)")
_NOTHING_COLLECTED = 5
Changes = Mapping[ListSetting, tuple[str, ...]]


@dataclass(frozen=True, slots=True)
class OwnPytest:
    """What the project's own `pytest` makes of the tests.

    Attributes:
        outcome: `needs_setting` when the tests pass once `settings` are added.
        passed: tests that pass, with `settings` where some are needed.
        failing: {nodeid, message} of tests that do not hold under it, and of files that it cannot load.
        reason: one sentence for people; empty for `passed`.
        settings: lines that were tried, and help.
        earlier: what it makes, with `settings`, of tests that earlier runs wrote; None where none were run.
        needs_conftest: the tests need the `conftest` that was given.
        lent: the project's environment has no pytest; it came from ours.
    """

    outcome: Outcome
    passed: int = 0
    failing: tuple[dict[str, str], ...] = ()
    reason: str = ""
    settings: tuple[PytestSetting, ...] = ()
    earlier: EarlierTests | None = None
    needs_conftest: bool = False
    lent: bool = False

    def to_dict(self) -> dict[str, Any]:
        """JSON form."""
        return {
            "outcome": self.outcome,
            "passed": self.passed,
            "failing": list(self.failing),
            "reason": self.reason,
            "settings": [setting.to_dict() for setting in self.settings],
            **({"earlier": self.earlier.to_dict()} if self.earlier is not None else {}),
            **({"lent": True} if self.lent else {}),
        }


@dataclass(frozen=True, slots=True)
class _Session:
    """One run of pytest; `absent` are files of which it saw no test and no error."""

    tests: tuple[dict[str, Any], ...]
    errors: tuple[dict[str, Any], ...]
    absent: tuple[str, ...]
    complaint: str = ""

    @property
    def failing(self) -> tuple[dict[str, str], ...]:
        failed = [(str(row["nodeid"]), row["path"], row["message"]) for row in self.tests if row["outcome"] == "failed"]
        # Node ids are relative to pytest's own root, which may lie above the project.
        rows = [{"nodeid": f"{path}::{name.partition('::')[2]}", "message": _last(text)} for name, path, text in failed]
        return (*rows, *({"nodeid": str(row["path"]), "message": _last(row["message"])} for row in self.errors))

    @property
    def passed(self) -> int:
        return sum(row["outcome"] == "passed" for row in self.tests)

    @property
    def holds(self) -> bool:
        return bool(self.tests) and not self.failing and not self.absent and not self.complaint


async def run_own_pytest(
    target: PythonTarget,
    files: Mapping[str, str],
    roots: Sequence[str],
    earlier: Mapping[str, EarlierFile] | None = None,
    conftest: tuple[str, str] | None = None,
) -> OwnPytest:
    """Run `pytest` in a copy of the project with the files added, as a person would type it: without the variables
    of the target, which nobody sets there; with a `conftest`, those that it takes from the environment are set.

    Tests of the project itself are not collected. Tests that fail are left out of a second run, so that the others are
    known to pass without them. Tests of earlier runs have a session of their own: one of them that hangs, or ends the
    process, says nothing about the new ones.

    Args:
        files: contents by POSIX path relative to the project; helpers and conftest files may be among them.
        roots: import roots of the tested modules, POSIX, relative to the project.
        earlier: test files in the project that earlier runs wrote; of those that are about to be written anew, the
            tests run as they were.
        conftest: path and contents of a file that sets variables; it stays away where the tests do without it.

    Raises:
        SandboxFailure: the sandbox itself broke.
    """
    plain = target
    if any(map(uses_benchmarks, files.values())):
        target = await target.with_benchmark_tools()
    # Their values come from the environment of whoever runs the tests, and that of a conftest.py is no other.
    given = {name: value for name, value in target.variables.items() if conftest and name in target.taken}
    target = replace(target, variables={})
    async with target.workspace() as workspace:
        tools = await benchmark_tools(plain, workspace.project, earlier or {})
        await asyncio.to_thread(_write_files, workspace, {**files, **dict([conftest] if conftest else [])})
        runner = _Runner(target, workspace, _test_files(files), given)
        first = await runner.run()
        last, changes = await _with_settings(runner, first, roots)
        if last.failing and last.passed:
            last = await runner.run(changes, without=[row["nodeid"] for row in last.failing], failing=last.failing)
        settings = tuple(
            list_setting(target.root.resolve(), key, added, above=runner.above) for key, added in changes.items()
        )
        failing = runner.left_out or last.failing
        needs_conftest = conftest is not None and await _needs(runner, conftest, last, changes)
        before = None if last.complaint or not earlier else await _run_earlier(runner, changes, earlier, tools)
    if last.complaint:
        return OwnPytest("not_started", reason=last.complaint)
    if last.holds:
        why = _reason_for(changes)
        return OwnPytest(
            "needs_setting" if settings else "passed", last.passed, failing, why, settings, before, needs_conftest
        )
    if last.absent:
        why = _absence(last.absent)
        return OwnPytest("not_collected", last.passed, failing, why, settings, before, needs_conftest)
    why = failing[0]["message"] if failing else "no test ran"
    return OwnPytest("failed", last.passed, failing, why, settings, before, needs_conftest)


async def _needs(runner: _Runner, conftest: tuple[str, str], found: _Session, changes: Changes) -> bool:
    """Whether fewer tests pass without a conftest.py of ours; where all do, it is in the copy as in the project."""
    path, ours = conftest
    project, left_out, before = runner.workspace.project.resolve(), runner.left_out, ""
    with suppress(OSError, UnicodeDecodeError):
        before = await asyncio.to_thread(read_source, runner.target.snapshot.path, path)
    await asyncio.to_thread(write_file, project, path, before)
    given, runner.given = runner.given, {}
    bare = await runner.run(changes, without=[row["nodeid"] for row in left_out], failing=left_out)
    if bare.passed >= found.passed and len(bare.failing) <= len(found.failing):
        return False
    await asyncio.to_thread(write_file, project, path, ours)
    runner.given = given
    return True


async def _run_earlier(
    runner: _Runner, changes: Changes, earlier: Mapping[str, EarlierFile], tools: BenchmarkTools
) -> EarlierTests:
    """Run test files of earlier runs, those that the run writes anew with the text that they had."""
    anew = {path: one.rewritten for path, one in earlier.items() if one.rewritten is not None}
    await asyncio.to_thread(_write_files, runner.workspace, anew)
    tried = tuple(path for path in earlier if tools.overlay or path not in tools.lacking)
    if not tried:
        return EarlierTests((), lacking=tools.lacking)
    session = await runner.run(changes, files=tried, overlay=tools.overlay)
    stay = tuple(path for path in tried if path not in anew)
    failing: dict[bool, list[dict[str, str]]] = {True: [], False: []}
    for row in session.failing:
        path = row["nodeid"].partition("::")[0]
        module = earlier[path].module if path in earlier else ""
        failing[path in anew].append({**row, "module": module})
    passed = sum(row["outcome"] == "passed" and row["path"] in stay for row in session.tests)
    told = (tuple(failing[False]), tuple(failing[True]), session.complaint)
    return EarlierTests(stay, passed, *told, tools.lacking, bool(tools.overlay))


async def _with_settings(runner: _Runner, first: _Session, roots: Sequence[str]) -> tuple[_Session, dict[Any, Any]]:
    """Add what is missing, one setting at a time, as long as it helps."""
    changes: dict[ListSetting, tuple[str, ...]] = {}
    last = first
    while not last.holds and not last.complaint:
        wanted = _missing(last, runner, roots)
        if wanted is None or wanted[0] in changes:
            break
        tried = await runner.run({**changes, wanted[0]: wanted[1]})
        # One that does not help is not asked for.
        if (len(tried.absent) + len(tried.errors), -tried.passed) >= (
            len(last.absent) + len(last.errors),
            -last.passed,
        ):
            break
        changes[wanted[0]] = wanted[1]
        last = tried
    return last, changes


def _missing(session: _Session, runner: _Runner, roots: Sequence[str]) -> tuple[ListSetting, tuple[str, ...]] | None:
    """The setting that a session lacks, with the paths to add."""
    if session.absent and runner.has_testpaths:
        folders = sorted({posixpath.dirname(path) for path in session.absent})
        return "testpaths", (posixpath.commonpath(folders) or ".",)
    if any(_NOT_FOUND.search(str(row["message"])) for row in (*session.errors, *session.tests)):
        return "pythonpath", tuple(roots) or (".",)
    return None


@dataclass
class _Runner:
    """Runs pytest on some test files of a workspace, with settings changed on its command line.

    Attributes:
        given: environment variables that a person is to set.
    """

    target: PythonTarget
    workspace: Workspace
    files: tuple[str, ...]
    given: Mapping[str, str] = field(default_factory=dict)
    left_out: tuple[dict[str, str], ...] = ()
    _count: int = 0
    above: tuple[Path, Any] | None = field(init=False)

    def __post_init__(self) -> None:
        self.above = settings_above(self.target.root)
        found = pytest_file(self.workspace.project)
        self._own = dict(found[1]) if found is not None else {}
        self.scrub = scrubber(self.workspace.project.resolve(), self.workspace.scratch.resolve())

    @property
    def has_testpaths(self) -> bool:
        return bool(self._own.get("testpaths", "").strip())

    async def run(
        self,
        changes: Changes | None = None,
        *,
        without: Sequence[str] = (),
        failing: tuple[dict[str, str], ...] = (),
        files: Sequence[str] | None = None,
        overlay: Sequence[Path] = (),
    ) -> _Session:
        """One session; `without` are node ids, or files, that are left out; `files` are run instead of `self.files`."""
        self._count += 1
        self.left_out = failing
        files = [path for path in (self.files if files is None else files) if path not in without]
        place = f"own-pytest-{self._count}"
        requests, scratch = self.workspace.requests / place, self.workspace.scratch / place
        request = {
            "project": str(self.workspace.project),
            "results": str(scratch / "results.json"),
            "files": files,
            "arguments": await asyncio.to_thread(self._arguments, place, changes or {}, without),
        }
        await asyncio.to_thread(scratch.mkdir)
        await asyncio.to_thread(self._give, f"{place}/request.json", json.dumps(request))
        needs = await needs_of(self.target, self.workspace.project, files, own=True)
        program = self.workspace.program(
            worker_arguments("suites.bare_pytest", str(requests / "request.json")),
            environment={**self.given, **needs.environment},
            limits=replace(needs.limits, wall_seconds=BROWSER_WALL_SECONDS if needs.browser else WALL_SECONDS),
            with_roots=False,
            overlay=(*needs.overlay, *overlay),
            readable=needs.readable,
            opens_site=needs.browser,
        )
        completed = await self.target.sandbox.run(program)
        name = f"{self.workspace.scratch.name}/{place}/results.json"
        try:
            found = await asyncio.to_thread(read_json, self.workspace.folder, name)
            # A file may have no other tests than those that are left out.
            expected = [path for path in files if not any(name.startswith(f"{path}::") for name in without)]
            return self._session(found, expected, (completed.stderr or completed.stdout).decode("utf-8", "replace"))
        except (OSError, ValueError, KeyError, TypeError, AttributeError):
            why = completed.reason or f"it ended with code {completed.exit_code}"
            return _Session((), (), (), f"it did not come to an end: {why}")

    def _session(self, found: dict[str, Any], files: Sequence[str], printed: str) -> _Session:
        tests, errors = tuple(map(self._row, found["tests"])), tuple(map(self._row, found["errors"]))
        seen = {row["path"] for row in (*tests, *errors)}
        complaint = ""
        if found["broken"] or (not seen and found["code"] not in (0, _NOTHING_COLLECTED)):
            complaint = _last(self.scrub(found["broken"] or printed))
        absent = () if complaint else tuple(path for path in files if path not in seen)
        return _Session(tests, errors, absent, complaint)

    def _row(self, row: dict[str, Any]) -> dict[str, Any]:
        return {**row, "path": str(row["path"]), "message": self.scrub(str(row["message"]))}

    def _arguments(self, place: str, changes: Changes, without: Sequence[str]) -> list[str]:
        # LangSmith's plugin comes along with testwright, not with the project. A failure must not hide other tests.
        arguments = ["-p", "no:langsmith_plugin", "--maxfail=0", "--continue-on-collection-errors"]
        # Only the last line of a traceback is read. Where the fixture of a file fails, each of its tests has one more
        # frame than the one before, and pytest's own form of some hundred of them takes longer than all tests.
        arguments += ["--tb=native"]
        project = self.workspace.project
        if self.above is not None:
            folder, settings = self.above
            self._give(
                f"{place}/pytest.ini", moved_configuration(settings, folder, self.target.root.resolve(), project)
            )
            arguments += ["-c", str(self.workspace.requests / place / "pytest.ini"), "--rootdir", str(project)]
        for key, added in changes.items():
            earlier = settings_words(self._own.get(key, ""))
            if key == "pythonpath":
                places = [os.path.normpath(project / path) for path in (*earlier, *added)]
                arguments += ["-o", f"pythonpath={' '.join(map(shlex.quote, places))}"]
            else:
                arguments += ["-o", f"{key}={' '.join(map(shlex.quote, (*earlier, *added)))}"]
        for nodeid in without:
            arguments += ["--deselect", nodeid]
        return arguments

    def _give(self, name: str, text: str) -> None:
        write_file(self.workspace.folder, f"{self.workspace.requests.name}/{name}", text)


def _write_files(workspace: Workspace, files: Mapping[str, str]) -> None:
    root = workspace.project.resolve()
    for path, contents in files.items():
        write_file(root, path, contents)


def _test_files(files: Mapping[str, str]) -> tuple[str, ...]:
    return tuple(path for path in files if posixpath.basename(path).startswith("test_") and path.endswith(".py"))


def _last(text: str) -> str:
    """The line of an error that names it."""
    lines = [line.removeprefix("E ").strip() for line in text.strip().splitlines()]
    named = [line for line in lines if _NAMES_TROUBLE.match(line)]
    return (named or lines or ["it printed nothing"])[-1][:_LINE]


def _reason_for(changes: Changes) -> str:
    reasons = {
        "pythonpath": "a bare `pytest` does not find the project's modules, which are not installed",
        "testpaths": "the project's `testpaths` leave the tests out",
    }
    return "; ".join(reasons[key] for key in changes)


def _absence(paths: Sequence[str]) -> str:
    more = f" and {len(paths) - 1} more" if len(paths) > 1 else ""
    return f"it does not collect {paths[0]}{more}: look at python_files, norecursedirs and conftest.py"
