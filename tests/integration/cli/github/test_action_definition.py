"""action.yml and the workflows in docs/ci.md, held to GitHub's schemas, to each other and to what reads them."""

import re
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from testwright.cli.github.github import report_outputs
from testwright.cli.github.inputs import FAIL_ON, NAMES, read_inputs, variable
from testwright.cli.github.pull_request_step import OUTPUTS
from testwright.reports.build import build_report
from testwright.tests.support.runs.report_data import executed, facts, generate_step, outcomes
from testwright.tests.support.runs.workflows import ROOT

PAGE = (ROOT / "docs" / "ci.md").read_text()
ACTION = yaml.safe_load((ROOT / "action.yml").read_text())
STEPS = ACTION["runs"]["steps"]
WORKFLOWS = [yaml.safe_load(text) | {"text": text} for text in re.findall(r"^```yaml\n(.*?)^```", PAGE, re.M | re.S)]
PINNED = re.compile(r"uses: (actions/[\w./-]+)@([0-9a-f]{40}) # (v\d+\.\d+\.\d+)$", re.M)


def complaints(schema: str, path: Path) -> str:
    """What check-jsonschema says against a file; "" when it is valid."""
    command = [sys.executable, "-m", "check_jsonschema", "--builtin-schema", schema, str(path)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    return "" if done.returncode == 0 else done.stdout + done.stderr


@pytest.mark.feature("T-18")
def test_the_action_is_valid_by_githubs_schema(tmp_path):
    assert complaints("vendor.github-actions", ROOT / "action.yml") == ""
    broken = tmp_path / "action.yml"
    broken.write_text("name: x\ndescription: y\nruns: {using: composite, steps: [{run: ls}]}\n")
    assert "validation errors" in complaints("vendor.github-actions", broken)


@pytest.mark.feature("T-18")
@pytest.mark.parametrize("workflow", WORKFLOWS, ids=lambda one: one["name"])
def test_each_workflow_on_the_page_is_valid_by_githubs_schema(workflow, tmp_path):
    path = tmp_path / "workflow.yml"
    path.write_text(workflow["text"])
    assert complaints("vendor.github-workflows", path) == ""


def test_the_page_has_workflows_for_pull_requests_services_and_the_night():
    events = [set(workflow[True]) for workflow in WORKFLOWS]  # YAML reads the key `on` as true
    by_clock = {"schedule", "workflow_dispatch"}
    assert events == [{"pull_request"}, {"pull_request"}, by_clock, by_clock, by_clock]


@pytest.mark.parametrize("workflow", WORKFLOWS, ids=lambda one: one["name"])
def test_each_workflow_asks_for_few_rights_and_bounds_itself(workflow):
    assert workflow["permissions"] in ({}, {"contents": "read"})
    assert "group" in workflow["concurrency"]
    assert "pull_request_target" not in workflow[True]
    for job in workflow["jobs"].values():
        assert job["timeout-minutes"] <= 120
        writes = "write" in job.get("permissions", {}).values()
        ours = [step["with"] for step in job["steps"] if step.get("uses", "").startswith("OWNER/testwright@")]
        asked = any(given.get("pull-request") for given in ours)
        assert not (writes and ours) or asked, "what runs the project's code may not write"
        assert not asked or "pull_request" not in workflow[True], "code that may write is merged code"
        [checkout] = [step for step in job["steps"] if step.get("uses", "").startswith("actions/checkout@")]
        assert checkout["with"]["persist-credentials"] is (writes and not ours)
        for step in job["steps"]:
            assert "${{" not in step.get("run", "")


@pytest.mark.parametrize("workflow", WORKFLOWS, ids=lambda one: one["name"])
def test_each_workflow_gives_inputs_that_the_action_has_and_reads_outputs_that_it_gives(workflow):
    for step in (step for job in workflow["jobs"].values() for step in job["steps"]):
        if not step.get("uses", "").startswith("OWNER/testwright@"):
            continue
        assert set(step["with"]) <= set(ACTION["inputs"])
        given = {variable(name): str(value).lower() for name, value in step["with"].items() if "${{" not in str(value)}
        read = read_inputs(given)
        assert not read.changed_only or workflow["jobs"]["tests"]["steps"][0]["with"]["fetch-depth"] == 0
        assert {"api-key", "token"} & set(step["with"]) == set()
    used = re.findall(r"steps\.testwright\.outputs\.([\w-]+)", workflow["text"])
    assert set(used) <= set(ACTION["outputs"])


def test_actions_of_others_are_pinned_by_commit_with_one_version_each():
    text = (ROOT / "action.yml").read_text() + PAGE
    uses = [line for line in re.findall(r"uses: (\S+)", text) if not line.startswith("OWNER/")]
    pinned = PINNED.findall(text)
    assert len(uses) == len(pinned)
    pins = {("/".join(action.split("/")[:2]), commit, version) for action, commit, version in pinned}
    assert len(pins) == len({action for action, _, _ in pins})
    rows = set(re.findall(r"^\| (actions/[\w-]+) \| (v[\d.]+) \|$", PAGE, re.M))
    assert rows == {(action, version) for action, _, version in pins}


def test_actions_of_others_get_inputs_that_they_have():
    known = {
        "actions/setup-python": {"python-version", "update-environment"},
        "actions/cache/restore": {"path", "key", "restore-keys"},
        "actions/cache/save": {"path", "key"},
        "actions/upload-artifact": {"name", "path", "retention-days", "if-no-files-found"},
        "actions/checkout": {"fetch-depth", "persist-credentials"},
        "actions/download-artifact": {"name", "path"},
    }
    jobs = [job for workflow in WORKFLOWS for job in workflow["jobs"].values()]
    for step in [*STEPS, *(step for job in jobs for step in job["steps"])]:
        action = step.get("uses", "").partition("@")[0]
        if action and action != "OWNER/testwright":
            assert set(step.get("with", {})) <= known[action], step


def test_every_input_and_output_is_on_the_page_and_no_other():
    inputs, outputs = PAGE.split("## Inputs")[1].split("## Outputs")
    for section, declared in ((inputs, ACTION["inputs"]), (outputs.split("## When")[0], ACTION["outputs"])):
        named = [
            name for row in re.findall(r"^\| (`[^|]+) \|", section, re.M) for name in re.findall(r"`([\w-]+)`", row)
        ]
        assert sorted(named) == sorted(declared)


def test_every_input_reaches_who_reads_it_as_a_variable():
    [run] = [step for step in STEPS if step.get("id") == "run"]
    given = {name: value for name, value in run["env"].items() if name.startswith("INPUT_")}
    assert given == {variable(name): f"${{{{ inputs.{name} }}}}" for name in NAMES}
    others = {"upload-report", "artifact-name", "artifact-days", "cache", "pull-request"}
    [later] = [step for step in STEPS if step.get("id") == "pull-request"]
    others |= {"pull-request-base", "pull-request-title", "pull-request-token"}
    given = {name: value for name, value in later["env"].items() if name.startswith("INPUT_")}
    said = ("pull-request-base", "pull-request-title", "working-directory")
    assert given.pop("INPUT_RUN_ID") == "${{ steps.run.outputs.run-id }}"
    assert given == {variable(name): f"${{{{ inputs.{name} }}}}" for name in said}
    assert set(ACTION["inputs"]) == {*NAMES, *others}


def test_the_defaults_are_what_reading_nothing_comes_to():
    defaults = {variable(name): str(input_.get("default", "")) for name, input_ in ACTION["inputs"].items()}
    assert read_inputs(defaults) == read_inputs({})


def test_every_output_is_one_that_the_run_gives():
    told = {name for output in ACTION["outputs"].values() for name in re.findall(r"outputs\.([\w-]+)", output["value"])}
    assert told == set(ACTION["outputs"])
    assert told == {
        *report_outputs(build_report(facts(), outcomes(generate_step(**executed(["tc_a"]))))),
        "failed-on",
        "report-path",
        "report-folder",
        *OUTPUTS,
    }


def test_no_script_holds_text_from_outside():
    scripts = [step["run"] for step in STEPS if "run" in step]
    assert len(scripts) == 4
    assert not [script for script in scripts if "${{" in script or "\n" in script]


def test_the_page_names_every_word_of_fail_on():
    section = PAGE.split("## When the step fails")[1].split("## What counts")[0]
    assert re.findall(r"^\| `([\w-]+)` \|", section, re.M) == list(FAIL_ON[1:])


def test_the_token_is_in_the_environment_of_the_pull_requests_step_alone():
    for token in ("github.token", "inputs.pull-request-token"):
        assert [step["name"] for step in STEPS if token in str(step)] == ["Make the pull request"]
    [run] = [step for step in STEPS if step.get("id") == "run"]
    assert (run["env"]["GITHUB_TOKEN"], run["env"]["GH_TOKEN"]) == ("", ""), "a job's own token reaches the project"
