"""Runs on Temporal: real workers, on its development server, come to what one process comes to."""

import asyncio
import json
import subprocess
import sys
import time
import uuid
from contextlib import ExitStack
from types import SimpleNamespace

import pytest

from testwright.app.opened_store import open_store
from testwright.app.temporal import client
from testwright.app.temporal.addresses import connect, parse_address
from testwright.app.temporal.messages import RunTask
from testwright.app.temporal.run_workflow import STATE, RunWorkflow
from testwright.config.settings import load_settings
from testwright.tests.support.agents.scripted_openai import ScriptedOpenAI, answer
from testwright.tests.support.projects.files import ROOT, SMALL, make_project, tree
from testwright.tests.support.runs.command_line import invoke_command
from testwright.tests.support.runs.comparison import report_of, run_folder, work_of
from testwright.tests.support.runs.interrupted import await_nobody
from testwright.tests.support.runs.paid_runs import environment, half_spec, halves
from testwright.tests.support.runs.temporal_server import free_port, temporal_server, worker

pytestmark = [pytest.mark.feature("A-08", "B-12"), pytest.mark.timeout(600)]

ASKED = ("run", "unit tests for the whole project", "--trials", "100", "--mutants", "0", "--run-id", "r", "--root")
NAME = f"of-the-tests-{uuid.uuid4()}"


@pytest.fixture(scope="module")
def server():
    keywords = [key.name for key in (client.PROJECT, client.COMMIT, STATE)]
    with temporal_server(keywords=keywords) as started:
        yield started


@pytest.fixture(scope="module")
def a_worker(server):
    with worker(server, "--name", NAME) as process:
        yield process


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory):
    """A run in one process: what every other has to come to. Read only."""
    root = make_project(tmp_path_factory.mktemp("undisturbed") / "project")
    outcome = invoke_command(*ASKED, str(root), cwd=root)
    assert outcome.code == 0, outcome.err
    return SimpleNamespace(root=root, folder=run_folder(root, "r"), out=outcome.out)


async def runs_found(server, query):
    """The ids of the workflows that a query finds."""
    connected = await connect(parse_address(server.address))
    return [one.id async for one in connected.list_workflows(query)]


def test_a_run_is_steered_found_and_followed_and_leaves_the_files_of_one_in_a_single_process(
    server, a_worker, undisturbed, tmp_path
):
    root = make_project(tmp_path / "project", SMALL)
    folder, id_ = run_folder(root, "r"), client.workflow_id(load_settings({"root": root}))
    about = f"TestwrightProject = '{root}' AND TestwrightCommit = 'none' AND TestwrightState = "

    def steer(action, *more):
        return invoke_command(
            "temporal", action, *more, "--json", "--root", str(root), "--on", server.address, cwd=root
        )

    command = [sys.executable, str(ROOT / "main.py"), *ASKED, str(root), "--on", server.address]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as begun:
        while steer("pause").code != 0:
            assert begun.poll() is None
        while json.loads(steer("progress").out)["state"] != "paused":
            assert begun.poll() is None
        begun.kill()
    while asyncio.run(runs_found(server, about + "'paused'")) != [id_]:
        pass  # what is searched is brought up to date a little later
    assert steer("ceilings", "--max-tokens", "500000").code == 0
    assert steer("resume").code == 0
    outcome = invoke_command("resume", "r", "--root", str(root), "--on", server.address, cwd=root)

    assert outcome.code == 0, outcome.err
    while asyncio.run(runs_found(server, about + "'completed'")) != [id_]:
        pass
    with open_store(load_settings({"root": root})) as store:
        assert store.runs.get("r").settings["max_tokens"] == 500_000
    assert "is going on at temporal://" in steer("pause").err
    assert tree(root) == tree(undisturbed.root)
    assert work_of(folder) == work_of(undisturbed.folder)
    assert report_of(folder) == report_of(undisturbed.folder)
    assert {path.name for path in folder.iterdir()} == {path.name for path in undisturbed.folder.iterdir()}
    run = json.loads((folder / "report.json").read_bytes())["run"]
    assert (run["resumed"], run["sandbox"]) == (0, "bubblewrap")
    assert await_nobody(root), "the sandbox outlives the run"


