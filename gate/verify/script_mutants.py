"""Measures kept tests for Jest by mutants of the tested module: which of them the tests notice."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Mapping, Sequence
from pathlib import PurePosixPath

from ...mutation.javascript import guarded, mutants_of_script, replaced, sample
from ...mutation.model import Mutant
from ...sandbox.javascript.jest import Jest, JestRequest
from ...sandbox.javascript.syntax import parse
from ...utils.untrusted_files import read_source_bytes
from ..model.coverage_data import CoverageData
from ..model.mutant_results import MutantResult, MutationReport, Status
from ..model.strictness import VerifyOptions
from ..model.verdicts import CaseVerdict
from ..runner.jest import ScriptRun

_MUTANT_SECONDS = 5.0


async def measure_mutants(
    jest: Jest,
    request: JestRequest,
    kept: Mapping[tuple[str, str], CaseVerdict],
    coverage: CoverageData,
    files: Mapping[str, str],
    options: VerifyOptions,
) -> MutationReport:
    """Measure the kept tests by mutants: each in the module's place, for the test files that run its lines.

    Args:
        request: the run of the tests; its `measure` are the modules.
        kept: verdicts by test file and name.

    Raises:
        SandboxFailure, TargetRunError: see `Jest.run`.
    """
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
