"""Real pytest and unittest runs in the sandbox, read as data."""

import asyncio
import contextlib
import json
import subprocess
import sys
from dataclasses import replace

import pytest

from testwright.core.errors import EnvironmentFault, UsageError
from testwright.gate.model.options import SuiteOptions
from testwright.gate.runner.suite import open_suite, run_suite
from testwright.tests.integration.gate.conftest import CART
from testwright.tests.support.engine.targets import prepared
from testwright.tests.support.projects.files import make_project

PATH = "tests/generated/test_cart.py"
MEASURED = SuiteOptions(measure=("src/shop/cart.py",))
PYTEST_FILE = '''
import pytest
from shop.cart import total


@pytest.mark.parametrize(
    ("price", "count", "expected"),
    [pytest.param(3, 2, 6, id="tc_total_two"), pytest.param(3, 1, 3, id="tc_total_one")],
)
def test_total(price, count, expected):
    assert total(price, count) == expected


def test_total_of_none():
    """tc_total_none: no items cost nothing."""
    assert total(5, 0) == 0


def test_lacks_its_fixture(nowhere):
    """tc_fixture"""


def test_skipped():
    pytest.skip("not today")


@pytest.mark.xfail
def test_expected_to_fail():
    assert total(1, 1) == 2
'''
UNITTEST_FILE = '''
import unittest
from shop.cart import total


class TotalTest(unittest.IsolatedAsyncioTestCase):
    def test_two(self):
        """tc_total_two"""
        self.assertEqual(total(3, 2), 6)

    async def test_none(self):
        """tc_total_none"""
        self.assertEqual(total(5, 0), 0)

    def test_rows(self):
        """tc_rows"""
        for count in (1, 0):
            with self.subTest(count=count):
                self.assertEqual(total(2, count), 2 * count)

    @unittest.skip("not today")
    def test_skipped(self):
        pass


class BrokenTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        raise OSError("no database")

    def test_never_reached(self):
        """tc_never"""
'''


def outcomes(result):
    return {test.nodeid.partition("::")[2]: test.outcome for test in result.tests}


@pytest.mark.feature("T-11", "B-07")
async def test_pytest_outcomes_carry_case_ids_and_the_exception_that_ended_them(shop):
    result = await run_suite(shop, {PATH: PYTEST_FILE}, framework="pytest")
    assert outcomes(result) == {
        "test_total[tc_total_two]": "passed",
        "test_total[tc_total_one]": "passed",
        "test_total_of_none": "failed",
        "test_lacks_its_fixture": "error",
        "test_skipped": "skipped",
        "test_expected_to_fail": "xfailed",
    }
    tests = {test.case_id: test for test in result.tests}
    assert tests["tc_total_two"].name == "test_total[tc_total_two]"
    failed = tests["tc_total_none"]
    assert failed.message == "AssertionError: assert 1 == 0"
    assert failed.failure is not None
    assert [frame.path for frame in failed.failure.frames] == [PATH]
    assert "assert total(5, 0) == 0" in failed.trace
    assert result.coverage is None
    assert json.loads(json.dumps(result.to_dict()))["counts"]["passed"] == 2


@pytest.mark.feature("T-11", "B-07")
async def test_unittest_outcomes_carry_case_ids_and_class_fixtures_that_fail(shop):
    result = await run_suite(shop, {PATH: UNITTEST_FILE}, framework="unittest", options=MEASURED)
    assert outcomes(result) == {
        "TotalTest::test_two": "passed",
        "TotalTest::test_none": "failed",
        "TotalTest::test_rows": "failed",
        "TotalTest::test_skipped": "skipped",
        "BrokenTest::test_never_reached": "error",
    }
    never = next(test for test in result.tests if test.case_id == "tc_never")
    assert never.message == "OSError: no database"
    assert result.coverage is not None
    assert result.coverage.totals()["covered_branches"] == 3


BODIES = [
    ("before", "assert total(1, 1) == 1"),
    ("dies", "os._exit(7)"),
    ("hangs", "time.sleep(600)"),
    ("after", "assert total(2, 2) == 4"),
]
STUBBORN = ("stubborn", "exec('while True:\\n try:\\n  time.sleep(600)\\n except BaseException:\\n  pass', globals())")


