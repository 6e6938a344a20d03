"""What the step does before there is a run: inputs, base, sandbox, and how it tells of what stands in the way."""

import io
import json
import os
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

from testwright.app.github.workflow_event import may_bring_foreign_code
from testwright.cli.app import app
from testwright.cli.github.event_base import base_candidates, base_of
from testwright.cli.github.github import ActionStep, _settings, github_step, target_python
from testwright.cli.github.inputs import project_folder, read_inputs
from testwright.core.errors import HistoryError, InterpreterError, SandboxUnavailable, SettingsError, UsageError
from testwright.tests.support.projects.repositories import Repository
from testwright.tests.support.runs.action_runner import assignments, followed

ZEROS = "0" * 40


class Step:
    """A step's variables, and what it has written."""

    def __init__(self, folder: Path, **more: str) -> None:
        self.workspace = folder / "work"
        self.workspace.mkdir(exist_ok=True)
        self.output, self.summary = folder / "output", folder / "summary"
        files = {"GITHUB_OUTPUT": self.output, "GITHUB_STEP_SUMMARY": self.summary}
        folders = {"GITHUB_WORKSPACE": self.workspace, "RUNNER_TEMP": folder / "temp"}
        self.environment = {name: str(path) for name, path in {**files, **folders}.items()} | more
        self.log = io.StringIO()

    def run(self) -> int:
        return github_step(self.environment, self.log)

    @property
    def told(self):
        return followed(self.log.getvalue())


@pytest.mark.feature("T-18")
@pytest.mark.parametrize(
    ("inputs", "says"),
    [
        ({}, "`request` is empty"),
        ({"INPUT_REQUEST": "x", "INPUT_FAIL_ON": "sometimes"}, "fail-on has no sometimes"),
        ({"INPUT_REQUEST": "x", "INPUT_FAIL_ON": "never, defects"}, "never and something else"),
        ({"INPUT_REQUEST": "x", "INPUT_DRY_RUN": "yes"}, "dry-run is 'yes'"),
        ({"INPUT_REQUEST": "x", "INPUT_WORKING_DIRECTORY": ".."}, "lies outside the workspace"),
        ({"INPUT_REQUEST": "x", "INPUT_WORKING_DIRECTORY": "gone"}, "is no folder of the workspace"),
        ({"INPUT_REQUEST": "x", "INPUT_MAX_COST": "much"}, "max_cost"),
        ({"INPUT_REQUEST": "x", "INPUT_FRAMEWORK": "nose"}, "framework"),
        ({"INPUT_REQUEST": "x", "INPUT_PYTHON": "python-that-is-not-there"}, "no program here"),
        ({"INPUT_REQUEST": "x", "INPUT_CHANGED_ONLY": "true"}, "says nothing that the code could be compared with"),
        ({"INPUT_REQUEST": "x", "INPUT_CHANGED_SINCE": "main"}, "lies in no git repository"),
    ],
)
@pytest.mark.smoke
def test_a_wrong_input_ends_the_step_with_a_message_everywhere(inputs, says, tmp_path):
    step = Step(tmp_path, **inputs)
    code = step.run()
    assert code in (2, 3)
    [annotation] = step.told.annotations
    assert annotation.level == "error"
    assert says in annotation.message
    assert step.summary.read_text().startswith("# testwright: it could not work\n")
    written = assignments(step.output)
    assert written["exit-code"] == str(code)
    assert written["exit-reason"] == written["failed-on"] != ""


def test_a_machine_without_a_sandbox_says_what_to_set_and_runs_nothing(tmp_path, monkeypatch):
    def unavailable(kind):
        raise SandboxUnavailable("bubblewrap (bwrap) is not installed", advice="Install it.")

    monkeypatch.setattr("testwright.cli.github.github.open_sandbox", unavailable)
    step = Step(tmp_path, INPUT_REQUEST="unit tests", INPUT_PYTHON=sys.executable)
    (step.workspace / "a.py").write_text("def f():\n    return 1\n")
    assert step.run() == 3
    assert assignments(step.output)["exit-reason"] == "environment"
    told = step.told.annotations[0].message
    for words in ("apt-get install -y bubblewrap", "apparmor_restrict_unprivileged_userns=0", "sandbox: weak"):
        assert words in told
        assert words in step.summary.read_text()
    assert not (tmp_path / "temp" / "testwright" / "state" / "runs").exists()


def test_a_fault_of_our_own_is_told_where_a_person_looks(tmp_path, monkeypatch):
    def broken(kind):
        raise ZeroDivisionError("sk-test-abcdefghij0123456789 divided")

    monkeypatch.setattr("testwright.cli.github.github.open_sandbox", broken)
    step = Step(tmp_path, INPUT_REQUEST="unit tests", OPENAI_API_KEY="sk-test-abcdefghij0123456789")
    assert step.run() == 1
    [annotation] = step.told.annotations
    assert "ZeroDivisionError: [redacted] divided" in annotation.message
    assert assignments(step.output)["exit-reason"] == "internal"
    assert "report it" in step.summary.read_text()


