"""Requests on the command line: what was understood is said, and what was not asks or stops."""

from __future__ import annotations

import json

import pytest

from testwright.cli import asking
from testwright.tests.support.mcp.tool_session import write_files
from testwright.tests.support.projects.invoicer import INVOICER
from testwright.tests.support.projects.repositories import Repository
from testwright.tests.support.runs.command_line import invoke_command

pytestmark = pytest.mark.feature("T-02")

UNCLEAR = "unit tests for tax and the checkout"


@pytest.fixture
def project(tmp_path, monkeypatch):
    monkeypatch.delenv("CI", raising=False)
    return write_files(tmp_path / "invoicer", INVOICER)


def test_plan_says_in_one_sentence_what_it_understood(project):
    shown = invoke_command("plan", "unit tests for everything but the cli", cwd=project)
    assert shown.code == 0
    assert shown.out.startswith("Unit tests with pytest for 10 modules of invoicer; without cli.\n")


@pytest.mark.parametrize(
    ("arguments", "environment", "code"),
    [((), {}, 0), (("--strict",), {}, 2), ((), {"CI": "true"}, 2), (("--no-strict",), {"CI": "true"}, 0)],
)
def test_what_is_not_understood_stops_where_nobody_reads_along(project, arguments, environment, code):
    outcome = invoke_command("plan", UNCLEAR, *arguments, cwd=project, environment=environment)
    assert outcome.code == code
    assert "checkout" in outcome.out + outcome.err
    assert ("generate_unit_tests" in outcome.out) is (code == 0)


@pytest.mark.parametrize(("answer", "code"), [("y\n", 0), ("n\n", 2)])
def test_on_a_terminal_it_asks_whether_to_go_on(project, monkeypatch, answer, code):
    monkeypatch.setattr(asking, "is_terminal", lambda: True)
    outcome = invoke_command("plan", UNCLEAR, cwd=project, keys=answer)
    assert outcome.code == code
    assert "Go on without it?" in outcome.err
    assert ("generate_unit_tests" in outcome.out) is (code == 0)


def test_what_the_projects_file_excludes_is_never_a_target(project):
    (project / "testwright.toml").write_text('exclude = ["invoicer.cli", "*/reports/*"]\n')
    made = json.loads(invoke_command("plan", "unit tests", "--json", cwd=project).out)
    paths = [step["params"]["target"]["path"] for step in made["steps"] if "target" in step["params"]]
    assert len(paths) == 8
    assert not [path for path in paths if "cli" in path or "reports" in path]


def test_a_request_may_say_since_when_code_changed(project):
    repository = Repository(project)
    repository.commit(INVOICER)
    tax = project / "src/invoicer/tax.py"
    tax.write_text(tax.read_text() + "\n\ndef reduced(country):\n    return vat_rate(country) // 2\n")
    made = json.loads(invoke_command("plan", "only what changed since HEAD", "--json", cwd=project).out)
    target = made["steps"][0]["params"]["target"]
    assert (target["path"], target["symbols"]) == ("src/invoicer/tax.py", ["reduced"])
