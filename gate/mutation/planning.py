"""Plans which tests run on which mutants, and in which order."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from ...mutation.catalog import mutants_of
from ...mutation.model import Mutant
from ...mutation.trivial import TestedFunction, functions_of
from ...utils.untrusted_files import read_source_bytes
from ..model.coverage_data import CoverageData, FileCoverage


@dataclass(frozen=True, slots=True)
class JudgingTests:
    """The tests that judge mutants, node ids in the order of collection, and what each of them runs."""

    passing: Sequence[str]
    coverage: CoverageData


@dataclass(frozen=True, slots=True)
class PlannedMutant:
    """A mutant with the tests to run on it, as places among those that judge; a round follows one that notices nothing.

    Attributes:
        imported: whether its line runs at import.
    """

    mutant: Mutant
    rounds: tuple[tuple[int, ...], ...]
    imported: bool = False


def mutants_in_files(project: Path, paths: Sequence[str], notes: list[str]) -> list[Mutant]:
    """The mutants of some files; what has none because it does not read is said in `notes`."""
    found: list[Mutant] = []
    for path in paths:
        try:
            found += mutants_of(read_source_bytes(project, path), path)
        except SyntaxError as error:
            notes.append(f"{path} got no mutants: it is not Python that this version reads ({error.msg})")
        except OSError as error:
            notes.append(f"{path} got no mutants: {error.strerror}")
    return found


def tested_functions(project: Path, judges: JudgingTests) -> list[TestedFunction]:
    """The public functions of the measured files that some judging test runs, in the order of the source."""
    found: list[TestedFunction] = []
    judging = set(judges.passing)
    for path, file in sorted(judges.coverage.files.items()):
        run = {line for nodeid, part in file.by_test.items() if nodeid in judging for line in part.lines}
        try:
            functions = functions_of(read_source_bytes(project, path), path)
        except (SyntaxError, OSError):  # it has no mutants either, which is noted there
            continue
        found += [one for one in functions if any(one.lines[0] <= line <= one.lines[1] for line in run)]
    return found


def plan_of(mutant: Mutant, file: FileCoverage, passing: Sequence[str], needy: Sequence[int]) -> PlannedMutant:
    """Which tests are run on a mutant, as places in `passing`; no round where none runs its line.

    Lines that run at import belong to no test: first the tests that run anything of the file are tried, and those that
    only a mutant can speak for, then the rest.
    """
    lines = set(mutant.lines)
    imported = file.by_test.get("")
    if imported is not None and lines & imported.lines:
        first = {place for place, nodeid in enumerate(passing) if nodeid in file.by_test} | set(needy)
        near = tuple(sorted(first))
        far = tuple(place for place in range(len(passing)) if place not in first)
        return PlannedMutant(mutant, tuple(part for part in (near, far) if part), imported=True)
    covering = tuple(
        place for place, nodeid in enumerate(passing) if nodeid in file.by_test and lines & file.by_test[nodeid].lines
    )
    return PlannedMutant(mutant, (covering,) if covering else ())


def tests_without_own_lines(passing: Sequence[str], coverage: CoverageData) -> list[int]:
    """The places of the tests that cover nothing beyond those before them: only a mutant can speak for them."""
    known = coverage.of_tests({""})
    found = []
    for place, nodeid in enumerate(passing):
        adds = any(
            part.lines - known.files[path].executed or part.branches - known.files[path].executed_branches
            for path, part in coverage.of_test(nodeid).items()
        )
        if not adds:
            found.append(place)
        known = known.united(coverage.of_tests({nodeid}))
    return found