def test_a_key_in_a_message_is_taken_out(tmp_path):
    key = "sk-test-abcdefghij0123456789"
    step = Step(tmp_path, OPENAI_API_KEY=key, INPUT_REQUEST="x", INPUT_WORKING_DIRECTORY=key)
    assert step.run() == 2
    assert [line for line in step.log.getvalue().splitlines() if key in line] == [f"::add-mask::{key}"]
    assert key not in step.output.read_text() + step.summary.read_text()


def test_a_key_of_several_lines_is_masked_line_by_line(tmp_path):
    lines = ["-----BEGIN PRIVATE KEY-----", "abcdefghijklmnop", "qrstuvwxyz012345", "-----END PRIVATE KEY-----"]
    step = Step(tmp_path, SIGNING_PRIVATE_KEY="\n".join(lines))
    step.run()
    assert step.told.masks == lines[1:3]


def test_outside_of_a_workflow_there_is_no_step():
    with pytest.raises(UsageError, match="no step of a GitHub workflow"):
        github_step({}, io.StringIO())


def test_the_command_line_says_so_without_a_traceback(monkeypatch):
    monkeypatch.delenv("GITHUB_OUTPUT", raising=False)
    done = CliRunner().invoke(app, ["ci", "github"])
    assert done.exit_code == 2
    assert "no step of a GitHub workflow" in done.output


def test_what_is_not_said_is_left_to_settings_files_but_for_the_sandbox():
    assert read_inputs({}).settings == {"sandbox": "auto"}
    said = read_inputs({"INPUT_MODEL": "spec=openai:a, openai:b", "INPUT_DRY_RUN": "TRUE", "INPUT_FAIL_ON": "defects"})
    asked = {"model": ["spec=openai:a", "openai:b"], "dry_run": True, "fail_on": "defect"}
    assert said.settings == {"sandbox": "auto"} | asked


def test_a_link_out_of_the_workspace_is_no_project(tmp_path):
    (tmp_path / "work").mkdir()
    (tmp_path / "work" / "out").symlink_to(tmp_path)
    with pytest.raises(SettingsError, match="outside"):
        project_folder(read_inputs({"INPUT_WORKING_DIRECTORY": "out"}), tmp_path / "work")


class TestTargetPython:
    """Which interpreter the target gets."""

    def test_the_one_that_is_given_by_path_or_name(self, tmp_path):
        python = tmp_path / "python-x"
        python.write_text("#!/bin/sh\n")
        python.chmod(0o755)
        assert target_python(str(python), tmp_path, {}) == python
        assert target_python("python-x", tmp_path, {"PATH": str(tmp_path)}) == python
        with pytest.raises(InterpreterError):
            target_python("python-y", tmp_path, {"PATH": str(tmp_path)})

    def test_the_projects_or_the_active_environment_goes_before_the_path(self, tmp_path):
        assert target_python("", tmp_path, {"PATH": "/usr/bin:/bin", "VIRTUAL_ENV": "/somewhere"}) is None
        (tmp_path / ".venv").mkdir()
        (tmp_path / ".venv" / "pyvenv.cfg").write_text("")
        assert target_python("", tmp_path, {"PATH": "/usr/bin:/bin"}) is None

    def test_what_the_workflow_has_set_up_and_never_our_own(self, tmp_path):
        python = tmp_path / "python3"
        python.write_text("#!/bin/sh\n")
        python.chmod(0o755)
        assert target_python("", tmp_path, {"PATH": str(tmp_path)}) == python
        assert target_python("", tmp_path, {"PATH": str(tmp_path / "empty")}) is None


PULL = {"pull_request": {"base": {"sha": "aaa"}}, "repository": {"default_branch": "main"}}


@pytest.mark.feature("T-18")
@pytest.mark.parametrize(
    ("name", "event", "environment", "expected"),
    [
        (
            "pull_request",
            PULL,
            {"GITHUB_BASE_REF": "release", "GITHUB_REF": "refs/pull/1/merge"},
            ["refs/remotes/origin/release", "aaa"],
        ),
        ("push", {"before": "bbb", **PULL}, {"GITHUB_REF": "refs/heads/main"}, ["bbb"]),
        ("push", {"before": ZEROS, **PULL}, {"GITHUB_REF": "refs/heads/new"}, ["refs/remotes/origin/main"]),
        ("push", {"before": ZEROS, **PULL}, {"GITHUB_REF": "refs/heads/main"}, []),
        ("merge_group", {"merge_group": {"base_sha": "ccc"}}, {}, ["ccc"]),
        ("schedule", PULL, {"GITHUB_REF": "refs/heads/main"}, []),
        ("workflow_dispatch", PULL, {"GITHUB_REF": "refs/heads/fix"}, ["refs/remotes/origin/main"]),
        ("push", {"before": 7, "repository": "odd"}, {}, []),
    ],
)
def test_what_an_event_is_compared_with(name, event, environment, expected):
    assert base_candidates(name, event, environment) == expected


