"""Runs that are killed, interrupted or met by others, and go on (B-08)."""

import json
import os
import shutil
import signal
from types import SimpleNamespace

import pytest

from testwright.tests.support.projects.files import SMALL, make_project, tree
from testwright.tests.support.runs.command_line import invoke_command
from testwright.tests.support.runs.comparison import report_of, run_folder, work_of
from testwright.tests.support.runs.interrupted import (
    await_event,
    await_nobody,
    events_of,
    kill_at,
    repeated_work,
    started_command,
)

pytestmark = [pytest.mark.feature("B-08"), pytest.mark.timeout(900)]

# Runs that are killed while mutants are tried have a file of their own.
ASKED = ("run", "unit tests for the whole project", "--trials", "100", "--mutants", "0", "--run-id", "r", "--root")
KILLED_AT = {
    "while a spec is explored": lambda event: event["data"].get("node") == "generate_spec",
    "when a step has ended": lambda event: event["type"] == "step_ended",
    "while all tests are verified": lambda event: (
        event["type"] == "step_started" and event["step_id"] == "verify_suite"
    ),
    "while tests are added": lambda event: event["type"] == "step_started" and event["step_id"] == "accept_tests",
}


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory):
    """A run that nobody disturbs: what every other has to come to. Read only."""
    root = make_project(tmp_path_factory.mktemp("undisturbed") / "project")
    outcome = invoke_command(*ASKED, str(root), cwd=root)
    assert outcome.code == 0, outcome.err
    return SimpleNamespace(root=root, folder=run_folder(root, "r"))


def same_as(undisturbed, root):
    """Whether a run came to the same plan, specs, tests and report, with nothing done twice."""
    folder = run_folder(root, "r")
    assert tree(root) == tree(undisturbed.root)
    assert work_of(folder) == work_of(undisturbed.folder)
    assert report_of(folder) == report_of(undisturbed.folder)
    assert repeated_work(folder) == []
    assert {path.name for path in folder.iterdir()} == {path.name for path in undisturbed.folder.iterdir()}
    return True


@pytest.mark.parametrize(
    "moment",
    [pytest.param(name, marks=[pytest.mark.smoke] if name == "while tests are added" else []) for name in KILLED_AT],
)
def test_a_killed_run_ends_as_if_nothing_had_happened(moment, undisturbed, tmp_path):
    root = make_project(tmp_path / "project")
    folder = run_folder(root, "r")
    with started_command(*ASKED, str(root), cwd=tmp_path) as process:
        kill_at(process, folder, KILLED_AT[moment])
    assert await_nobody(root), "the sandbox outlives the run"

    outcome = invoke_command("resume", "r", "--root", str(root), cwd=tmp_path)
    assert outcome.code == 0, outcome.err
    assert same_as(undisturbed, root)
    assert json.loads((folder / "report.json").read_bytes())["run"]["sandbox"] == "bubblewrap"
    ended = [event["step_id"] for event in events_of(folder) if event["type"] == "step_ended"]
    assert set(ended) == {"generate_unit_small_names", "generate_unit_small_numbers", "verify_suite", "accept_tests"}
    assert await_nobody(root)


