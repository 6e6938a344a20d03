"""Suites that somebody else wrote, judged for real in the sandbox."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest

from testwright.app.assess import Assessed, assess
from testwright.config.settings import Settings
from testwright.core.errors import UsageError
from testwright.core.exit_code import ExitCode
from testwright.gate.evidence.assertions import assertion_profiles
from testwright.gate.evidence.assertions import tests_without_checks as without_checks
from testwright.mutation.catalog import mutants_of, sample
from testwright.reports.assessment import text_form
from testwright.tests.support.engine.sandboxes import needed_sandbox
from testwright.tests.support.projects.files import make_project

SOURCE = """SEEN = []


def cost(count):
    if count > 10:
        return count * 3
    return count


def mark(item):
    SEEN.append(item)
    return len(SEEN)
"""
TESTS = """import os

import pytest

from shop.price import cost, mark


def test_many():
    assert cost(11) == 33


def test_many_again():
    assert cost(11) > 0


def test_few():
    assert cost(10) == 10


def test_second_mark():
    mark("b")


def test_wrong():
    assert cost(1) == 2, "API_TOKEN=abcdef123456"


def test_folder(here):
    assert os.path.isfile(here)


@pytest.mark.parametrize("count", [1, 2, 3])
def test_rows(count):
    assert cost(count) == count


@pytest.mark.skip
def test_not_today():
    assert False
"""
CONFTEST = """import pytest


@pytest.fixture
def here():
    return "tests/conftest.py"
"""
METHODS = """import unittest

from shop.price import cost, mark

from .helpers import TEN, Common


def load_tests(loader, tests, pattern):
    import doctest

    tests.addTests(doctest.DocTestSuite(__name__.partition(".")[0] + ".helpers"))
    return tests


