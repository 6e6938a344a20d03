"""Holds branch coverage as sets of lines and branches, so that runs can be united and tests compared."""

from __future__ import annotations

import operator
from collections.abc import Iterable, Mapping, Set
from dataclasses import dataclass, field, replace
from typing import Any

Branch = tuple[int, int]


@dataclass(frozen=True, slots=True)
class ReachedCode:
    """What one test ran in one file."""

    lines: frozenset[int] = frozenset()
    branches: frozenset[Branch] = frozenset()


@dataclass(frozen=True, slots=True)
class FileCoverage:
    """One measured file; line numbers are those of coverage.py, its default exclusions left out.

    Attributes:
        by_test: node id → what that test ran. Lines run at import have the node id "".
    """

    statements: frozenset[int] = frozenset()
    executed: frozenset[int] = frozenset()
    branches: frozenset[Branch] = frozenset()
    executed_branches: frozenset[Branch] = frozenset()
    by_test: Mapping[str, ReachedCode] = field(default_factory=dict)

    @property
    def missing(self) -> tuple[int, ...]:
        """Statements that never ran, ascending."""
        return tuple(sorted(self.statements - self.executed))

    @property
    def missing_branches(self) -> tuple[Branch, ...]:
        """Branches never taken, ascending."""
        return tuple(sorted(self.branches - self.executed_branches))

    def united(self, other: FileCoverage) -> FileCoverage:
        """What both runs reached together."""
        by_test = dict(self.by_test)
        for name, reach in other.by_test.items():
            mine = by_test.get(name, ReachedCode())
            by_test[name] = ReachedCode(mine.lines | reach.lines, mine.branches | reach.branches)
        return FileCoverage(
            self.statements | other.statements,
            self.executed | other.executed,
            self.branches | other.branches,
            self.executed_branches | other.executed_branches,
            by_test,
        )


@dataclass(frozen=True, slots=True)
class CoverageData:
    """Measured files by their path relative to the project."""

    files: Mapping[str, FileCoverage] = field(default_factory=dict)

    def united(self, other: CoverageData) -> CoverageData:
        """What both runs reached together."""
        empty = FileCoverage()
        names = sorted({*self.files, *other.files})
        return CoverageData({name: self.files.get(name, empty).united(other.files.get(name, empty)) for name in names})

    def only(self, paths: Iterable[str]) -> CoverageData:
        """The same, of some files."""
        wanted = set(paths)
        return CoverageData({name: file for name, file in self.files.items() if name in wanted})

    def within(self, lines: Mapping[str, Set[int]]) -> CoverageData:
        """The same, of some lines of some files; other files stay whole. A branch lies where it begins."""
        return CoverageData({name: _within(file, lines.get(name)) for name, file in self.files.items()})

    def of_test(self, nodeid: str) -> dict[str, ReachedCode]:
        """What one test ran, by file; files it did not touch are left out."""
        return {name: file.by_test[nodeid] for name, file in sorted(self.files.items()) if nodeid in file.by_test}

    def of_tests(self, nodeids: Set[str]) -> CoverageData:
        """What remains when only these tests had run; give "" among them for what importing reaches."""
        files = {}
        for name, file in self.files.items():
            by_test = {nodeid: reach for nodeid, reach in file.by_test.items() if nodeid in nodeids}
            everything = frozenset[Branch]().union(*(reach.branches for reach in file.by_test.values()))
            files[name] = replace(
                file,
                executed=frozenset[int]().union(*(reach.lines for reach in by_test.values())),
                # Branches that no test took and that count all the same are those marked "no branch".
                executed_branches=frozenset[Branch](file.executed_branches - everything).union(
                    *(reach.branches for reach in by_test.values())
                ),
                by_test=by_test,
            )
        return CoverageData(files)

    def totals(self) -> dict[str, int | float]:
        """Counts over all files; percentages are 100.0 where there is nothing to cover."""
        statements = sum(len(file.statements) for file in self.files.values())
        covered = sum(len(file.executed) for file in self.files.values())
        branches = sum(len(file.branches) for file in self.files.values())
        taken = sum(len(file.executed_branches) for file in self.files.values())
        return {
            "statements": statements,
            "covered": covered,
            "branches": branches,
            "covered_branches": taken,
            "percent_statements": percent(covered, statements),
            "percent_branches": percent(taken, branches),
        }

    def to_dict(self) -> dict[str, Any]:
        """JSON form without the lines of single tests: totals, and per file counts and what is missing."""
        files = {
            name: {
                **CoverageData({name: file}).totals(),
                "missing": list(file.missing),
                "missing_branches": [list(branch) for branch in file.missing_branches],
            }
            for name, file in sorted(self.files.items())
        }
        return {**self.totals(), "files": files}


def _within(file: FileCoverage, lines: Set[int] | None) -> FileCoverage:
    if lines is None:
        return file
    branches = frozenset(branch for branch in file.branches if branch[0] in lines)
    return replace(
        file,
        statements=file.statements & lines,
        executed=file.executed & lines,
        branches=branches,
        executed_branches=file.executed_branches & branches,
    )


def percent(part: int, whole: int) -> float:
    """A share in percent with two digits."""
    return 100.0 if whole == 0 else round(100.0 * part / whole, 2)


def coverage_from_worker(raw: Mapping[str, Any]) -> CoverageData:
    """Read what worker/suites/coverage_measure.py wrote.

    Raises:
        AttributeError, KeyError, TypeError, ValueError: on other data.
    """
    files = {}
    for name, facts in raw.items():
        by_test = {
            context: ReachedCode(_lines(reach["lines"]), _branches(reach["branches"]))
            for context, reach in facts["contexts"].items()
        }
        files[name] = FileCoverage(
            _lines(facts["statements"]),
            _lines(facts["executed"]),
            _branches(facts["branches"]),
            _branches(facts["executed_branches"]),
            by_test,
        )
    return CoverageData(files)


def _lines(numbers: Iterable[int]) -> frozenset[int]:
    return frozenset(operator.index(number) for number in numbers)


def _branches(pairs: Iterable[Iterable[int]]) -> frozenset[Branch]:
    return frozenset((operator.index(first), operator.index(second)) for first, second in pairs)
