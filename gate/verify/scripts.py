"""Verifies generated test files for Jest.

A test is kept when it passes, and passes again in other orders and fresh processes, in other time zones, on another day
and in another language. The kept tests are measured by mutants of the tested module.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import PurePosixPath

from ...mutation.javascript import guarded, mutants_of_script, replaced, sample
from ...mutation.model import Mutant
from ...sandbox.javascript.jest import Jest, JestRequest, JestTest
from ...sandbox.javascript.project import prepare_scripts
from ...sandbox.javascript.syntax import parse
from ...sandbox.target import PythonTarget
from ...utils.untrusted_files import read_source_bytes
from ..model.classify import FailureClass
from ..model.coverage_data import CoverageData
from ..model.mutant_results import MutantResult, MutationReport, Status
from ..model.strictness import VerifyOptions
from ..model.verdicts import CaseVerdict, Verification
from ..runner.jest import ScriptRun, coverage_of, run_to_the_end

_SURROUNDINGS: tuple[tuple[str, Mapping[str, str], int], ...] = (
    ("in another order and time zone", {"TZ": "America/New_York"}, 0),
    ("in another order, on another day", {"TZ": "Asia/Tokyo"}, 400),
    ("in another order and language", {"LANG": "de_DE.UTF-8", "LC_ALL": "de_DE.UTF-8"}, 0),
)
_MUTANT_SECONDS = 5.0
_DOCUMENTED = "documented"


async def verify_scripts(
    target: PythonTarget,
    files: Mapping[str, str],
    *,
    measured: Sequence[str],
    cases: Mapping[tuple[str, str], str],
    documented: frozenset[str] = frozenset(),
    options: VerifyOptions | None = None,
) -> Verification:
    """Run generated files and give a verdict for each of their tests.

    Args:
        files: contents by POSIX path relative to the project.
        measured: the tested modules, of one package.
        cases: ids of cases by file and full name of the test.
        documented: ids of cases whose expectation stands in the documentation: a failure is the product's.

    Raises:
        EnvironmentFault: there is no Node or Jest.
        SandboxFailure, TargetRunError: they could not be run.
    """
    began = time.monotonic()
    options = options or VerifyOptions()
    project = await asyncio.to_thread(prepare_scripts, target, measured[0] if measured else next(iter(files)))
    async with target.workspace() as workspace:
        jest = Jest(project, workspace)
        for path, text in files.items():
            jest.write(path, text)
        request = JestRequest(
            tuple(files), tuple(measured), test_seconds=options.test_seconds, wall_seconds=options.wall_seconds
        )
        first = await run_to_the_end(jest, request)
        verdicts = _first_verdicts(_with_missing(first, files), cases, documented)
        repeats = await _repeat(jest, replace(request, measure=()), verdicts, options.repeats)
        nodeids = {key: verdict.nodeid for key, verdict in verdicts.items()}
        coverage = coverage_of(first, nodeids, measured)
        kept = {key: verdict for key, verdict in verdicts.items() if verdict.verdict == "kept"}
        mutation = await _measured(jest, request, kept, coverage, files, options) if options.mutants and kept else None
    notes = () if project.shuffles else ("this Jest cannot run tests in another order",)
    whose = "the project's own" if project.own else "ours, because the project has none"
    return Verification(
        framework="jest",
        contents=dict(files),
        verdicts=tuple(verdicts.values()),
        coverage=coverage,
        mutation=mutation,
        repeats=repeats if kept else 0,
        notes=(*notes, f"Jest {project.version[0]}.{project.version[1]} ran the tests: {whose}"),
        sandbox=target.sandbox.kind,
        runner_version=f"{project.version[0]}.{project.version[1]}",
        seconds=round(time.monotonic() - began, 3),
        launches=jest.starts,
    )


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
        line = _first_line(said)
        found[path, path] = CaseVerdict(
            path,
            path,
            PurePosixPath(path).name,
            "error",
            None,
            "test_defect",
            f"the file does not load: {line}",
            line,
            said,
        )
    return found


def _verdict(test: JestTest, case_id: str | None, documented: frozenset[str]) -> CaseVerdict:
    nodeid = nodeid_of(test.path, test.name)
    if test.status == "passed":
        return CaseVerdict(nodeid, test.path, test.name, "kept", case_id, seconds=test.seconds)
    line = _first_line(test.message)
    failure: FailureClass = "test_defect"
    reason = f"what was observed does not hold: {line}"
    if test.status != "failed":
        reason = f"the test is {test.status} and asserts nothing"
    elif case_id in documented:
        failure, reason = "product_defect", f"the code contradicts its documentation: {line}"
    return CaseVerdict(
        nodeid, test.path, test.name, "failed", case_id, failure, reason, line, test.message, test.seconds
    )


async def _repeat(jest: Jest, request: JestRequest, verdicts: dict[tuple[str, str], CaseVerdict], repeats: int) -> int:
    """Run again what passes; what fails once is flaky. Returns how often."""
    for number in range(1, repeats + 1):
        passing = [key for key, verdict in verdicts.items() if verdict.verdict == "kept"]
        if not passing:
            return number - 1
        where, environment, days = _SURROUNDINGS[(number - 1) % len(_SURROUNDINGS)]
        again = await run_to_the_end(jest, replace(request, seed=number, environment=environment, shift_days=days))
        outcomes = again.by_name()
        for key in passing:
            test = outcomes.get(key)
            if test is None or test.status != "passed":
                said = test.message if test is not None else "the test was not run again"
                verdicts[key] = replace(
                    verdicts[key],
                    verdict="flaky",
                    failure_class="flaky",
                    reason=f"it does not pass a second time {where}: {_first_line(said)}",
                    message=_first_line(said),
                    trace=said,
                    runs=number + 1,
                )
            else:
                verdicts[key] = replace(verdicts[key], runs=number + 1)
    return repeats


async def _measured(
    jest: Jest,
    request: JestRequest,
    kept: Mapping[tuple[str, str], CaseVerdict],
    coverage: CoverageData,
    files: Mapping[str, str],
    options: VerifyOptions,
) -> MutationReport:
    """Measure the kept tests by mutants: each in the module's place, for the test files that run its lines."""
    began = time.monotonic()
    everything: list[Mutant] = []
    sources: dict[str, bytes] = {}
    for path in request.measure:
        sources[path] = await asyncio.to_thread(read_source_bytes, jest.root, path)
        everything += mutants_of_script(parse(sources[path], path), sources[path], path)
    chosen = sample(everything, options.mutants)
    results: dict[int, MutantResult] = {}
    swapped: dict[str, tuple[str, str]] = {}
    owner: dict[str, int] = {}
    written: list[str] = []
    for number, mutant in enumerate(chosen):
        tested = _files_reaching(mutant, coverage, kept)
        if not tested:
            results[number] = MutantResult(mutant, "uncovered")
            continue
        by = _beside(mutant.path, f"__mutant{number}__")
        text = replaced(sources[mutant.path], mutant.start, mutant.end, mutant.replacement)
        jest.write(by, guarded(text, lambda source, path=mutant.path: parse(source, path)).decode("utf-8", "replace"))
        written.append(by)
        for path in tested:
            copy = _copy_of(path, number)
            jest.write(copy, files[path])
            written.append(copy)
            swapped[copy], owner[copy] = (mutant.path, by), number
    tests = await _with_mutants(jest, request, swapped, options)
    for path in written:
        jest.remove(path)
    names = {(path, name): verdict.nodeid for (path, name), verdict in kept.items()}
    for number, mutant in enumerate(chosen):
        if number not in results:
            own = [copy for copy, whose in owner.items() if whose == number]
            results[number] = _result(mutant, own, tests, names)
    return MutationReport(
        tuple(results[number] for number in sorted(results)), len(everything), 0, (), round(time.monotonic() - began, 3)
    )