@pytest.mark.feature("B-11")
@pytest.mark.parametrize("framework", ["pytest", "unittest"])
async def test_a_test_that_hangs_or_kills_the_process_costs_only_itself(shop, framework):
    bodies = BODIES if framework == "unittest" else [*BODIES, STUBBORN]
    me, indent = ("self", "    ") if framework == "unittest" else ("", "")
    lines = ["import os, time, unittest", "from shop.cart import total"]
    lines += ["class T(unittest.TestCase):"] if indent else []
    lines += [f"{indent}def test_{name}({me}):\n{indent}    'tc_{name}'\n{indent}    {body}\n" for name, body in bodies]
    options = SuiteOptions(test_seconds=4, grace_seconds=1, measure=("src/shop/cart.py",))
    result = await run_suite(shop, {PATH: "\n".join(lines)}, framework=framework, options=options)
    found = {test.case_id: test.outcome for test in result.tests}
    assert found.pop("tc_stubborn", "timeout") == "timeout"
    assert found == {"tc_after": "passed", "tc_before": "passed", "tc_dies": "crashed", "tc_hangs": "timeout"}
    assert result.launches > 1
    assert result.coverage is not None
    assert 8 in result.coverage.files["src/shop/cart.py"].executed


@pytest.mark.feature("B-11")
async def test_coverage_is_what_coverage_py_itself_reports_and_is_split_by_test(shop, tmp_path):
    source = "from shop.cart import total\n"
    source += "def test_a():\n    assert total(2, 3) == 6\ndef test_b():\n    assert total(2, 0)\n"
    result = await run_suite(shop, {PATH: source}, framework="pytest", options=MEASURED)
    assert result.coverage is not None
    project = make_project(tmp_path / "p", {"shop/__init__.py": "", "shop/cart.py": CART, "test_cart.py": source})
    reported = await asyncio.to_thread(report_of_coverage_py, project)
    ours = result.coverage.files["src/shop/cart.py"]
    assert list(ours.missing) == reported["missing_lines"]
    assert [list(branch) for branch in ours.missing_branches] == reported["missing_branches"]
    assert result.coverage.totals()["statements"] == reported["summary"]["num_statements"]
    assert result.coverage.totals()["branches"] == reported["summary"]["num_branches"]
    assert result.coverage.totals()["covered_branches"] == reported["summary"]["covered_branches"]
    assert ours.by_test[f"{PATH}::test_b"].lines == {8, 10, 11}
    assert ours.by_test[f"{PATH}::test_a"].branches == {(8, 10), (10, 12)}
    assert 3 in ours.by_test[""].lines


def report_of_coverage_py(project):
    script = project / "run_tests.py"
    script.write_text("import test_cart\n\ntest_cart.test_a()\ntest_cart.test_b()\n")
    run = ["run", "--branch", "--include=shop/cart.py", script.name]
    for arguments in (run, ["json", "-o", "c.json"]):
        subprocess.run([sys.executable, "-m", "coverage", *arguments], cwd=project, check=True, capture_output=True)
    return json.loads((project / "c.json").read_text())["files"]["shop/cart.py"]


CONFTEST = "import pytest\n\n@pytest.fixture\ndef six(five):\n    return five + 1\n"


async def test_the_projects_conftest_and_warning_filters_count_but_not_its_way_of_calling_pytest(
    tmp_path, plain_python
):
    files = {
        "src/shop/__init__.py": "",
        "pytest.ini": "[pytest]\naddopts = --no-such-option -x\ntestpaths = elsewhere\nfilterwarnings =\n    error\n",
        "tests/conftest.py": "import pytest\n\n@pytest.fixture\ndef five():\n    return 5\n",
    }
    source = (
        "import warnings\n\ndef test_five(five, six):\n    assert five == six - 1 == 5\n\n"
        "def test_warns():\n    warnings.warn('old', DeprecationWarning)\n"
    )
    async with prepared(tmp_path, files, python=plain_python) as target:
        written = {"tests/generated/conftest.py": CONFTEST, "tests/generated/test_x.py": source}
        result = await run_suite(target, written, framework="pytest")
    assert outcomes(result) == {"test_five": "passed", "test_warns": "failed"}
    assert result.notes == ()