class TestPrice(Common, unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.ten = TEN

    def test_rows(self):
        for count in (1, 2, 3):
            with self.subTest(count=count):
                self.assertEqual(cost(count), count)

    def test_wrong_row(self):
        for count in (1, 11):
            with self.subTest(count=count):
                self.assertEqual(cost(count), count)

    def test_a_first_mark(self):
        self.assertEqual(mark("a"), 1)

    def test_b_second_mark(self):
        self.assertTrue(mark("b"))

    @unittest.skip("not today")
    def test_not_today(self):
        self.fail()

    @unittest.expectedFailure
    def test_known(self):
        self.assertEqual(cost(self.ten), 11)
"""
HELPERS = '''"""Ten.

>>> TEN
10
"""

TEN = 10


class Common:
    def test_z_common(self):
        assert self
'''


Judge = Callable[..., Awaitable[Assessed]]


@pytest.fixture
def judged(plain_python: Path) -> Judge:
    """A suite about `SOURCE`, judged in an environment without plugins."""

    async def judge(folder: Path, files: dict[str, str], test_seconds: float = 30, **more: Any) -> Assessed:
        needed_sandbox("bubblewrap")
        root = make_project(folder / "p", {"src/shop/price.py": SOURCE, **files})
        settings = Settings(root=root, state_dir=folder / "state", run_id="judged", python=plain_python, **more)
        mutants = 15 if "tests/conftest.py" in files else 0
        targets = ["src/shop/price.py"]
        return await assess(["tests"], settings, targets=targets, mutants=mutants, test_seconds=test_seconds)

    return judge


def by_name(done: Assessed) -> dict[str, Any]:
    return {test["nodeid"].partition("::")[2] or test["nodeid"]: test for test in done.report["tests"]}


@pytest.mark.feature("B-01", "B-11")
async def test_a_suite_of_a_person_is_judged_test_by_test_and_left_alone(tmp_path: Path, judged: Judge) -> None:
    files = {"tests/test_price.py": TESTS, "tests/conftest.py": CONFTEST}
    done = await judged(tmp_path, files, repeats=1)

    tests = by_name(done)
    assert tests["test_many"]["verdict"] == "holds"
    assert tests["test_many"]["evidence"]["mutants_killed"] > 0
    assert tests["test_many"]["evidence"]["reruns"] == 1
    assert tests["test_wrong"]["verdict"] == "failed"
    assert "abcdef123456" not in json.dumps(done.report)
    assert (tests["test_folder"]["verdict"], tests["test_folder"]["causes"]) == ("flaky", ["working_directory"])
    assert tests["test_folder"]["reason"] == "it depends on the current working directory"
    assert tests["test_many_again"]["adds_nothing"] == "everything it runs and notices, test_many does, too"
    assert tests["test_many_again"]["covered_by"] == ["tests/test_price.py::test_many"]
    assert tests["test_many_again"]["checks"] == {"count": 1, "strength": "weak"}
    assert tests["test_second_mark"]["checks"] == {"count": 0, "strength": "none"}
    assert tests["test_second_mark"]["adds_nothing"] is None
    assert done.report["skipped"] == ["tests/test_price.py::test_not_today"]
    rows = next(function for function in done.report["functions"] if function["name"].endswith("::test_rows"))
    assert (rows["rows"], rows["own_lines"]) == (3, 0)
    assert done.report["mutation"]["score"] > 50
    assert done.exit_code == ExitCode.TEST_DEFECT
    assert json.loads((tmp_path / "state/runs/judged/assess.json").read_text()) == done.report
    assert {path.name for path in (tmp_path / "p").rglob("*") if path.is_file()} == {
        "price.py",
        "test_price.py",
        "conftest.py",
    }


@pytest.mark.feature("B-01", "B-11")
async def test_a_package_of_unittest_tests_is_judged_with_its_sub_tests_and_doctests(
    tmp_path: Path, judged: Judge
) -> None:
    files = {"tests/__init__.py": "", "tests/helpers.py": HELPERS, "tests/test_price.py": METHODS}
    done = await judged(tmp_path, files, framework="unittest")

    tests = by_name(done)
    assert {name.rpartition("::")[2]: test["verdict"] for name, test in tests.items()} == {
        "tests.helpers": "holds",
        "test_a_first_mark": "holds",
        "test_b_second_mark": "flaky",
        "test_rows": "holds",
        "test_wrong_row": "failed",
        "test_z_common": "holds",
    }
    assert tests["TestPrice::test_z_common"]["checks"] == {"count": 1, "strength": "weak"}
    assert done.report["disturbances"] == [
        {
            "test": "tests/test_price.py::TestPrice::test_b_second_mark",
            "relation": "makes fail",
            "other": "tests/test_price.py::TestPrice::test_a_first_mark",
            "reason": "it changes state that test_price.py::TestPrice::test_a_first_mark depends on, which fails after "
            "it",
        }
    ]
    assert len(done.report["skipped"]) == 2
    assert "test_wrong_row: the expectation does not hold: AssertionError: 11" not in text_form(done.report)


@pytest.mark.feature("B-11")
async def test_suites_that_cannot_be_run_say_what_is_the_matter(tmp_path: Path, judged: Judge) -> None:
    files = {
        "tests/test_lost.py": "import not_installed_anywhere\n",
        "tests/test_spelled.py": "def test_x(:\n",
        "tests/test_hangs.py": "def test_hangs():\n    while True:\n        pass\n",
        "tests/test_empty.py": "",
    }
    done = await judged(tmp_path, files, repeats=1, framework="unittest")
    assert {name: one["verdict"] for name, one in by_name(done).items()} == {
        "tests/test_lost.py": "error",
        "tests/test_spelled.py": "error",
    }
    assert done.exit_code == ExitCode.TEST_DEFECT

    done = await judged(tmp_path / "again", files, test_seconds=2, repeats=1)
    verdicts = {name: (one["verdict"], one["class"]) for name, one in by_name(done).items()}
    assert verdicts == {
        "tests/test_lost.py": ("error", "environment"),
        "tests/test_spelled.py": ("error", "test_defect"),
        "test_hangs": ("timeout", "timeout"),
    }
    text = text_form(done.report)
    assert "tests/test_lost.py: the target's environment lacks the module not_installed_anywhere" in text
    assert "tests/test_hangs.py::test_hangs: the test ran longer than 2 s" in text


async def test_a_suite_without_a_test_has_its_own_exit_code(tmp_path: Path, judged: Judge) -> None:
    done = await judged(tmp_path, {"tests/test_empty.py": ""})
    assert done.exit_code == ExitCode.NOTHING_KEPT
    assert "0 of 0 tests hold" in text_form(done.report)


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


@pytest.mark.parametrize(
    ("body", "count", "strength"),
    [
        ("total()", 0, "none"),
        ("assert total()", 1, "exact"),
        ("assert total() is not None and isinstance(total(), int)", 1, "weak"),
        ("assert len(total()) > 0", 1, "weak"),
        ("assert not cart", 1, "weak"),
        ("self.assertTrue(total())", 1, "exact"),
        ("self.assertTrue(cart)", 1, "weak"),
        ("self.assertTrue(total() == 3)", 1, "exact"),
        ("assert total() == pytest.approx(3)", 1, "exact"),
        ("assert total() == 3\n    assert cart", 2, "exact"),
        ("with pytest.raises(ValueError, match='x'):\n        total()", 1, "exact"),
    ],
)
def test_how_strongly_a_test_checks_is_told_from_its_source(body: str, count: int, strength: str) -> None:
    found = assertion_profiles(f"@marked\ndef test_x(self, cart):\n    {body}\n")[1]
    assert (found.count, found.strength) == (count, strength)


async def test_another_seed_draws_other_mutants(tmp_path: Path, plain_python: Path) -> None:
    test = "from shop.price import cost\n\n\ndef test_few():\n    assert cost(5) == 5\n"
    path = "src/shop/price.py"
    root = make_project(tmp_path / "p", {path: SOURCE, "tests/test_price.py": test})
    needed_sandbox("bubblewrap")
    settings = Settings(root=root, state_dir=tmp_path / "state", repeats=1, python=plain_python)
    done = await assess([], settings, targets=[path], mutants=3, seed=5)
    everything = mutants_of(SOURCE.encode(), path)
    drawn = sample(everything, 3, seed=5)

    assert done.report["mutation"]["seed"] == 5
    assert [(mutant["line"], mutant["after"]) for mutant in done.report["mutants"]] == [
        (one.line, one.after) for one in drawn
    ]
    assert drawn != sample(everything, 3)
