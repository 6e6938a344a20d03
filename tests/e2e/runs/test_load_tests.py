"""Load tests from a request to a locustfile in the project, by the real command."""

import re

import pytest

from testwright.tests.support.projects.files import make_project, tree
from testwright.tests.support.projects.notes_app import NOTES
from testwright.tests.support.runs.command_line import invoke_command
from testwright.tests.support.runs.comparison import report_of, run_folder

pytestmark = pytest.mark.waits

MODULE = "src/notes/api.py"
PROJECT = {"src/notes/__init__.py": "", MODULE: NOTES}
LOCUSTFILE = "tests/generated/load/locustfile_notes.py"


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    """The project after the run, and what the command answered."""
    folder = tmp_path_factory.mktemp("load")
    root = make_project(folder / "notes", PROJECT)
    return root, invoke_command("run", "soak tests for the notes API", "--root", str(root), "--run-id", "r", cwd=folder)


@pytest.mark.feature("T-20", "T-10", "B-04", "T-08")
def test_a_request_for_load_ends_with_a_locustfile_that_passed_three_times(run):
    root, outcome = run
    assert outcome.code == 0, outcome.out + outcome.err
    helpers = {
        f"tests/generated/load/{name}.py" for name in ("api_process", "api_serving", "load_profiles", "load_traffic")
    }
    assert tree(root).keys() == {*PROJECT, LOCUSTFILE, *helpers}
    (target,) = report_of(run_folder(root, "r"))["targets"]
    assert (target["test_type"], target["framework"]) == ("performance", "locust")
    assert target["cases"] == 2
    text = (root / LOCUSTFILE).read_text()
    assert re.findall(r'"tc_\w+_(smoke|soak)"', text) == ["smoke", "soak"]
    assert 'self.client.get("/notes")' in text


@pytest.mark.feature("T-20")
def test_the_screen_says_how_the_load_tests_are_run(run):
    assert f"locust -f {LOCUSTFILE} --headless --load-profile smoke" in run[1].out