def test_a_second_worker_of_one_name_is_refused(server, a_worker, tmp_path):
    outcome = invoke_command("worker", "--on", server.address, "--name", NAME, cwd=tmp_path)
    assert outcome.code == 2
    assert "works on this machine already" in outcome.err


def test_a_worker_that_is_killed_is_replaced_and_no_answer_is_paid_for_twice(tmp_path, monkeypatch):
    root = halves(tmp_path / "project")
    variables = environment()
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    # The script has each answer once: one that is asked for again ends the test.
    with ScriptedOpenAI([answer(half_spec())]) as model, temporal_server() as server, ExitStack() as stack:
        settings = load_settings(
            {"root": root, "run_id": "r", "model": ["spec=openai:scripted"], "base_url": model.base_url, "apply": True}
        )
        first = stack.enter_context(worker(server))
        seen = []

        def on_event(event):
            # The spec was paid for, and what follows is under way.
            if event.data.get("node") == "run_tests" and not seen:
                seen.append(event)
                first.kill()
                first.wait()
                stack.enter_context(worker(server))

        ended = asyncio.run(
            client.run(server.address, "unit tests for halves.half", settings, on_event=on_event, heartbeat_seconds=8.0)
        )
    assert first.returncode == -9
    assert ended.report.totals.kept > 0
    assert ended.report.run.spent.calls == 1
    assert (root / "tests/generated/halves/test_halves_half.py").is_file()
    assert await_nobody(root), "the sandbox outlives the run"


def test_a_run_outlives_a_server_that_dies_and_clocks_that_differ_by_an_hour(undisturbed, tmp_path, monkeypatch):
    ahead = SimpleNamespace(time=lambda: time.time() + 3600, monotonic=time.monotonic)
    monkeypatch.setattr(client, "time", ahead)
    root = make_project(tmp_path / "project", SMALL)
    seen = []
    with temporal_server(tmp_path / "temporal.db") as server, worker(server):
        settings = load_settings({"root": root, "run_id": "r", "trials": 100, "mutants": 0})

        def on_event(event):
            if event.type == "step_started" and not seen:
                seen.append(event)
                server.kill()
                server.restart()

        request = "unit tests for the whole project"
        ended = asyncio.run(client.run(server.address, request, settings, on_event=on_event, heartbeat_seconds=15.0))
    assert seen
    assert ended.report.exit_code == 0
    assert 0 <= ended.report.run.seconds < 600
    assert tree(root) == tree(undisturbed.root)
    assert work_of(run_folder(root, "r")) == work_of(undisturbed.folder)


def test_a_project_has_one_run_at_a_time_and_the_second_leaves_nothing(server, tmp_path):
    root = make_project(tmp_path / "project", SMALL)

    async def occupied():
        connected = await connect(parse_address(server.address))
        id_ = client.workflow_id(load_settings({"root": root}))
        return await connected.start_workflow(
            RunWorkflow.run, RunTask("other", str(root), None, 0.0), id=id_, task_queue="nobody-listens"
        )

    asyncio.run(occupied())
    outcome = invoke_command(*ASKED, str(root), "--on", server.address, cwd=tmp_path)
    assert outcome.code == 4
    assert "is going on at temporal://" in outcome.err
    assert not run_folder(root, "r").exists()


@pytest.mark.parametrize(
    ("address", "code", "message"),
    [
        ("temporal://127.0.0.1:{free}/default", 3, "cannot be reached"),
        ("temporal://127.0.0.1:{port}/nowhere", 3, "has no namespace nowhere"),
        ("127.0.0.1:{port}", 2, "is no temporal://HOST:PORT/NAMESPACE"),
    ],
)
@pytest.mark.parametrize("command", ["run", "worker"])
def test_an_address_without_a_server_or_namespace_is_said_at_once(command, address, code, message, server, tmp_path):
    root = make_project(tmp_path / "project", SMALL)
    request = [*ASKED, str(root)] if command == "run" else ["worker"]
    where = address.format(free=free_port(), port=server.port)
    outcome = invoke_command(*request, "--on", where, cwd=tmp_path)
    assert outcome.code == code
    assert message in outcome.err
    assert not run_folder(root, "r").exists()
