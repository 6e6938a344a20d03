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


CART = """\
class Base:
    def _round(self, value):
        return value

    def _other(self):
        return 1


class Cart(Base):
    def total(self):
        return self._sum()

    def _sum(self):
        return self._round(_Row(1).value)

    def _unused(self):
        return 2

    @property
    def size(self):
        return 3

    @size.setter
    def size(self, value):
        pass


class _Row:
    value = 1


class _Unused:
    pass
"""


@pytest.mark.parametrize(
    ("symbols", "lines"),
    [
        (["Cart.total"], {2, 3, 10, 11, 13, 14, 28, 29}),
        (["Cart.size"], {*range(19, 22), *range(23, 26)}),
        (["Cart"], {2, 3, *range(9, 26), 28, 29}),
    ],
    ids=["private methods and classes that it names", "both parts of a property", "what its bases do for it"],
)
def test_a_method_has_the_lines_of_the_private_code_that_it_reaches(symbols: list[str], lines: set[int]) -> None:
    assert lines_asked_for(CART, symbols) == lines


@pytest.mark.parametrize(
    "block",
    [
        "with guard():",
        "for name in names:",
        "while late():",
        "match kind:\n  case 1:",
        "try:\n  import fast\nexcept ImportError:",
        "try:\n  import fast\nexcept* ImportError:",
        "try:\n  import fast\nfinally:",
        "if fast:\n  pass\nelse:",
    ],
)
def test_a_function_is_found_in_whatever_block_of_the_module_it_stands(block: str) -> None:
    before = block.count("\n") + 1
    source = f"{block}\n    def slug(text):\n        return text\n\n\ndef other(text):\n    return text\n"
    assert lines_asked_for(source, ["slug"]) == {before + 1, before + 2}


def test_a_function_inside_a_function_is_none_of_the_module() -> None:
    assert lines_asked_for("def other():\n    def slug(text):\n        return text\n", ["slug"]) is None


def test_a_long_chain_of_private_methods_is_followed_to_its_end() -> None:
    steps = "".join(f"    def _{number}(self):\n        return self._{number + 1}()\n" for number in range(300))
    source = (
        f"class Chain:\n    def run(self):\n        return self._0()\n{steps}    def _300(self):\n        return 1\n"
    )
    assert lines_asked_for(source, ["Chain.run"]) == set(range(2, 606))


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


@pytest.mark.parametrize(
    ("places", "found"),
    [({"slug.py": {6: 20, 10: 3, 22: 40}, "other.py": {22: 7}}, 30), ({}, 2)],
    ids=["of a sample those there are on these lines", "of all of them those that were tried"],
)
def test_mutants_of_other_functions_do_not_count(places: dict[str, dict[int, int]], found: int) -> None:
    def result(line: int, path: str = "slug.py") -> MutantResult:
        return MutantResult(Mutant("constant", path, line, (line,), 0, 1, "0", "1", "0"), "survived")

    report = MutationReport((result(6), result(22), result(22, "other.py")), found=70, places=places)
    within = report.within(LINES)
    assert [(one.mutant.path, one.mutant.line) for one in within.results] == [("slug.py", 6), ("other.py", 22)]
    assert (within.found, within.counts()["survived"]) == (found, 2)
    assert report.within({}) == report
