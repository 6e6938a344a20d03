"""What was asked for, in lines: the figures of tests of one function are of that function."""

from __future__ import annotations

import pytest

from testwright.gate.evidence.asked_lines import lines_asked_for
from testwright.gate.evidence.summary import coverage_change
from testwright.gate.model.coverage_data import CoverageData, FileCoverage
from testwright.gate.model.mutant_results import MutantResult, MutationReport
from testwright.gate.runner.baseline import CoverageBaseline
from testwright.mutation.model import Mutant

pytestmark = pytest.mark.feature("T-06")

SOURCE = """\
import functools


@functools.cache
def slug(text):
    return _clean(text) if text else ""


def _clean(text):
    return text


class Page:
    def title(self):
        return "a" if self else "b"

    def body(self):
        return "b"


def other(text):
    return 1 if text else 2
"""
LINES = {"slug.py": frozenset({4, 5, 6, 9, 10})}


@pytest.mark.parametrize(
    ("symbols", "lines"),
    [
        (["slug"], {4, 5, 6, 9, 10}),
        (["Page.body"], {9, 10, 17, 18}),
        (["Page"], {9, 10, *range(13, 19)}),
        (["missing"], None),
    ],
)
def test_a_function_has_its_lines_and_those_of_private_functions_beside_it(
    symbols: list[str], lines: set[int] | None
) -> None:
    assert lines_asked_for(SOURCE, symbols) == lines


def test_what_is_no_python_has_no_lines_of_its_own() -> None:
    assert lines_asked_for("def (", ["slug"]) is None


def test_coverage_and_what_was_not_taken_are_those_of_the_lines_asked_for() -> None:
    file = FileCoverage(
        statements=frozenset({1, 4, 6, 10, 13, 15, 18, 21, 22}),
        executed=frozenset({1, 4, 6, 10}),
        branches=frozenset({(6, -5), (6, 7), (22, -21), (22, 23)}),
        executed_branches=frozenset({(6, 7)}),
    )
    after, before = CoverageData({"slug.py": file}), CoverageBaseline(CoverageData(), "imports")
    change = coverage_change(after, before, {"slug.py": SOURCE}, LINES)
    assert change is not None
    assert [change["after"][name] for name in ("statements", "covered", "branches", "covered_branches")] == [3, 3, 2, 1]
    assert {row["line"] for row in change["files"]["slug.py"]["not_taken"]} <= LINES["slug.py"]


@pytest.mark.parametrize(("found", "then"), [(3, 2), (80, 80)], ids=["all of them tried", "a sample"])
def test_mutants_of_other_functions_do_not_count(found: int, then: int) -> None:
    def result(line: int, path: str = "slug.py") -> MutantResult:
        return MutantResult(Mutant("constant", path, line, (line,), 0, 1, "0", "1", "0"), "survived")

    report = MutationReport((result(6), result(22), result(22, "other.py")), found=found)
    within = report.within(LINES)
    assert [(one.mutant.path, one.mutant.line) for one in within.results] == [("slug.py", 6), ("other.py", 22)]
    assert (within.found, within.counts()["survived"]) == (then, 2)
    assert report.within({}) == report
