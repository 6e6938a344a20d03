"""The last lines of a run on the terminal."""

import sys
from pathlib import Path

import pytest

from testwright.app.run_report import RunResult
from testwright.cli.outcome import print_plan, print_result, print_screen, startable
from testwright.reports.build import build_report
from testwright.reports.model import OwnPytestRun, Report
from testwright.reports.next_commands import next_commands, resume_command
from testwright.reports.run_model import CacheUse, Spending
from testwright.tests.support.runs.report_data import accept_step, executed, facts, generate_step, outcomes
from testwright.tests.support.runs.report_pages import large_report

pytestmark = pytest.mark.feature("B-13")


def test_defects_come_before_the_modules_which_show_tests_branches_and_mutants(capsys):
    print_result(RunResult(large_report(5, modules=1), Path("report.md")), as_json=False)

    shown = capsys.readouterr().out
    assert "src/shop/cart1.py: 5 tests, branches 10 → 75 %, mutants 75 % noticed, 1 not reached" in shown
    assert shown.index("Suspected defect: add_0") < shown.index("Suspected defect: add_1") < shown.index("cart1.py: 5")


def test_of_tests_whose_program_runs_elsewhere_no_branches_are_told(capsys):
    report = large_report(5, modules=1)
    coverage = report.targets[0].coverage
    assert coverage.after is not None
    after = coverage.after.model_copy(update={"covered": 0, "covered_branches": 0})
    target = report.targets[0].model_copy(update={"coverage": coverage.model_copy(update={"after": after})})

    print_result(RunResult(report.model_copy(update={"targets": [target]}), Path("report.md")), as_json=False)
    assert "src/shop/cart1.py: 5 tests, mutants 75 % noticed" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("classes", "said"),
    [
        ([], "0 dropped,"),
        (["redundant"] * 2, "2 dropped (redundant),"),
        (["redundant", "flaky"], "2 dropped (1 of them redundant),"),
        (["flaky"], "1 dropped,"),
    ],
)
def test_tests_that_show_what_others_show_are_not_told_as_a_loss(capsys, classes, said):
    dropped = [{"case_id": f"tc_{number}", "reason": "r", "class": name} for number, name in enumerate(classes)]
    report = build_report(facts(), outcomes(generate_step(1, **executed(["tc_a"], dropped=dropped))))

    print_result(RunResult(report, Path("report.md")), as_json=False)
    assert said in capsys.readouterr().out


def test_the_next_commands_open_the_report_and_run_the_tests_that_are_there():
    files = [{"path": f"tests/generated/shop/{name}", "outcome": "added"} for name in ("api/test_a.py", "test_b.py")]
    report = build_report(facts(), outcomes(generate_step(1, **executed(["tc_a"])), accept_step(*files)))

    commands = list(next_commands(report))
    assert commands[:2] == ["testwright report r1 --open", "pytest tests/generated/shop"]


def test_beside_a_file_that_was_left_alone_only_the_files_of_the_run_are_run():
    files = [
        {"path": "tests/generated/shop/test_a.py", "outcome": "added"},
        {"path": "tests/generated/shop/conftest.py", "outcome": "added"},
        {"path": "tests/generated/shop/test_mine.py", "outcome": "edited"},
    ]
    report = build_report(facts(), outcomes(generate_step(1, **executed(["tc_a"])), accept_step(*files)))
    assert _pytest_commands(report) == ["pytest tests/generated/shop/test_a.py"]

    alone = build_report(facts(), outcomes(generate_step(1, **executed(["tc_a"])), accept_step(*files[1:])))
    assert _pytest_commands(alone) == []


def test_beside_a_file_that_was_left_alone_every_file_of_the_run_is_named():
    files = [{"path": f"tests/generated/test_{number:02}.py", "outcome": "added"} for number in range(30)]
    alone = {"path": "tests/generated/test_mine.py", "outcome": "edited"}
    report = build_report(facts(), outcomes(generate_step(1, **executed(["tc_a"])), accept_step(*files, alone)))
    assert _pytest_commands(report) == [f"pytest {' '.join(file['path'] for file in files)}"]


def _pytest_commands(report: Report) -> list[str]:
    return [command for command in next_commands(report) if command.startswith("pytest")]


