"""Performance tests from a request to files in the project, by the real command; planted slowness breaks them."""

import json
import os
import subprocess
import sys

import pytest

from testwright.mutation.slowdowns import slowdowns
from testwright.tests.support.projects.files import make_project, tree
from testwright.tests.support.projects.running import WITHOUT_PLUGINS
from testwright.tests.support.runs.command_line import invoke_command
from testwright.tests.support.runs.comparison import FEW, report_of, run_folder

MODULE = "src/sales/report.py"
SOURCE = '''"""Figures about sales."""

from functools import lru_cache


def running_total(amounts):
    """The sum of all amounts up to each one.

    >>> running_total([100, 250, 50])
    [100, 350, 400]
    """
    totals = []
    total = 0
    for amount in amounts:
        total += amount
        totals.append(total)
    return totals


@lru_cache(maxsize=None)
def rate_on(day):
    """The rate on a day.

    >>> rate_on(100)
    10000
    """
    return sum(number % 2 for number in range(day * 200))


def endless(day):
    """Waits for the day."""
    while day:
        pass
    return day
'''
PROJECT = {"src/sales/__init__.py": "", MODULE: SOURCE}
TEST_PATH = "tests/generated/performance/test_sales_report_performance.py"


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    """The project after the run, and what the command answered."""
    folder = tmp_path_factory.mktemp("performance")
    root = make_project(folder / "sales", PROJECT)
    request = "performance tests for sales.report"
    return root, invoke_command("run", request, "--root", str(root), "--run-id", "r", *FEW, cwd=folder)


def passes(root):
    environment = {**os.environ, **WITHOUT_PLUGINS, "PYTHONPATH": str(root / "src"), "PYTHONDONTWRITEBYTECODE": "1"}
    command = [sys.executable, "-m", "pytest", "-q", "-x", "-p", "pytest_benchmark.plugin", TEST_PATH]
    return subprocess.run(command, cwd=root, env=environment, capture_output=True, check=False).returncode == 0


@pytest.mark.feature("T-20", "B-04", "T-08")
def test_measured_calls_are_kept_as_tests_whose_cases_stand_in_spec_and_report(run):
    root, outcome = run
    assert outcome.code == 0, outcome.err
    assert tree(root).keys() == {*PROJECT, TEST_PATH}
    (target,) = report_of(run_folder(root, "r"))["targets"]
    spec = json.loads((run_folder(root, "r") / target["spec_path"]).read_text(encoding="utf-8"))
    assert {case["id"] for case in spec["cases"]} == set(target["kept"])
    text = (root / TEST_PATH).read_text()
    assert all(f"def test_{name.removeprefix('tc_')}(" in text for name in target["kept"])
    assert {case["subject"] for case in spec["cases"]} == {"running_total", "rate_on"}
    assert {case["expect"][0]["metric"] for case in spec["cases"]} >= {"reference_cost", "repeat_share"}


@pytest.mark.feature("T-20", "B-07")
def test_a_function_that_never_ends_is_named_with_the_reason(run):
    root, _ = run
    (target,) = report_of(run_folder(root, "r"))["targets"]
    assert "endless" in json.dumps(target["not_reached"])


@pytest.mark.feature("T-20")
def test_the_kept_tests_pass_under_a_plain_pytest_and_fail_for_slow_code(run):
    root, _ = run
    assert passes(root)
    planted = {(one.kind, one.name): one.source for one in slowdowns(SOURCE)}
    for kind, name in (("sleep", "running_total"), ("lock", "running_total"), ("lost cache", "rate_on")):
        (root / MODULE).write_text(planted[kind, name])
        try:
            assert not passes(root), f"{kind} in {name}"
        finally:
            (root / MODULE).write_text(SOURCE)
