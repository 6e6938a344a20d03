"""The Action's steps, executed with the runner's files as GitHub lays them out, on the example."""

import json
import sys
from pathlib import Path

import pytest

from testwright.tests.support.projects.small_api import FASTAPI_APP
from testwright.tests.support.runs.workflows import KEY, PRICING, PROJECT, ROOT, PullRequest

REQUEST = "unit tests for the shop"


@pytest.fixture(scope="module")
def pull_request(tmp_path_factory):
    """A pull request that brings a defect into one function, and what the Action made of it."""
    checked_out = PullRequest(tmp_path_factory.mktemp("runner"))
    ran = checked_out.run(request=REQUEST, working_directory=PROJECT, changed_only="true")
    return checked_out, ran


@pytest.mark.feature("T-18")
def test_the_run_ends_well_and_says_so_in_its_outputs(pull_request):
    _, ran = pull_request
    assert not ran.failed, ran.raw
    outputs = ran.outputs
    assert (outputs["exit-reason"], outputs["exit-code"], outputs["failed-on"]) == ("completed", "0", "")
    assert outputs["run-id"]
    assert (outputs["targets"], outputs["targets-failed"], outputs["suspected-defects"]) == ("1", "0", "1")
    assert int(outputs["kept"]) > 0
    assert int(outputs["dropped"]) >= 0
    assert 0 <= float(outputs["coverage-before"]) < float(outputs["coverage-after"]) <= 100
    assert 0 < float(outputs["branch-coverage-after"]) <= 100
    assert outputs["sandbox"] == "bubblewrap"


@pytest.mark.feature("T-18")
def test_only_the_function_that_the_pull_request_changed_is_tested(pull_request):
    checked_out, ran = pull_request
    [target] = _report(ran)["targets"]
    assert target["path"] == "src/shop/pricing.py"
    assert {one["subject"] for one in target["evidence"]} == {"bulk_discount"}
    [path] = ran.outputs["test-files"].splitlines()
    assert "bulk_discount" in (checked_out.runner.workspace / PROJECT / path).read_text()


@pytest.mark.feature("T-18")
def test_the_suspected_defect_is_annotated_at_its_line(pull_request):
    checked_out, ran = pull_request
    [defect] = _report(ran)["suspected_defects"]
    [annotation] = ran.annotations
    assert annotation.level == "warning"
    assert annotation.properties == {
        "file": PRICING,
        "line": str(defect["evidence"]["lines"][0]),
        "endLine": str(defect["evidence"]["lines"][1]),
        "title": "Suspected defect: bulk_discount",
    }
    assert defect["reproduce"] in annotation.message
    line = (checked_out.runner.workspace / PRICING).read_text().splitlines()[defect["evidence"]["lines"][0] - 1]
    assert "bulk_discount" in line


@pytest.mark.feature("T-18")
def test_the_summary_tells_a_reviewer_what_to_look_at(pull_request):
    checked_out, ran = pull_request
    sha = checked_out.repository.git("rev-parse", "HEAD")
    assert ran.summary.startswith("# testwright: tests kept\n")
    assert "## Suspected defects" in ran.summary
    assert f"(https://github.example/octo/whole/blob/{sha}/{PRICING}#L" in ran.summary
    assert "| Sandbox | bubblewrap |" in ran.summary
    assert "| Limited to | what changed since `origin/main` |" in ran.summary
    assert "`src/shop/pricing.py`" in ran.summary


@pytest.mark.feature("T-18")
def test_the_report_is_uploaded_as_one_folder(pull_request):
    _, ran = pull_request
    [upload] = [given for action, given in ran.used if action == "actions/upload-artifact"]
    folder = Path(upload["path"])
    assert (upload["name"], upload["path"]) == ("testwright-report", ran.outputs["report-folder"])
    assert ran.outputs["report-path"] == str(folder / "report.md")
    files = {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()}
    assert {"report.md", "report.json", "junit.xml", "plan.json", "events.jsonl"} <= files
    assert f"staged/{ran.outputs['test-files']}" in files
    assert any(path.startswith("specs/") for path in files)


@pytest.mark.feature("T-18")
def test_what_is_kept_between_runs_has_keys_of_its_own(pull_request):
    _, ran = pull_request
    restored = [given for action, given in ran.used if action == "actions/cache/restore"]
    saved = [given for action, given in ran.used if action == "actions/cache/save"]
    assert [Path(one["path"]).name for one in restored] == ["environment", "cache"]
    assert [one["key"] for one in saved] == [restored[1]["key"]]
    assert restored[1]["key"].endswith("-4711-1")
    assert restored[1]["key"].startswith(restored[1]["restore-keys"])
    assert restored[0]["key"].startswith("testwright-environment-Linux-X64-")


@pytest.mark.feature("T-18")
def test_a_key_is_masked_and_stands_nowhere(pull_request):
    checked_out, ran = pull_request
    assert KEY in ran.masks
    assert KEY not in ran.log
    assert [line for line in ran.raw.splitlines() if KEY in line] == [f"::add-mask::{KEY}"]
    assert KEY not in ran.summary + json.dumps(ran.outputs)
    temp = checked_out.runner.temp
    written = [path for path in temp.rglob("*") if path.is_file() and "environment" not in path.relative_to(temp).parts]
    assert written
    assert [path for path in written if KEY.encode() in path.read_bytes()] == []


