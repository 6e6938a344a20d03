"""`assess` at the command line: its formats, where it writes, its exit codes."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from testwright.cli.app import app
from testwright.core.exit_code import ExitCode
from testwright.tests.support.engine.sandboxes import needed_sandbox
from testwright.tests.support.projects.files import make_project

pytestmark = pytest.mark.feature("B-11", "T-19")

FILES = {
    "shop.py": "def cost(count):\n    return 3 * count if count > 10 else count\n",
    "tests/test_shop.py": "import time\n\nfrom shop import cost\n\n\ndef test_many():\n    assert cost(11) == 33\n\n\n"
    "def test_zone():\n    assert time.localtime(0).tm_hour == 0\n",
}


def said(*arguments: object) -> Result:
    result = CliRunner().invoke(app, ["assess", *map(str, arguments)])
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    return result


def test_a_suite_is_told_as_a_table(tmp_path: Path, plain_python: Path) -> None:
    needed_sandbox("bubblewrap")
    root = make_project(tmp_path / "p", FILES)

    flags = ("--root", root, "--state-dir", tmp_path / "s", "--mutants", 0, "--python", plain_python)
    shown = said("tests/test_shop.py", *flags)

    assert shown.exit_code == ExitCode.FLAKY
    assert "tests/test_shop.py::test_zone: it depends on the time zone (AssertionError" in shown.output
    assert "1 of 2 tests holds under every condition" in shown.output
    assert "Report: " in shown.output
    assert not (root / ".testwright").exists()


def test_what_there_was_no_time_for_is_said_and_passing_once_is_not_enough(tmp_path: Path, plain_python: Path) -> None:
    root = make_project(tmp_path / "p", FILES)

    flags = ("--root", root, "--state-dir", tmp_path / "s", "--python", plain_python, "--max-seconds", 0.01)
    shown = said("tests/test_shop.py", *flags)

    assert shown.exit_code == ExitCode.BUDGET
    assert "2 of 2 tests hold in the one run that there was time for" in shown.output
    assert "the time was up (0.01 s): the tests were not run under all conditions of the gate" in shown.output
    assert "the time was up (0.01 s): no mutants were tried" in shown.output


def test_markdown_is_written_to_a_file_with_the_same_exit_code(tmp_path: Path, plain_python: Path) -> None:
    root = make_project(tmp_path / "p", FILES | {"tests/test_shop.py": ""})
    flags = ("--root", root, "--state-dir", tmp_path / "s", "--mutants", 0, "--python", plain_python)
    page = tmp_path / "out/page.md"

    shown = said("tests", *flags)
    written = said("tests", *flags, "--format", "markdown", "--output", page)

    assert shown.exit_code == written.exit_code == ExitCode.NOTHING_KEPT
    assert "Report: " in shown.output
    assert written.stdout == ""
    assert page.read_text().startswith("# Assessment of tests")


@pytest.mark.smoke
def test_json_is_all_that_is_printed_when_it_is_asked_for_and_an_unknown_format_is_refused(
    tmp_path: Path, plain_python: Path
) -> None:
    root = make_project(tmp_path / "p", FILES | {"tests/test_shop.py": ""})
    flags = ("--root", root, "--state-dir", tmp_path / "s", "--mutants", 0, "--python", plain_python)

    report = json.loads(said("tests", *flags, "--format", "json").output)
    assert (report["tests"], report["totals"]["tests"]) == ([], 0)
    assert said("tests", *flags, "--json").exit_code == ExitCode.NOTHING_KEPT
    refused = said("tests", *flags, "--format", "xml")
    assert refused.exit_code == ExitCode.USAGE
    assert "text, json, markdown" in refused.output