@pytest.mark.parametrize("outcome", ["failed", "not_collected", "not_started"])
def test_no_command_is_shown_that_was_seen_not_to_work(outcome):
    file = {"path": "tests/generated/shop/test_cart1.py", "outcome": "added"}
    report = build_report(facts(), outcomes(generate_step(1, **executed(["tc_a"])), accept_step(file)))
    own = OwnPytestRun(outcome=outcome, reason="no")

    assert list(next_commands(report.model_copy(update={"own_pytest": own}))) == ["testwright report r1 --open"]


@pytest.mark.feature("T-20")
@pytest.mark.parametrize(("there", "before"), [(None, ["python -m pip install locust"]), ("/usr/bin/locust", [])])
def test_load_tests_are_run_by_locust_which_is_installed_first_where_it_is_lacking(monkeypatch, there, before):
    monkeypatch.setattr("shutil.which", lambda name: there)
    file = {"path": "tests/generated/load/locustfile_shop.py", "outcome": "added"}
    report = build_report(facts(), outcomes(generate_step(1, **executed(["tc_a"])), accept_step(file)))

    run = "locust -f tests/generated/load/locustfile_shop.py --headless --load-profile smoke"
    assert [line for line in next_commands(report) if "locust" in line] == [*before, run]


def test_tests_for_unittest_are_run_by_it_with_the_folder_of_the_sources():
    steps = [generate_step(number, **executed([f"tc_{number}"])) for number in (1, 2)]
    for step in steps:
        step["params"]["framework"] = "unittest"
    paths = [str(step["params"]["test_path"]) for step in steps]
    report = build_report(facts(), outcomes(*steps, accept_step({"path": paths[0], "outcome": "added"})))

    assert list(next_commands(report))[1] == f"PYTHONPATH=src python -m unittest {paths[0]}"


def test_kinds_of_tests_are_named_where_there_are_several_and_a_file_counts_once(capsys):
    step = generate_step(1, **executed(["tc_a"]))
    other = generate_step(1, **executed(["tc_b"]))
    other["id"], other["type"] = "step-2", "generate_integration_tests"
    other["params"] = {**other["params"], "test_type": "integration", "test_path": "tests/generated/test_flows.py"}

    print_result(RunResult(build_report(facts(), outcomes(step, other)), Path("report.md")), as_json=False)
    shown = capsys.readouterr().out
    assert "src/shop/cart1.py (unit): 1 test" in shown
    assert "src/shop/cart1.py (integration): 1 test" in shown
    assert ", in 1 module and" in shown

    print_result(RunResult(build_report(facts(), outcomes(step)), Path("report.md")), as_json=False)
    assert "src/shop/cart1.py: 1 test" in capsys.readouterr().out


def test_modules_that_were_not_explored_anew_are_named(capsys):
    paths = tuple(f"src/shop/cart{number}.py" for number in range(5))
    run = facts().model_copy(update={"cache": CacheUse(explored_before=paths)})

    print_result(
        RunResult(build_report(run, outcomes(generate_step(1, **executed(["tc_a"])))), Path("r.md")), as_json=False
    )

    shown = " ".join(capsys.readouterr().out.split())
    assert "changed: src/shop/cart0.py, src/shop/cart1.py, src/shop/cart2.py and 2 more" in shown
    assert "--fresh" in shown


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


def _not_begun(number):
    step = generate_step(number)
    reason = "not begun: the ceiling on time (60 s) is reached"
    return {**step, "status": "skipped", "result": None, "error_message": reason}


@pytest.mark.feature("B-19")
def test_what_a_ceiling_left_undone_is_named_in_one_line(capsys):
    steps = [generate_step(1, **executed(["tc_a"])), *(_not_begun(number) for number in range(2, 16))]
    print_result(RunResult(build_report(facts(), outcomes(*steps)), Path("report.md")), as_json=False)

    shown = " ".join(capsys.readouterr().out.split())
    assert "cart1.py: 1 test" in shown
    assert "not begun, because the ceiling on time (60 s) is reached: src/shop/cart10.py, src/shop/cart11.py, " in shown
    assert "src/shop/cart7.py and 2 more" in shown
    assert shown.count("ceiling on time") == 1


@pytest.mark.feature("B-19")
def test_a_plan_says_why_a_target_stands_where_it_does(capsys):
    reason = "3 public names, none named in tests, 9 branches"
    params = {"target": {"path": "src/a.py"}, "test_path": "t.py", "importance": {"score": 12.0, "reason": reason}}
    print_plan({"steps": [{"id": "g", "type": "generate_unit_tests", "params": params}], "understood": []})
    assert reason in capsys.readouterr().out


