"""Runs on Temporal: real workers, on its development server, come to what one process comes to."""

import json
from types import SimpleNamespace

import pytest

from testwright.tests.support.projects.files import SMALL, make_project, tree
from testwright.tests.support.runs.command_line import invoke_command
from testwright.tests.support.runs.comparison import report_of, run_folder, work_of
from testwright.tests.support.runs.interrupted import await_nobody
from testwright.tests.support.runs.temporal_server import temporal_server, worker

pytestmark = [pytest.mark.feature("A-08"), pytest.mark.timeout(600)]

ASKED = ("run", "unit tests for the whole project", "--trials", "100", "--mutants", "0", "--run-id", "r", "--root")


@pytest.fixture(scope="module")
def server():
    with temporal_server() as started:
        yield started


@pytest.fixture(scope="module")
def a_worker(server):
    with worker(server) as process:
        yield process


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory):
    """A run in one process: what every other has to come to. Read only."""
    root = make_project(tmp_path_factory.mktemp("undisturbed") / "project")
    outcome = invoke_command(*ASKED, str(root), cwd=root)
    assert outcome.code == 0, outcome.err
    return SimpleNamespace(root=root, folder=run_folder(root, "r"), out=outcome.out)


def test_a_run_on_temporal_leaves_the_files_of_one_in_a_single_process(server, a_worker, undisturbed, tmp_path):
    root = make_project(tmp_path / "project", SMALL)
    folder = run_folder(root, "r")

    outcome = invoke_command(*ASKED, str(root), "--on", server.address, cwd=tmp_path)

    assert outcome.code == 0, outcome.err
    assert tree(root) == tree(undisturbed.root)
    assert work_of(folder) == work_of(undisturbed.folder)
    assert report_of(folder) == report_of(undisturbed.folder)
    assert {path.name for path in folder.iterdir()} == {path.name for path in undisturbed.folder.iterdir()}
    run = json.loads((folder / "report.json").read_bytes())["run"]
    assert (run["resumed"], run["sandbox"]) == (0, "bubblewrap")
    assert await_nobody(root), "the sandbox outlives the run"
