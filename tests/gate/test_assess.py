"""Suites that somebody else wrote, judged for real in the sandbox."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from testwright.assessing import assess
from testwright.errors import ExitCode, UsageError
from testwright.gate.assertions import tests_without_checks as without_checks
from testwright.settings import Settings
from testwright.tests.support.projects import make_project
from testwright.tests.support.sandboxes import needed_sandbox

SOURCE = """SEEN = []


def cost(count):
    if count > 10:
        return count * 3
    return count


def mark(item):
    SEEN.append(item)
    return len(SEEN)
"""
TESTS = """from shop.price import cost, mark


def test_many():
    assert cost(11) == 33


def test_many_again():
    assert cost(11) > 0


def test_few():
    assert cost(10) == 10


def test_first_mark():
    assert mark("a") == 1


def test_second_mark():
    mark("b")


def test_wrong():
    assert cost(1) == 2
"""


@pytest.mark.feature("B-01", "B-11")
async def test_a_suite_of_a_person_is_judged_test_by_test_and_left_alone(tmp_path: Path) -> None:
    needed_sandbox("bubblewrap")
    root = make_project(tmp_path / "p", {"src/shop/price.py": SOURCE, "tests/test_price.py": TESTS})
    settings = Settings(root=root, state_dir=tmp_path / "state", run_id="judged", repeats=1)

    done = await assess(["tests"], settings, targets=["src/shop/price.py"], mutants=40)

    tests = {one["nodeid"].rpartition("::")[2]: one for one in done.report["tests"]}
    assert tests["test_many"]["verdict"] == "holds"
    assert tests["test_many"]["evidence"]["mutants_killed"] > 0
    assert tests["test_many"]["evidence"]["reruns"] == 1
    assert tests["test_wrong"]["verdict"] == "failed"
    assert "flaky" in {tests["test_first_mark"]["verdict"], tests["test_second_mark"]["verdict"]}
    assert [name for name, one in tests.items() if one["adds_nothing"]] == ["test_many_again"]
    assert [name for name, one in tests.items() if one["asserts_nothing"]] == ["test_second_mark"]
    assert done.report["mutation"]["score"] > 50
    assert done.exit_code == ExitCode.TEST_DEFECT
    assert json.loads((tmp_path / "state/runs/judged/assess.json").read_text()) == done.report
    assert sorted(one.name for one in root.rglob("*") if one.is_file()) == ["price.py", "test_price.py"]


async def test_a_project_without_tests_is_told_so(tmp_path: Path) -> None:
    root = make_project(tmp_path / "p", {"shop.py": SOURCE})

    with pytest.raises(UsageError, match="no test files"):
        await assess([], Settings(root=root, state_dir=tmp_path / "state"))


def test_a_test_that_only_calls_asserts_nothing() -> None:
    source = """
def check_total(cart):
    assert cart

def test_calls():
    total()

def test_checks():
    check_total([1])

def test_raises():
    with pytest.raises(ValueError):
        total()

class TestCart:
    def test_adds(self):
        self.cart.add(1)

    def test_equal(self):
        self.assertEqual(1, 1)
"""
    assert without_checks(source) == {"test_calls", "TestCart::test_adds"}
