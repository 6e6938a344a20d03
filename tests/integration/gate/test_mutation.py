"""Mutants of a small project, tried for real in the sandbox."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path

import pytest

from testwright.gate.evidence.additions import redundant_tests
from testwright.gate.evidence.evidence import evidence_of
from testwright.gate.evidence.summary import tool_result
from testwright.gate.model.mutant_results import MutationReport
from testwright.gate.model.options import Framework, SuiteOptions
from testwright.gate.model.strictness import VerifyOptions
from testwright.gate.mutation.measurement import MutationOptions, measure_mutants
from testwright.gate.mutation.notes import notes_of
from testwright.gate.runner.suite import open_suite
from testwright.gate.verify.verify import verify_files
from testwright.mutation.catalog import mutants_of, sample
from testwright.sandbox.target import PythonTarget
from testwright.tests.support.engine.targets import prepared

SOURCE = '''"""Prices."""

RATE = 3


def cost(count):
    """Price of some."""
    if count > 10:
        return count * RATE
    return count + 0


def countdown(number):
    while number > 0:
        number -= 1
    return number


def unused(number):
    return number + 1
'''
PYTEST = """from shop.price import cost, countdown


def test_many():
    assert cost(11) == 33


def test_few():
    assert cost(10) == 10


def test_countdown():
    assert countdown(3) == 0
"""
UNITTEST = """import unittest

from shop.price import cost, countdown


class Prices(unittest.TestCase):
    def test_many(self):
        self.assertEqual(cost(11), 33)

    def test_countdown(self):
        self.assertEqual(countdown(3), 0)
"""


@pytest.fixture
async def shop(tmp_path: Path) -> AsyncIterator[PythonTarget]:
    async with prepared(tmp_path, {"src/shop/price.py": SOURCE}) as target:
        yield target


async def measured(
    target: PythonTarget, files: dict[str, str], framework: Framework = "pytest", jobs: int = 2
) -> MutationReport:
    run = SuiteOptions(measure=("src/shop/price.py",))
    async with open_suite(target, files, framework) as suite:
        result = await suite.run(run)
        assert result.coverage is not None
        passing = [test.nodeid for test in result.tests if test.outcome == "passed"]
        before = {path: path.read_bytes() for path in suite.workspace.project.rglob("*.py")}
        report = await measure_mutants(suite, passing, result.coverage, MutationOptions(size=500, jobs=jobs))
        assert {path: path.read_bytes() for path in suite.workspace.project.rglob("*.py")} == before
    return report


@pytest.mark.feature("B-01", "B-11")
async def test_each_mutant_has_a_verdict_and_the_tests_that_notice_it(shop: PythonTarget) -> None:
    report = await measured(shop, {"tests/test_price.py": PYTEST})
    found = {
        (result.mutant.line, result.mutant.operator, result.mutant.replacement): result for result in report.results
    }
    many, few = "tests/test_price.py::test_many", "tests/test_price.py::test_few"

    assert found[9, "arithmetic", "/"].killed_by == (many,)
    assert found[8, "comparison", ">="].killed_by == (few,)
    assert found[3, "number", "4"].status == "killed", "what runs at import is covered, too"
    assert found[3, "number", "4"].killed_by == (many,)
    assert found[10, "arithmetic", "-"].status == "survived"
    assert found[15, "augmented assignment", "+="].status == "timeout"
    assert found[20, "arithmetic", "-"].status == "uncovered"
    assert found[10, "return value", "None"].tests == 1, "only the tests that run the line are run"
    assert report.notes == ()
    assert report.count("untried") == 0


async def test_unittest_suites_are_measured_in_the_same_way(shop: PythonTarget) -> None:
    report = await measured(shop, {"tests/test_price.py": UNITTEST}, "unittest")
    found = {
        (result.mutant.line, result.mutant.operator, result.mutant.replacement): result for result in report.results
    }

    assert found[9, "arithmetic", "/"].killed_by == ("tests/test_price.py::Prices::test_many",)
    assert found[3, "number", "4"].status == "killed"
    assert found[10, "arithmetic", "-"].status == "uncovered"


DEADLY = """import os
import signal


def mark(number):
    if number > 10:
        os.kill(os.getppid(), signal.SIGKILL)
    return number + 1


def other(number):
    return number - 2
"""
DEADLY_TESTS = """from shop.price import mark, other


def test_mark():
    assert mark(3) == 4


def test_other():
    assert other(3) == 1
