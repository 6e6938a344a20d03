"""From a request to tests in the project, by the real command and by the library."""

import json
import os
import shutil
import subprocess
import sys
from types import SimpleNamespace

import pytest

import testwright
from testwright.core.errors import UsageError
from testwright.engine.python.write.repair import proven_cases
from testwright.tests.support.projects.files import SMALL, copy_of_shop, make_project, run_command, tree
from testwright.tests.support.projects.running import WITHOUT_PLUGINS
from testwright.tests.support.runs.command_line import invoke_command
from testwright.tests.support.runs.comparison import FEW, REQUEST, report_of, run_folder, work_of

NAMES = "tests/generated/small/test_small_names.py"
NUMBERS = "tests/generated/small/test_small_numbers.py"


def ran_by_itself(root, *arguments):
    """A test runner in the project, as its owner would start it: nothing of ours is there."""
    environment = {**os.environ, **WITHOUT_PLUGINS, "PYTHONPATH": str(root / "src"), "PYTHONDONTWRITEBYTECODE": "1"}
    command = [sys.executable, "-m", *arguments]
    return subprocess.run(command, cwd=root, env=environment, capture_output=True, text=True, check=False)


@pytest.fixture(scope="module")
def finished(tmp_path_factory):
    """A project in a folder with spaces and letters of other alphabets, and one run of the command on it. Read only."""
    root = make_project(tmp_path_factory.mktemp("a") / "Große Läden 店")
    words = ("run", REQUEST, "--root", str(root), *FEW)
    outcome = run_command(*words, cwd=root.parent)
    assert outcome.code == 0, outcome.err
    [folder] = (root / ".testwright" / "runs").iterdir()
    return SimpleNamespace(root=root, words=words, outcome=outcome, folder=folder)


@pytest.mark.feature("T-01", "T-02", "T-03", "T-04", "T-05", "T-17", "T-19", "B-05", "B-11")
@pytest.mark.smoke
def test_the_command_adds_tests_that_pass_and_says_so(finished):
    outcome = finished.outcome
    assert tree(finished.root).keys() == {*SMALL, NAMES, NUMBERS}
    assert f"added: {NAMES}\n" in outcome.out
    assert f"Report: {finished.folder / 'report.md'}" in outcome.out
    assert "[1/4]" in outcome.err
    assert "\x1b" not in outcome.out + outcome.err
    report = report_of(finished.folder)
    assert (report["exit_reason"], report["execution"]) == ("completed", "executed")
    assert report["totals"]["targets_completed"] == 2
    assert (
        report["totals"]["coverage"]["after"]["branches"] == report["totals"]["coverage"]["after"]["covered_branches"]
    )
    assert {"documented", "observed"} <= {name for name, n in report["totals"]["origins"].items() if n}
    done = ran_by_itself(finished.root, "pytest", "-q", "-p", "no:cacheprovider", "tests/generated")
    assert done.returncode == 0, done.stdout
    assert f"{len(report['targets'][0]['kept']) + len(report['targets'][1]['kept'])} passed" in done.stdout


@pytest.mark.feature("B-04")
@pytest.mark.smoke
def test_a_case_can_be_followed_from_the_spec_to_the_report(finished):
    for target in report_of(finished.folder)["targets"]:
        spec = json.loads((finished.folder / target["spec_path"]).read_text("utf-8"))
        ids = {case["id"] for case in spec["cases"]}
        code = (finished.root / target["test_path"]).read_text("utf-8")
        junit = (finished.folder / "junit.xml").read_text("utf-8")
        assert set(target["kept"]) == ids
        assert ids == {one["case_id"] for one in target["evidence"]}
        assert proven_cases(code, ids) == ids
        assert all(case_id in junit for case_id in ids)


@pytest.mark.feature("T-16", "T-19")
@pytest.mark.smoke
def test_the_same_command_again_names_the_first_run_and_does_nothing(finished):
    again = run_command(*finished.words, cwd=finished.root.parent)
    assert (again.code, again.err) == (0, "")
    assert f"Nothing has changed since run {finished.folder.name}" in again.out
    assert "tests stand" in again.out
    assert str(finished.folder / "report.md") in again.out.replace("\n", "")
    assert list(finished.folder.parent.iterdir()) == [finished.folder]


@pytest.mark.feature("B-06", "D-07", "T-19")
@pytest.mark.smoke
async def test_the_library_awaited_in_another_folder_gives_the_same_bytes(finished, tmp_path):
    root, heard = make_project(tmp_path / "elsewhere"), []
    report = await testwright.agenerate(REQUEST, root=root, run_id="second", trials=300, jobs=1, on_event=heard.append)
    folder = run_folder(root, "second")
    assert work_of(folder) == work_of(finished.folder)
    assert tree(root) == tree(finished.root)
    assert report_of(folder) == report_of(finished.folder)
    assert report.exit_code == 0
    assert [event.sequence for event in heard] == list(range(1, len(heard) + 1))
    assert (heard[0].type, heard[-1].type) == ("started", "complete")