def test_the_log_says_which_sandbox_is_in_force_and_what_went_on(pull_request):
    _, ran = pull_request
    assert "Sandbox in force: bubblewrap" in ran.log
    assert "generate_unit_shop_pricing" in ran.log


def test_the_installation_was_not_made_again(pull_request):
    _, ran = pull_request
    assert [step.name for step in ran.steps if not step.ran] == [
        "Install testwright",
        "Keep the installation",
        "Make the pull request",
    ]


@pytest.mark.feature("T-18")
def test_a_runner_without_an_installation_makes_one_and_keeps_it(tmp_path):
    checked_out = PullRequest(tmp_path, changed={"README.md": "# Whole\n"}, installed=False)
    ran = checked_out.run(request="unit tests", working_directory=PROJECT, changed_only="true")
    assert not ran.failed, ran.raw
    assert {step.name for step in ran.steps if step.ran} >= {"Install testwright", "Keep the installation"}
    environment = checked_out.runner.temp / "testwright" / "environment"
    assert (environment / "bin" / "python").exists()
    assert not environment.is_symlink()
    saved = [given["path"] for action, given in ran.used if action == "actions/cache/save"]
    assert saved[0] == str(environment)
    assert ran.outputs["exit-reason"] == "nothing_to_do"


@pytest.mark.feature("T-18", "T-20")
def test_suspected_defects_of_an_api_are_annotated_with_a_line_that_reproduces_them(tmp_path):
    checked_out = PullRequest(tmp_path, changed={f"{PROJECT}/src/shop/api.py": FASTAPI_APP})
    ran = checked_out.run(
        request="API tests for the shop",
        test_type="api",
        working_directory=PROJECT,
        python=sys.executable,
        fail_on="defects",
        dry_run="true",
    )
    assert ran.failed, ran.raw
    assert (ran.outputs["exit-reason"], ran.outputs["failed-on"]) == ("product_defect", "defects")
    assert int(ran.outputs["kept"]) > 0
    assert len(ran.annotations) == int(ran.outputs["suspected-defects"]) > 0
    for annotation in ran.annotations:
        assert annotation.level == "error"
        assert annotation.properties["file"] == f"{PROJECT}/src/shop/api.py"
        assert "curl" in annotation.message


@pytest.mark.feature("T-18")
def test_a_pull_request_without_changed_code_has_nothing_to_do(tmp_path):
    checked_out = PullRequest(tmp_path, changed={"README.md": "# Whole\n"}, environment={"TESTWRIGHT_STRICT": "false"})
    pwned = checked_out.runner.workspace / "pwned"
    ran = checked_out.run(
        request=_request_with_shell_commands(pwned),
        working_directory=PROJECT,
        changed_only="true",
        artifact_name="it's ${{ odd }}",
    )
    assert not ran.failed, ran.raw
    assert ran.outputs["exit-reason"] == "nothing_to_do"
    assert ran.outputs["kept"] == "0"
    assert "nothing to do" in ran.summary
    assert "no change since" in ran.summary
    assert ran.annotations == []
    assert not pwned.exists()


@pytest.mark.feature("T-18")
def test_a_request_with_shell_commands_is_not_understood_and_none_of_them_runs(tmp_path):
    checked_out = PullRequest(tmp_path, changed={"README.md": "# Whole\n"})
    pwned = checked_out.runner.workspace / "pwned"
    ran = checked_out.run(request=_request_with_shell_commands(pwned), working_directory=PROJECT, changed_only="true")
    assert ran.failed
    assert (ran.outputs["exit-reason"], ran.outputs["exit-code"]) == ("not_understood", "2")
    [annotation] = ran.annotations
    assert annotation.level == "error"
    assert "Not understood, so nothing was done: 'touch'" in annotation.message
    assert not pwned.exists()


@pytest.mark.feature("T-18")
def test_a_wrong_input_fails_the_step_and_nothing_is_uploaded(tmp_path):
    checked_out = PullRequest(tmp_path, changed={"README.md": "# Whole\n"})
    ran = checked_out.run(request=REQUEST, working_directory=PROJECT, fail_on="sometimes, never::x%0A")
    assert ran.failed
    assert ran.step("run").exit_code == 2
    assert (ran.outputs["exit-code"], ran.outputs["kept"], ran.outputs["report-folder"]) == ("2", "", "")
    [annotation] = ran.annotations
    assert annotation.level == "error"
    assert "fail-on has no sometimes, never::x%0A" in annotation.message
    assert "fail-on has no sometimes" in ran.summary
    assert "actions/upload-artifact" not in [action for action, _ in ran.used]


def _request_with_shell_commands(pwned: Path) -> str:
    """A request for one module, followed by every way to have a shell create the file."""
    return f"unit tests for `src/shop/pricing.py`; $(touch {pwned})\n`touch {pwned}`'\"; touch {pwned} #"


def _report(ran) -> dict:
    return json.loads((Path(ran.outputs["report-folder"]) / "report.json").read_text())


def test_the_action_is_at_the_root():
    assert (ROOT / "action.yml").is_file()
