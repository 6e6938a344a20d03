"""The last lines of a run on the terminal."""

from pathlib import Path

import pytest

from testwright.app.run_report import RunResult
from testwright.cli.outcome import next_commands, print_result, print_screen
from testwright.reports.build import build_report
from testwright.tests.support.runs.report_data import accept_step, executed, facts, generate_step, outcomes
from testwright.tests.support.runs.report_pages import large_report

pytestmark = pytest.mark.feature("B-13")


def test_defects_come_before_the_modules_which_show_tests_branches_and_mutants(capsys):
    print_result(RunResult(large_report(5, modules=1), Path("report.md")), as_json=False)

    shown = capsys.readouterr().out
    assert "src/shop/cart1.py: 5 tests, branches 10 → 75 %, mutants 75 % noticed, 1 not reached" in shown
    assert shown.index("Suspected defect: add_0") < shown.index("Suspected defect: add_1") < shown.index("cart1.py: 5")


def test_the_next_commands_open_the_report_and_run_the_tests_that_are_there():
    files = [{"path": f"tests/generated/shop/{name}", "outcome": "added"} for name in ("api/test_a.py", "test_b.py")]
    report = build_report(facts(), outcomes(generate_step(1, **executed(["tc_a"])), accept_step(*files)))

    commands = list(next_commands(report))
    assert commands[:2] == ["testwright report r1 --open", "pytest tests/generated/shop"]


def test_the_folder_for_the_commands_is_named_where_it_is_another_one(capsys, monkeypatch, tmp_path):
    report = large_report(5, modules=1)
    report = report.model_copy(update={"run": report.run.model_copy(update={"root": str(tmp_path)})})

    print_result(RunResult(report, Path("report.md")), as_json=False)
    assert f"Next, in {tmp_path}:" in capsys.readouterr().out.replace("\n", " ").replace("  ", " ")

    monkeypatch.chdir(tmp_path)
    print_result(RunResult(report, Path("report.md")), as_json=False)
    assert "Next, in" not in capsys.readouterr().out


def test_staged_tests_are_applied_next():
    report = build_report(facts(), outcomes(generate_step(1, **executed(["tc_a"]))))

    assert list(next_commands(report)) == ["testwright report r1 --open", "testwright apply r1"]


def test_a_run_without_targets_has_no_next_command():
    assert list(next_commands(build_report(facts(), outcomes()))) == []


def test_a_run_of_many_modules_is_shown_on_one_screen(capsys):
    print_screen(RunResult(large_report(3000, modules=40), Path("report.md")))

    shown = capsys.readouterr().out
    assert len(shown.splitlines()) <= 40
    assert "… and 28 modules more" in shown