def test_a_plan_says_what_will_be_written_and_not_run(capsys):
    params = {"target": {"path": "public/index.html"}, "test_path": "a.yaml", "not_run": "that takes a device"}
    print_plan({"steps": [{"id": "g", "type": "generate_e2e_tests", "params": params}], "understood": []})
    assert "Not run: that takes a device" in capsys.readouterr().out


@pytest.mark.parametrize(("there", "options"), [("package.json", ""), ("README.md", "--rootDir . --config '{}' ")])
def test_tests_for_jest_are_run_by_a_command_that_needs_no_configuration_where_there_is_none(tmp_path, there, options):
    (tmp_path / there).write_text("{}")
    path = "tests/generated/api/shop.api.test.js"
    step = generate_step(1, **executed(["tc_a"]))
    step["params"] = {**step["params"], "framework": "jest", "test_path": path}
    report = build_report(facts(), outcomes(step, accept_step({"path": path, "outcome": "added"})))
    report = report.model_copy(update={"run": report.run.model_copy(update={"root": str(tmp_path)})})

    assert list(next_commands(report))[1] == f"npx jest {options}{path}"


def test_a_note_that_several_modules_share_is_printed_once(capsys):
    report = large_report(5, modules=2)
    noted = [target.model_copy(update={"notes": ("a file could not be collected",)}) for target in report.targets]
    print_result(RunResult(report.model_copy(update={"targets": tuple(noted)}), Path("report.md")), as_json=False)
    assert capsys.readouterr().out.count("a file could not be collected") == 1


def test_a_command_whose_program_is_on_no_search_path_is_started_by_this_interpreter(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    assert startable("testwright report r1 --open") == f"{sys.executable} -m testwright.main report r1 --open"
    assert startable("npx jest tests") == "npx jest tests"
    (tmp_path / "testwright").write_text("#!/bin/sh\n")
    (tmp_path / "testwright").chmod(0o755)
    assert startable("testwright report r1 --open") == "testwright report r1 --open"


def _cut_short(reason: str, spent: Spending, **ceilings: float) -> Report:
    """Of a run that finished one of three modules."""
    stopped = generate_step(2, status="failed", error_message=f"stopped: {reason}", exit_reason="budget_exhausted")
    left = generate_step(3, status="skipped", error_message=f"not begun: {reason}", exit_reason="budget_exhausted")
    stopped["result"]["failure"] = {"advice": "Give it more."}
    steps = (generate_step(1, **executed(["tc_a"])), stopped, left)
    run = facts(id="nightly").model_copy(update={"settings": ceilings, "spent": spent})
    return build_report(run, outcomes(*steps, ended="budget_exhausted"))


def test_a_run_that_a_ceiling_ended_says_what_is_left_and_the_command_that_does_it(capsys):
    report = _cut_short("the ceiling on time (30 s) is reached", Spending(seconds=31.0), max_seconds=30, max_tokens=500)

    print_result(RunResult(report, Path("report.md")), as_json=False)
    shown = capsys.readouterr().out
    assert "in 1 of 3 modules and" in shown
    assert "src/shop/cart2.py: stopped, because the ceiling on time (30 s) is reached" in shown
    assert "src/shop/cart3.py" in shown
    assert "Give it more." not in shown
    assert next(iter(next_commands(report))) == "testwright resume nightly --max-seconds 93"


def test_of_several_ceilings_that_is_raised_which_was_reached_to_what_the_rest_probably_needs():
    spent = Spending(seconds=2.0, tokens=999, cost=0.004)
    ceilings = {"max_seconds": 600, "max_tokens": 1000, "max_cost": 0.004}
    cost = _cut_short("the ceiling on cost (0.004 USD) is reached", spent, **ceilings)
    assert resume_command(cost) == "testwright resume nightly --max-cost 0.012"
    tokens = _cut_short("the ceiling on tokens (1000 tokens) is reached", spent, **ceilings)
    assert resume_command(tokens) == "testwright resume nightly --max-tokens 3000"
    untold = _cut_short("why is not said", spent, **ceilings)
    assert resume_command(untold).endswith("--max-seconds 1200 --max-tokens 2000 --max-cost 0.008")


def test_a_run_that_no_ceiling_ended_needs_no_command_to_go_on():
    assert resume_command(large_report(2, modules=1)) == ""