"""


@pytest.mark.feature("B-11")
async def test_a_mutant_that_ends_the_process_that_tries_them_is_told_with_the_number_of_the_untried(
    tmp_path: Path,
) -> None:
    async with prepared(tmp_path, {"src/shop/price.py": DEADLY}) as target:
        report = await measured(target, {"tests/test_price.py": DEADLY_TESTS}, jobs=1)
    untried = report.count("untried")
    assert untried > 1
    (note,) = report.notes
    assert note.startswith(f"{untried} mutants are untried: the process that tries them ended early")


def test_mutants_that_there_was_no_time_for_are_told() -> None:
    end = {"kind": "end", "peak_kib": 1}
    assert notes_of([{**end, "untried": "time"}], 0) == []
    assert notes_of([{**end, "untried": "time"}], 2)[0].startswith("2 mutants are untried: the time was up")
    assert notes_of([], 1)[0].startswith("1 mutant is untried: the time was up")
    assert notes_of([{**end, "untried": "judges"}], 3) == ["3 mutants are untried: no test judges"]


@pytest.mark.feature("B-01")
async def test_the_evidence_of_a_kept_test_counts_the_mutants_it_notices(shop: PythonTarget) -> None:
    strictness = VerifyOptions(repeats=0, measure=("src/shop/price.py",), mutants=500)
    verification = await verify_files(shop, {"tests/test_price.py": PYTEST}, framework="pytest", options=strictness)
    records = {one.nodeid.rpartition("::")[2]: one for one in evidence_of(verification)}
    answer = tool_result(verification, evidence=evidence_of(verification))

    assert records["test_few"].mutants_killed
    assert answer["mutation"]["killed"] + answer["mutation"]["timeout"] > 5
    assert {survivor["line"] for survivor in answer["mutation"]["survivors"]} >= {10, 20}


REPEATING = (
    PYTEST.replace("cost,", "RATE, cost,")
    + """

def test_many_again():
    assert cost(12) == 36


def test_nothing_new():
    assert cost(5) != 77


def test_rate():
    assert RATE == 3
"""
)


@pytest.mark.feature("B-11")
async def test_a_test_that_adds_nothing_is_told_with_the_reason_and_not_kept(shop: PythonTarget) -> None:
    path = "tests/test_price.py"
    options = VerifyOptions(repeats=1, measure=("src/shop/price.py",), mutants=100)
    verified = await verify_files(shop, {path: REPEATING}, framework="pytest", options=options)
    records = {record.nodeid.rpartition("::")[2]: record for record in evidence_of(verified)}
    assert records["test_many"].mutants_killed
    assert not records["test_nothing_new"].mutants_killed
    idle = redundant_tests(tuple(records.values()), verified.mutation)
    assert [record.nodeid.rpartition("::")[2] for record in idle] == ["test_many_again", "test_nothing_new"]
    named = replace(
        verified, verdicts=tuple(replace(verdict, case_id=f"tc_{verdict.name}") for verdict in verified.verdicts)
    )
    answer = tool_result(named, evidence=evidence_of(named), idle=idle)
    assert [one["class"] for one in answer["idle"]] == ["redundant", "redundant"]
    assert "mutants" in answer["idle"][0]["reason"]
    assert answer["idle"][0]["case_id"] not in answer["kept"]
    assert len(answer["kept"]) == 4


async def test_what_only_a_mutant_can_speak_for_is_run_on_mutants_of_import_time_lines_whoever_noticed_them(
    shop: PythonTarget,
) -> None:
    async with open_suite(shop, {"tests/test_price.py": REPEATING}, "pytest") as suite:
        first = await suite.run(SuiteOptions(measure=("src/shop/price.py",)))
        assert first.coverage is not None
        passing = [test.nodeid for test in first.tests]
        reports = [
            await measure_mutants(suite, passing, first.coverage, MutationOptions(size=100, thorough=thorough))
            for thorough in (True, False)
        ]
    assert reports[0].counts() == reports[1].counts()
    at_import = [[result for result in report.results if result.mutant.line == 3] for report in reports]
    noticed = [{name.rpartition("::")[2] for one in found for name in one.killed_by} for found in at_import]
    assert noticed[0] == {"test_many", "test_many_again"}
    assert "test_rate" in noticed[1]


def test_a_sample_is_the_same_every_time_and_part_of_a_larger_one() -> None:
    every = mutants_of(SOURCE.encode(), "a.py")

    assert sample(every, 5) == sample(every[::-1], 5)
    assert set(sample(every, 5)) < set(sample(every, 9))
    assert sample(every, 5) != sample(every, 5, seed=1)
    assert sample(every, 1000) == every


def test_every_mutant_compiles() -> None:
    source = Path(__file__).read_bytes()
    for one in mutants_of(source, "a.py"):
        changed = source[: one.start] + one.replacement.encode() + source[one.end :]
        compile(changed, "a.py", "exec", dont_inherit=True)


def test_docstrings_annotations_and_f_strings_get_no_mutants() -> None:
    source = b'"""Doc."""\n\n\ndef f(a: 3) -> 4:\n    """Doc."""\n    print\n    return f"{a + 1}"\n'

    assert [one.operator for one in mutants_of(source, "a.py")] == ["return value"]


def test_the_list_of_public_names_declares_and_has_no_mutants() -> None:
    source = b"__all__ = ['f']\n__all__ += ['g']\n\n\ndef f():\n    return g(1)\n"

    assert {one.line for one in mutants_of(source, "a.py")} == {6}