async def _with_mutants(
    jest: Jest, request: JestRequest, swapped: Mapping[str, tuple[str, str]], options: VerifyOptions
) -> dict[str, ScriptRun | None]:
    """What came of each copy of a test file; None where there was no time for it."""
    found: dict[str, ScriptRun | None] = dict.fromkeys(swapped)
    waiting = sorted(swapped)
    deadline = time.monotonic() + options.mutant_seconds
    while waiting and time.monotonic() < deadline:
        left = max(10.0, deadline - time.monotonic())
        run = await jest.run(
            JestRequest(
                tuple(waiting),
                swapped={copy: swapped[copy] for copy in waiting},
                test_seconds=_MUTANT_SECONDS,
                wall_seconds=min(left, 600.0),
            )
        )
        done = {test.path for test in run.tests} | set(run.broken)
        for copy in done:
            own = tuple(test for test in run.tests if test.path == copy)
            found[copy] = ScriptRun(own, lost={copy: run.broken[copy]} if copy in run.broken else {})
        if run.hung_file is not None and run.hung_file in waiting and run.hung_file not in done:
            # Only what was ended for doing nothing is a mutant that hangs; a crash says nothing about the tests.
            found[run.hung_file] = ScriptRun(hung=(run.hung or "",)) if not run.crashed else None
            done.add(run.hung_file)
        if not done & set(waiting):
            break
        waiting = [copy for copy in waiting if copy not in done]
    return found


