"""Runs test files with Jest to their end although some of their tests hang, and reads coverage as the gate knows it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from ...sandbox.javascript.jest import Jest, JestRequest, JestRun, JestTest, Reach, SourceMap
from ..model.coverage_data import Branch, CoverageData, FileCoverage, ReachedCode, coverage_from_worker

_MOST_RESTARTS = 5


@dataclass(frozen=True, slots=True)
class ScriptRun:
    """One run of test files.

    Attributes:
        tests: in the order they ran.
        hung: full names of tests that did not come to an end.
        lost: why files could not be loaded, by path.
        crashed: those of `hung` that ended the process.
    """

    tests: tuple[JestTest, ...] = ()
    hung: tuple[str, ...] = ()
    lost: Mapping[str, str] | None = None
    last: JestRun | None = None
    crashed: frozenset[str] = frozenset()

    def by_name(self) -> dict[tuple[str, str], JestTest]:
        """The tests by file and full name."""
        return {(test.path, test.name): test for test in self.tests}


async def run_to_the_end(jest: Jest, request: JestRequest) -> ScriptRun:
    """Run until Jest comes to its end, without the tests that hang.

    Raises:
        SandboxFailure, TargetRunError: see `Jest.run`.
    """
    hung: list[str] = []
    lost: dict[str, str] = {}
    crashed: set[str] = set()
    files = list(request.files)
    while True:
        run = await jest.run(replace(request, files=tuple(files), leave_out=(*request.leave_out, *hung)))
        if run.finished or len(hung) + len(lost) >= _MOST_RESTARTS:
            return ScriptRun(run.tests, tuple(hung), {**run.broken, **lost}, run, frozenset(crashed))
        if run.hung is not None:
            hung.append(run.hung)
            crashed |= {run.hung} if run.crashed else set()
        elif run.hung_file in files:
            what = "ends the process" if run.crashed else "does not come to an end"
            lost[run.hung_file] = f"loading the file {what}"
            files.remove(run.hung_file)
        else:
            return ScriptRun(run.tests, tuple(hung), {**run.broken, **lost}, run, frozenset(crashed))
        if not files:
            return ScriptRun((), tuple(hung), lost, run, frozenset(crashed))


def coverage_of(run: ScriptRun, nodeids: Mapping[tuple[str, str], str], measured: Sequence[str]) -> CoverageData:
    """Coverage of the measured files by test, in lines; a branch is its line and the number of the arm in that line.

    Args:
        nodeids: of tests, by file and full name.
    """
    files = {}
    for path in measured:
        places = run.last.maps.get(path) if run.last is not None else None
        if run.last is None or places is None:
            continue
        arms = _arms(places)
        by_test = {"": _reached(run.last.imported, path, places, arms)}
        for test in run.tests:
            if test.reach.get(path):
                by_test[nodeids[test.path, test.name]] = _reached(test.reach, path, places, arms)
        files[path] = FileCoverage(
            frozenset(places.statements.values()),
            frozenset[int]().union(*(one.lines for one in by_test.values())),
            frozenset(arms.values()),
            frozenset[Branch]().union(*(one.branches for one in by_test.values())),
            by_test,
        )
    return CoverageData(files)


def application_coverage(run: ScriptRun, nodeids: Mapping[tuple[str, str], str]) -> CoverageData:
    """Coverage of the applications that tests started, by test; empty where it cannot be read."""
    try:
        found = coverage_from_worker((run.last.application if run.last is not None else None) or {})
    except (AttributeError, KeyError, TypeError, ValueError):
        return CoverageData()  # a program could have written anything there
    names = {f"{path}::{name}": nodeid for (path, name), nodeid in nodeids.items()}
    return CoverageData(
        {
            path: replace(file, by_test={names.get(name, name): part for name, part in file.by_test.items()})
            for path, file in found.files.items()
        }
    )


def _arms(places: SourceMap) -> dict[tuple[str, int], Branch]:
    counts: dict[int, int] = {}
    found: dict[tuple[str, int], Branch] = {}
    for name, (line, arms) in places.branches.items():
        for arm in range(len(arms)):
            counts[line] = counts.get(line, 0) + 1
            found[name, arm] = (line, counts[line])
    return found


def _reached(reach: Reach, path: str, places: SourceMap, arms: Mapping[tuple[str, int], Branch]) -> ReachedCode:
    statements, branches = reach.get(path, (frozenset(), frozenset()))
    return ReachedCode(
        frozenset(places.statements[one] for one in statements if one in places.statements),
        frozenset(arms[one] for one in branches if one in arms),
    )