async def test_a_conftest_that_does_not_import_is_left_out_and_said(tmp_path, plain_python):
    files = {"src/shop/__init__.py": "", "tests/conftest.py": "import not_installed_anywhere\n"}
    async with prepared(tmp_path, files, python=plain_python) as target:
        result = await run_suite(target, {"tests/generated/test_x.py": "def test_x():\n    pass\n"}, framework="pytest")
    assert result.counts() == {"passed": len(result.tests)}
    assert not result.collect_errors
    assert "without the project's conftest.py" in result.notes[0]
    assert "not_installed_anywhere" in result.notes[0]


@pytest.mark.feature("B-07")
async def test_a_pytest_that_does_not_start_is_the_environments_fault_and_no_failed_test(tmp_path, plain_python):
    files = {"src/shop/__init__.py": ""}
    source = {"tests/generated/test_x.py": "def test_x():\n    pass\n"}
    async with prepared(tmp_path, files, python=plain_python) as sound:
        target = replace(sound, variables={"PYTEST_PLUGINS": "half_installed"})
        with pytest.raises(EnvironmentFault, match="half_installed") as caught:
            await run_suite(target, source, framework="pytest")
    assert caught.value.advice


async def test_tests_run_in_the_order_they_are_selected_in_and_only_those(shop):
    source = "".join(f"def test_{name}():\n    pass\n\n" for name in "abcd")
    selected = tuple(f"{PATH}::test_{name}" for name in "dab")
    async with open_suite(shop, {PATH: source}, "pytest") as suite:
        chosen = await suite.run(SuiteOptions(select=selected))
        one = await suite.run(SuiteOptions(shuffle=5))
        again = await suite.run(SuiteOptions(shuffle=5, exclude=(f"{PATH}::test_d",)))
    assert tuple(test.nodeid for test in chosen.tests) == selected
    assert len(one.tests) == 4
    assert {test.nodeid[-1] for test in again.tests} == set("abc")


@pytest.mark.parametrize("path", ["/etc/test_x.py", "../test_x.py"])
async def test_a_test_file_outside_the_project_is_refused(shop, path):
    with pytest.raises(UsageError, match="must lie in the project"):
        await run_suite(shop, {path: ""}, framework="pytest")


async def test_results_are_the_same_in_the_weak_sandbox(tmp_path):
    files = {"src/shop/__init__.py": "", "src/shop/cart.py": CART}
    async with prepared(tmp_path, files, kind="weak") as target:
        result = await run_suite(target, {PATH: PYTEST_FILE}, framework="pytest", options=MEASURED)
    assert result.counts() == {"error": 1, "failed": 1, "passed": 2, "skipped": 1, "xfailed": 1}
    assert result.sandbox == "weak"
    assert result.coverage is not None
    assert result.coverage.totals()["covered_branches"] == 3


async def test_a_project_whose_tests_folder_is_a_link_elsewhere_is_not_written_through(tmp_path):
    outside = tmp_path / "outside"
    outside.mkdir()
    root = tmp_path / "project-of-a-user"
    root.mkdir()
    (root / "tests").symlink_to(outside)
    async with prepared(tmp_path, {"src/shop/__init__.py": ""}) as target:
        with contextlib.suppress(UsageError):
            await run_suite(target, {PATH: "def test_x():\n    pass\n"}, framework="pytest")
    assert list(outside.iterdir()) == []


@pytest.mark.feature("B-07")
async def test_a_test_after_which_pytest_itself_breaks_costs_only_itself(shop):
    source = (
        "def test_a():\n    pass\n\ndef test_breaks(request):\n    request.config.hook = None\n\n"
        "def test_b():\n    pass\n"
    )
    result = await run_suite(shop, {PATH: source}, framework="pytest")
    assert outcomes(result) == {"test_a": "passed", "test_b": "passed", "test_breaks": "crashed"}
