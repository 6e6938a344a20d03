"""`--changed-since` on the command line."""

import json

import pytest
from typer.testing import CliRunner

from testwright.cli.app import app
from testwright.tests.support.projects.repositories import Repository

pytestmark = pytest.mark.feature("T-18")


@pytest.fixture
def project(tmp_path):
    """A repository with one module, nothing changed."""
    repository = Repository(tmp_path / "shop")
    repository.commit({"shop.py": "def price():\n    return 1\n", ".gitignore": ".testwright/\n"})
    return repository


def told(project, *words: str):
    done = CliRunner().invoke(app, [*words, "--root", str(project.folder)])
    return done.exit_code, done.output


def test_where_nothing_changed_the_run_has_nothing_to_do_and_is_fine(project):
    code, output = told(project, "run", "unit tests", "--changed-since", "main", "--run-id", "a")
    assert code == 0, output
    assert "nothing to do" in output
    assert "1 module: no change since main" in output
    report = json.loads((project.folder / ".testwright" / "runs" / "a" / "report.json").read_text())
    assert (report["exit_reason"], report["status"]) == ("nothing_to_do", "completed")
    assert project.git("status", "--short") == ""


def test_a_ref_that_is_not_there_ends_with_advice_and_leaves_no_run(project):
    code, output = told(project, "run", "unit tests", "--changed-since", "mian", "--run-id", "a")
    assert code == 2
    assert "git knows no commit 'mian'" in output
    assert "fetch it first" in output
    assert not (project.folder / ".testwright" / "runs" / "a").exists()


def test_the_plan_shows_what_would_be_tested(project):
    project.write({"shop.py": "def price():\n    return 1\n\n\ndef tax():\n    return 2\n"})
    code, output = told(project, "plan", "unit tests", "--changed-since", "HEAD", "--json")
    assert code == 0, output
    [first, *_] = json.loads(output)["steps"]
    assert first["params"]["target"]["symbols"] == ["tax"]
