"""Verifies generated test files for Jest.

A test is kept when it passes, and passes again in other orders and fresh processes, in other time zones, on another day
and in another language. The kept tests are measured by mutants of the tested module.
"""

from __future__ import annotations

import asyncio
import re
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import PurePosixPath

from ...sandbox.javascript.jest import Jest, JestRequest, JestTest, ServedApplication
from ...sandbox.javascript.project import package_of, prepare_scripts
from ...sandbox.target import PythonTarget
from ..model.coverage_data import CoverageData
from ..model.strictness import VerifyOptions
from ..model.verdicts import CaseVerdict, Verification
from ..runner.jest import ScriptRun, application_coverage, coverage_of, run_to_the_end
from .script_mutants import measure_mutants
from .script_verdicts import failed_verdict, flaky_verdict, not_loaded_verdict

_SURROUNDINGS: tuple[tuple[str, Mapping[str, str], int], ...] = (
    ("in another order and time zone", {"TZ": "America/New_York"}, 0),
    ("in another order, on another day", {"TZ": "Asia/Tokyo"}, 400),
    ("in another order and language", {"LANG": "de_DE.UTF-8", "LC_ALL": "de_DE.UTF-8"}, 0),
)
_DAY = 86_400
_TEST_FILE = re.compile(r"\.(?:test|spec)\.[cm]?[jt]sx?$")


async def verify_scripts(
    target: PythonTarget,
    files: Mapping[str, str],
    *,
    measured: Sequence[str],
    cases: Mapping[tuple[str, str], str],
    documented: frozenset[str] = frozenset(),
    options: VerifyOptions | None = None,
    served: bool = False,
) -> Verification:
    """Run generated files, those of each package with its own Jest, and give a verdict for each of their tests.

    Args:
        files: contents by POSIX path relative to the project, with the helpers.
        measured: the tested modules, or the files of the applications that the tests start.
        cases: ids of cases by file and full name of the test.
        documented: ids of cases whose expectation stands in the documentation: a failure is the product's.
        served: the tests start applications and send them requests; these are measured then, and not by mutants.

    Raises:
        EnvironmentFault: there is no Node or Jest.
        SandboxFailure, TargetRunError: they could not be run.
    """
    if served:
        return await _of_package(target, files, measured, cases, documented, options or VerifyOptions(), served=True)
    folder = lambda path: package_of(target.snapshot.path, path).folder  # noqa: E731
    parts: dict[str, dict[str, str]] = {}
    for path, text in files.items():
        parts.setdefault(await asyncio.to_thread(folder, path), {})[path] = text
    modules: dict[str, list[str]] = {package: [] for package in parts}
    for path in measured:
        modules.setdefault(await asyncio.to_thread(folder, path), []).append(path)
    found = [
        await _of_package(target, part, modules[package], cases, documented, options or VerifyOptions())
        for package, part in parts.items()
    ]
    return found[0] if len(found) == 1 else _together(found)


def _together(found: Sequence[Verification]) -> Verification:
    """The verification of several packages."""
    coverage = CoverageData()
    for one in found:
        coverage = coverage.united(one.coverage or CoverageData())
    return replace(
        found[0],
        contents={path: text for one in found for path, text in one.contents.items()},
        verdicts=tuple(verdict for one in found for verdict in one.verdicts),
        coverage=coverage,
        mutation=next((one.mutation for one in found if one.mutation is not None), None),
        repeats=max(one.repeats for one in found),
        notes=tuple(dict.fromkeys(note for one in found for note in one.notes)),
        seconds=round(sum(one.seconds for one in found), 3),
        launches=sum(one.launches for one in found),
    )


async def _of_package(
    target: PythonTarget,
    files: Mapping[str, str],
    measured: Sequence[str],
    cases: Mapping[tuple[str, str], str],
    documented: frozenset[str],
    options: VerifyOptions,
    *,
    served: bool = False,
) -> Verification:
    began = time.monotonic()
    project = await asyncio.to_thread(prepare_scripts, target, next(iter(files)))
    async with target.workspace() as workspace:
        jest = Jest(project, workspace)
        for path, text in files.items():
            jest.write(path, text)
        tests = tuple(path for path in files if _TEST_FILE.search(path)) if served else tuple(files)
        request = JestRequest(
            tests,
            () if served else tuple(measured),
            test_seconds=options.test_seconds,
            wall_seconds=options.wall_seconds,
            application=ServedApplication(tuple(measured)) if served else None,
        )
        first = await run_to_the_end(jest, replace(request, ask_collected=True))
        verdicts = _first_verdicts(_with_missing(first, tests), cases, documented)
        repeats = await _repeat(jest, replace(request, measure=()), verdicts, options.repeats)
        nodeids = {key: verdict.nodeid for key, verdict in verdicts.items()}
        coverage = application_coverage(first, nodeids) if served else coverage_of(first, nodeids, measured)
        kept = {key: verdict for key, verdict in verdicts.items() if verdict.verdict == "kept"}
        mutation = None
        if options.mutants and kept and not served:
            mutation = await measure_mutants(jest, request, kept, coverage, files, options)
    notes = () if project.shuffles else ("this Jest cannot run tests in another order",)
    whose = "the project's own" if project.own else "ours, because the project has none"
    version = f"{project.version[0]}.{project.version[1]}"
    uncollected = first.last.uncollected if first.last is not None else {}
    return Verification(
        framework="jest",
        contents=dict(files),
        verdicts=tuple(verdicts.values()),
        coverage=coverage,
        mutation=mutation,
        repeats=repeats if kept else 0,
        notes=(*map(_uncollected, uncollected.items()), *notes, f"Jest {version} ran the tests: {whose}"),
        sandbox=target.sandbox.kind,
        runner_version=version,
        seconds=round(time.monotonic() - began, 3),
        launches=jest.starts,
    )


