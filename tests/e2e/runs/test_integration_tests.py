"""Integration tests from a request to files in the project, by the real command."""

import json
import os
import subprocess
import sys

import pytest

from testwright.core.exit_code import ExitCode
from testwright.tests.support.projects.depot import DEPOT
from testwright.tests.support.projects.files import OWN_PYTEST, make_project, tree
from testwright.tests.support.runs.command_line import invoke_command
from testwright.tests.support.runs.comparison import FEW, report_of, run_folder

PROJECT = {**OWN_PYTEST, **DEPOT}
TEST_PATH = "tests/generated/integration/test_depot_shipping_flows.py"


@pytest.mark.feature("T-20", "B-04", "T-17")
@pytest.mark.smoke
def test_flows_across_modules_are_kept_as_testcases_that_a_plain_runner_passes(tmp_path):
    root = make_project(tmp_path / "depot", PROJECT)
    request = "integration tests for depot.shipping, with unittest"
    outcome = invoke_command("run", request, "--root", str(root), "--run-id", "r", *FEW, cwd=tmp_path)
    assert outcome.code == 0, outcome.err
    assert tree(root).keys() == {*PROJECT, TEST_PATH}
    report = report_of(run_folder(root, "r"))
    (target,) = report["targets"]
    assert target["evidence"][0]["crosses"] == ["shipping → shelf"]
    spec = json.loads((run_folder(root, "r") / target["spec_path"]).read_text(encoding="utf-8"))
    assert {case["id"] for case in spec["cases"]} == set(target["kept"])
    environment = {**os.environ, "PYTHONPATH": str(root / "src"), "PYTHONDONTWRITEBYTECODE": "1"}
    command = [sys.executable, "-m", "unittest", TEST_PATH]
    done = subprocess.run(command, cwd=root, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


@pytest.mark.feature("T-20", "B-07")
def test_a_project_of_one_module_is_told_that_there_is_nothing_to_integrate(tmp_path):
    root = make_project(tmp_path / "alone", {"alone.py": "def half(n):\n    return n / 2\n"})
    outcome = invoke_command("run", "integration tests of the project", "--root", str(root), cwd=tmp_path)
    assert outcome.code == ExitCode.USAGE
    assert "nothing to integrate" in outcome.out + outcome.err
    assert tree(root).keys() == {"alone.py"}


@pytest.mark.feature("T-20", "B-07")
def test_an_entry_that_does_not_import_is_named_with_the_package_it_misses(tmp_path):
    broken = DEPOT["src/depot/shipping.py"].replace("from .shelf", "import nowhere_at_all\n\nfrom .shelf")
    root = make_project(tmp_path / "depot", {**DEPOT, "src/depot/shipping.py": broken})
    outcome = invoke_command("run", "integration tests for depot.shipping", "--root", str(root), *FEW, cwd=tmp_path)
    assert outcome.code == ExitCode.ENVIRONMENT
    assert "nowhere_at_all" in outcome.out + outcome.err