def _result(
    mutant: Mutant,
    copies: Sequence[str],
    runs: Mapping[str, ScriptRun | None],
    names: Mapping[tuple[str, str], str],
) -> MutantResult:
    killed: list[str] = []
    count = 0
    status: Status = "survived"
    for copy in copies:
        run = runs.get(copy)
        if run is None:
            return MutantResult(mutant, "untried")
        original = _original(copy)
        mine = [nodeid for (path, _), nodeid in names.items() if path == original]
        count += len(mine)
        if run.hung:
            status = "timeout"
            killed += mine[:1]
        elif any("SyntaxError" in said for said in run.lost.values()) if run.lost else False:
            # It does not compile: nobody could have slipped like that.
            return MutantResult(mutant, "untried")
        elif run.lost:
            # It does not even load with the mutant: every test notices.
            killed += mine
        else:
            outcome = {test.name: test.status for test in run.tests}
            killed += [
                nodeid for (path, name), nodeid in names.items() if path == original and outcome.get(name) == "failed"
            ]
    if killed and status != "timeout":
        status = "killed"
    return MutantResult(mutant, status, tuple(killed), None, count)


def _files_reaching(mutant: Mutant, coverage: CoverageData, kept: Mapping[tuple[str, str], CaseVerdict]) -> list[str]:
    """Test files with a kept test that runs a line of the mutant; all of them for what runs when it is loaded."""
    file = coverage.files.get(mutant.path)
    wanted = set(mutant.lines)
    paths = list(dict.fromkeys(path for path, _ in kept))
    if file is None or wanted & file.by_test[""].lines or not wanted & file.statements:
        return paths
    nodeids = {verdict.nodeid: path for (path, _), verdict in kept.items()}
    reached = [nodeids[name] for name, part in file.by_test.items() if name in nodeids and wanted & part.lines]
    return list(dict.fromkeys(reached))


def _beside(path: str, mark: str) -> str:
    place = PurePosixPath(path)
    return place.with_name(f"{place.stem}{mark}{place.suffix}").as_posix()


def _copy_of(path: str, number: int) -> str:
    place = PurePosixPath(path)
    return place.with_name(f"mutant{number}__{place.name}").as_posix()


def _original(copy: str) -> str:
    place = PurePosixPath(copy)
    return place.with_name(place.name.partition("__")[2]).as_posix()


def _first_line(said: str) -> str:
    lines = [line.strip() for line in said.splitlines() if line.strip()]
    facts = [line for line in lines if line.startswith(("Expected", "Received"))]
    return (" ".join(facts[:2]) or (lines[0] if lines else "it failed"))[:300]