def _uncollected(found: tuple[str, tuple[str, str]]) -> str:
    """What a person adds to the configuration, so that the project's own Jest finds a file by itself."""
    path, (setting, folder) = found
    suffix = PurePosixPath(path).suffix
    line = {
        "roots": f"add '<rootDir>/{folder}' to",
        "testMatch": f"add '<rootDir>/{folder}/**/*.test{suffix}' to",
        "testRegex": f"add '/{folder.replace('../', '')}/.*\\\\.test\\\\{suffix}$' to",
        "moduleFileExtensions": f"add '{suffix[1:]}' to",
    }.get(setting, "take the pattern that matches it out of")
    return f"`npx jest` does not collect {path} by itself: {line} `{setting}` in the configuration of Jest"


def nodeid_of(path: str, name: str, subject: str = "") -> str:
    """The id of a test: its file, what it is about, and in brackets its title."""
    head = subject or name.partition(" ")[0]
    return f"{path}::{head}[{name.removeprefix(head).strip()}]"


def _with_missing(first: ScriptRun, files: Iterable[str]) -> ScriptRun:
    """A file that Jest said nothing about, because it did not get to it or does not collect it, is lost."""
    told = {test.path for test in first.tests} | set(first.lost or {})
    # Whose tests hang is told by their names.
    missing = [] if first.hung else [path for path in files if path not in told]
    return replace(first, lost={**(first.lost or {}), **dict.fromkeys(missing, "Jest gave no result for it")})


def _first_verdicts(
    first: ScriptRun, cases: Mapping[tuple[str, str], str], documented: frozenset[str]
) -> dict[tuple[str, str], CaseVerdict]:
    found: dict[tuple[str, str], CaseVerdict] = {}
    for test in first.tests:
        key = (test.path, test.name)
        if test.name in first.hung:
            continue
        found[key] = _verdict(test, cases.get(key), documented)
    for name in first.hung:
        path = next((path for path, other in cases if other == name), "")
        reason = "it ends the process" if name in first.crashed else "it does not come to an end"
        found[path, name] = CaseVerdict(
            nodeid_of(path, name), path, name, "timeout", cases.get((path, name)), "timeout", reason, reason
        )
    for path, said in (first.lost or {}).items():
        found[path, path] = not_loaded_verdict(path, said)
    return found


def _verdict(test: JestTest, case_id: str | None, documented: frozenset[str]) -> CaseVerdict:
    nodeid = nodeid_of(test.path, test.name)
    if test.status == "passed":
        return CaseVerdict(nodeid, test.path, test.name, "kept", case_id, seconds=test.seconds)
    return failed_verdict(test, nodeid, case_id, documented=case_id in documented, tested="code")


async def _repeat(jest: Jest, request: JestRequest, verdicts: dict[tuple[str, str], CaseVerdict], repeats: int) -> int:
    """Run again what passes; what fails once is flaky. Returns how often."""
    for number in range(1, repeats + 1):
        passing = [key for key, verdict in verdicts.items() if verdict.verdict == "kept"]
        if not passing:
            return number - 1
        where, environment, days = _SURROUNDINGS[(number - 1) % len(_SURROUNDINGS)]
        repeat = replace(request, seed=number, environment=environment, shift_days=days)
        if request.application is not None:
            # The application lives on that day, and its strings have another hash seed.
            served = ServedApplication(clock_seconds=days * _DAY)
            hashed = {**environment, "PYTHONHASHSEED": str(number)}
            repeat = replace(repeat, shift_days=0, application=served, environment=hashed)
        again = await run_to_the_end(jest, repeat)
        outcomes = again.by_name()
        for key in passing:
            test = outcomes.get(key)
            if test is None or test.status != "passed":
                said = test.message if test is not None else "the test was not run again"
                verdicts[key] = replace(flaky_verdict(verdicts[key], where, said), runs=number + 1)
            else:
                verdicts[key] = replace(verdicts[key], runs=number + 1)
    return repeats
