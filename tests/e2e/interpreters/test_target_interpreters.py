"""A whole run on a target of each Python version that this machine has."""

import json

import pytest

from testwright.tests.support.projects.files import make_project
from testwright.tests.support.runs.command_line import invoke_command
from testwright.tests.support.runs.interpreters import TARGET_VERSIONS, find_interpreter

FOUND = [version for version in TARGET_VERSIONS if find_interpreter(version)]


@pytest.mark.feature("B-05")
@pytest.mark.parametrize("version", FOUND)
def test_a_run_explores_measures_and_keeps_tests_on_a_target_of_this_version(version, tmp_path):
    root = make_project(tmp_path / "project")
    python = find_interpreter(version)

    outcome = invoke_command("run", "small.numbers", "--python", str(python), "--trials", "200", "--json", cwd=root)

    assert outcome.code == 0, outcome.err
    report = json.loads(outcome.out)
    [target] = report["targets"]
    assert f" {version}." in report["run"]["interpreter"]
    assert target["kept"]
    assert target["coverage"]["after"]["covered"] == target["coverage"]["after"]["statements"]
    assert target["mutation"]["killed"] > 0