def test_the_first_base_that_the_clone_reaches_is_taken(tmp_path):
    whole = Repository(tmp_path / "whole")
    base = whole.commit({"a.py": "x = 1\n"})
    whole.commit({"a.py": "x = 2\n"}, "second")
    event = tmp_path / "event.json"
    event.write_text(json.dumps({"pull_request": {"base": {"sha": base}}}))
    environment = {"GITHUB_EVENT_NAME": "pull_request", "GITHUB_EVENT_PATH": str(event), "GITHUB_BASE_REF": "main"}
    assert base_of(whole.folder, environment) == base
    clone = Repository(tmp_path / "clone", clone=whole, depth=1)
    with pytest.raises(HistoryError, match="shallow") as error:
        base_of(clone.folder, environment | {"GITHUB_BASE_REF": "elsewhere"})
    assert "fetch-depth: 0" in error.value.advice


def test_a_checkout_that_git_refuses_says_how_it_is_allowed(tmp_path, monkeypatch):
    whole = Repository(tmp_path / "whole")
    base = whole.commit({"a.py": "x = 1\n"})
    event = tmp_path / "event.json"
    event.write_text(json.dumps({"before": base}))
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", os.devnull)
    monkeypatch.setenv("GIT_CONFIG_NOSYSTEM", "1")
    monkeypatch.setenv("GIT_TEST_ASSUME_DIFFERENT_OWNER", "1")  # git's own switch: as if somebody else owned it
    with pytest.raises(HistoryError, match="belongs to another user") as error:
        base_of(whole.folder, {"GITHUB_EVENT_NAME": "push", "GITHUB_EVENT_PATH": str(event)})
    assert "safe.directory" in error.value.advice


def test_an_event_that_does_not_read_is_told(tmp_path):
    (tmp_path / "event.json").write_text("{")
    environment = {"GITHUB_EVENT_NAME": "push", "GITHUB_EVENT_PATH": str(tmp_path / "event.json")}
    with pytest.raises(UsageError, match="cannot be read"):
        base_of(tmp_path, environment)


def _pull(head):
    return {"pull_request": {"head": {"repo": head}}, "repository": {"full_name": "team/shop"}}


@pytest.mark.parametrize(
    ("name", "event", "foreign"),
    [
        ("pull_request", _pull({"full_name": "team/shop"}), False),
        ("pull_request", _pull({"full_name": "mallory/shop"}), True),
        ("pull_request_target", _pull({"full_name": "mallory/shop"}), True),
        ("pull_request", _pull(None), True),
        ("pull_request", {}, True),
        ("push", {}, False),
        ("workflow_run", {}, True),
        ("issue_comment", {}, True),
        ("", {}, True),
    ],
)
def test_code_that_may_come_from_a_fork_is_told_from_a_members(name, event, foreign, tmp_path):
    (tmp_path / "event.json").write_text(json.dumps(event))
    environment = {"GITHUB_EVENT_NAME": name, "GITHUB_EVENT_PATH": str(tmp_path / "event.json")}
    assert may_bring_foreign_code(environment) is foreign


@pytest.mark.parametrize("repository", ["team/shop", "mallory/shop"])
def test_a_forks_settings_need_a_consent_that_the_workflow_cannot_have_given(repository, tmp_path, monkeypatch):
    """The workflow trusts its own repository; a fork's `python` is ignored, a member's is believed."""
    monkeypatch.setenv("TESTWRIGHT_TRUST_PROJECT", "true")
    (tmp_path / "event.json").write_text(json.dumps(_pull({"full_name": repository})))
    event = {"GITHUB_EVENT_NAME": "pull_request", "GITHUB_EVENT_PATH": str(tmp_path / "event.json")}
    step = Step(tmp_path, INPUT_REQUEST="unit tests", **event)
    (step.workspace / "a.py").write_text("def f():\n    return 1\n")
    (step.workspace / "testwright.toml").write_text('base-url = "http://127.0.0.1:9/v1"\n')
    settings = _settings(ActionStep.of(step.environment, step.log), read_inputs(step.environment), step.workspace)
    assert settings.base_url == ("http://127.0.0.1:9/v1" if repository == "team/shop" else None)
    assert ("base_url" in settings.ignored) is (repository != "team/shop")