@pytest.mark.feature("A-04", "B-12")
def test_a_run_in_postgres_whose_server_restarts_and_that_is_killed_ends_the_same(undisturbed, tmp_path, postgres):
    root, url = make_project(tmp_path / "project"), postgres.new_url()
    folder, places = run_folder(root, "r"), ("--root", str(root), "--store", url)
    with started_command(*ASKED[:-1], *places, cwd=tmp_path) as process:
        assert await_event(process, folder, lambda event: event["type"] == "started")
        postgres.stop()
        postgres.start()
        kill_at(process, folder, KILLED_AT["when a step has ended"])
    assert await_nobody(root)
    [listed] = json.loads(invoke_command("runs", "list", "--json", *places, cwd=tmp_path).out)
    assert (listed["run_id"], listed["status"], listed["resumable"]) == ("r", "interrupted", True)

    outcome = invoke_command("resume", "r", *places, cwd=tmp_path)
    assert outcome.code == 0, outcome.err
    assert same_as(undisturbed, root)
    shown = json.loads(invoke_command("runs", "show", "r", "--json", *places, cwd=tmp_path).out)
    assert shown["record"]["settings"]["store"] == url
    assert {kind for _, kind in shown["artifacts"]} >= {"spec_output"}
    assert not (root / ".testwright" / "database").exists()
    cleaned = invoke_command("clean", "--keep", "0", *places, cwd=tmp_path)
    assert cleaned.code == 0, cleaned.err
    left = "SELECT (SELECT count(*) FROM runs) + (SELECT count(*) FROM artifacts) + (SELECT count(*) FROM checkpoints)"
    assert postgres.execute(left, url) == [(0,)]


@pytest.mark.feature("T-19", "P-11")
def test_ctrl_c_ends_with_130_and_a_run_that_can_be_resumed(undisturbed, tmp_path):
    root = make_project(tmp_path / "project")
    folder = run_folder(root, "r")
    with started_command(*ASKED, str(root), cwd=tmp_path) as process:
        assert await_event(process, folder, lambda event: event["type"] == "spec_written")
        os.killpg(process.pid, signal.SIGINT)
        out, err = process.communicate()
    assert (process.returncode, out) == (130, "")
    assert "Traceback" not in err
    assert "`testwright resume r` continues" in err
    assert await_nobody(root)
    listed = invoke_command("runs", "show", "r", "--root", str(root), cwd=tmp_path)
    assert "interrupted" in listed.out
    assert "`testwright resume r` goes on" in listed.out

    broken = shutil.copytree(root, tmp_path / "broken")
    for path in (broken / ".testwright" / "database").rglob("r.sqlite*"):
        path.write_bytes(b"no database " * 1000)
    refused = invoke_command("resume", "r", "--root", str(broken), cwd=tmp_path)
    assert refused.code == 4, refused.err
    assert "Traceback" not in refused.err
    assert str(broken / ".testwright" / "database") in refused.err

    outcome = invoke_command("resume", "r", "--root", str(root), cwd=tmp_path)
    assert outcome.code == 0, outcome.err
    assert same_as(undisturbed, root)


def test_a_second_run_on_the_project_is_told_who_is_there(undisturbed, tmp_path):
    root = make_project(tmp_path / "project")
    with started_command(*ASKED, str(root), cwd=tmp_path) as process:
        assert await_event(process, run_folder(root, "r"), lambda event: event["type"] == "started")
        os.kill(process.pid, signal.SIGSTOP)
        second = invoke_command("run", "small.names", "--root", str(root), "--run-id", "other", cwd=tmp_path)
        os.kill(process.pid, signal.SIGCONT)
        process.communicate()
    assert second.code == 4
    assert f"process {process.pid} on " in second.err
    assert "(run r)" in second.err
    assert "Wait until it has finished" in second.err
    assert process.returncode == 0
    assert same_as(undisturbed, root)


def test_a_run_that_has_ended_is_answered_as_it_ended(undisturbed, tmp_path):
    root = shutil.copytree(undisturbed.root, tmp_path / "project")
    before = (run_folder(root, "r") / "report.json").read_bytes()
    outcome = invoke_command("resume", "r", "--root", str(root), "--json", cwd=tmp_path)
    assert (outcome.code, outcome.err) == (0, "")
    assert outcome.out.encode() == before == (run_folder(root, "r") / "report.json").read_bytes()
    assert tree(root).keys() > SMALL.keys()


@pytest.mark.feature("T-19")
def test_resuming_what_was_never_run_says_so(tmp_path):
    outcome = invoke_command("resume", "nothing", "--root", str(make_project(tmp_path / "project")), cwd=tmp_path)
    assert outcome.code == 2
    assert "nothing" in outcome.err
    assert "runs list" in outcome.err