@pytest.mark.feature("T-19")
async def test_the_blocking_call_inside_a_loop_names_the_other(tmp_path):
    with pytest.raises(UsageError, match="inside a running event loop") as raised:
        testwright.generate(REQUEST, root=tmp_path)
    assert "async form" in raised.value.advice


@pytest.mark.feature("B-09")
def test_a_fresh_clone_keeps_what_a_person_changed(finished, tmp_path):
    clone = shutil.copytree(finished.root, tmp_path / "clone", ignore=shutil.ignore_patterns(".testwright"))
    mine = (clone / NAMES).read_text("utf-8") + "\n\ndef test_of_mine():\n    assert True\n"
    (clone / NAMES).write_text(mine, encoding="utf-8")
    outcome = invoke_command("run", REQUEST, "--root", str(clone), "--run-id", "again", *FEW, cwd=tmp_path)
    assert outcome.code == 0, outcome.out + outcome.err
    assert (clone / NAMES).read_text("utf-8") == mine
    assert f"left alone: {NAMES} (" in outcome.out
    assert f"unchanged: {NUMBERS}\n" in outcome.out
    assert tree(clone).keys() == tree(finished.root).keys()


@pytest.mark.feature("B-09", "T-17")
def test_a_dry_run_for_unittest_adds_nothing_until_it_is_applied(tmp_path):
    root = make_project(tmp_path / "project")
    before = tree(root)
    report = testwright.generate(
        "small.names and small.numbers, with unittest", root=root, run_id="look", dry_run=True, trials=300, mutants=0
    )
    assert report.exit_code == 0
    assert tree(root) == before
    assert {file.outcome for file in report.files} == {"staged"}
    staged = run_folder(root, "look") / "staged"

    outcome = invoke_command("apply", "look", "--root", str(root), cwd=tmp_path)
    assert (outcome.code, outcome.err) == (0, "")
    assert outcome.out.splitlines() == [f"added: {NAMES}", f"added: {NUMBERS}"]
    assert {name: text for name, text in tree(root).items() if name not in before} == tree(staged)
    done = ran_by_itself(root, "unittest", NAMES, NUMBERS)
    assert done.returncode == 0, done.stderr
    assert [one.outcome for one in testwright.apply("look", root=root)] == ["unchanged", "unchanged"]


@pytest.mark.feature("T-14")
def test_without_running_the_report_says_that_nothing_was_executed(tmp_path):
    root = make_project(tmp_path / "project")
    outcome = invoke_command("run", "small.names", "--root", str(root), "--run-id", "r", "--no-run", *FEW, cwd=tmp_path)
    assert outcome.code == 0, outcome.err
    report = report_of(run_folder(root, "r"))
    assert (report["execution"], report["analysis"]) == ("not executed", "not analysed")
    assert report["targets"][0]["execution"] == "not executed"
    assert "not executed" in outcome.out
    assert "run them before you rely on them" in outcome.out
    assert NAMES in tree(root)


@pytest.mark.feature("T-14", "T-02")
def test_only_what_has_no_tests_yet_is_written_and_need_not_be_analysed(tmp_path):
    own = {
        "tests/test_names.py": 'from small.names import initials\n\n\ndef test_it():\n    assert initials("a") == "A"\n'
    }
    root = make_project(tmp_path / "project", {**SMALL, **own})
    report = testwright.generate(
        "only what has no tests yet", root=root, run_id="r", analyze=False, trials=300, mutants=0
    )
    assert (report.exit_code, report.execution, report.analysis) == (0, "executed", "not analysed")
    assert [target.path for target in report.targets] == ["src/small/numbers.py"]
    assert tree(root).keys() == {*SMALL, *own, NUMBERS}
    assert any("named by a test already" in one.reason for one in report.skipped)


@pytest.mark.feature("B-02")
def test_the_example_holds_a_defect_and_a_run_suspects_it(tmp_path):
    outcome = invoke_command(
        "run", "shop.pricing", "--root", str(copy_of_shop(tmp_path)), "--mutants", "0", "--json", cwd=tmp_path
    )
    assert outcome.code == 0, outcome.err
    [defect] = json.loads(outcome.out)["suspected_defects"]
    assert (defect["subject"], defect["documented"], defect["observed"]) == ("bulk_discount", "12", "returns 5")
    written = (tmp_path / "shop/tests/generated/shop/test_shop_pricing.py").read_text()
    assert "(100, 5" not in written


def test_a_request_for_nothing_gives_its_run_id_back(tmp_path):
    root = make_project(tmp_path / "project")
    typo = invoke_command("run", "small.nothing", "--root", str(root), "--run-id", "mine", cwd=tmp_path)
    assert typo.code == 2
    listed = invoke_command("runs", "list", "--root", str(root), cwd=tmp_path)
    assert "mine" not in listed.out
