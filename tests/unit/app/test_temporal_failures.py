"""What a failure at a worker does to a run on Temporal; the server and its workers are stood in for."""

import asyncio
import os
from types import SimpleNamespace
from typing import Any

import pytest
from temporalio.exceptions import ActivityError, ApplicationError
from temporalio.service import RPCError, RPCStatusCode
from temporalio.testing import ActivityEnvironment

from testwright.app.opened_store import open_store
from testwright.app.temporal import client, messages, steering
from testwright.app.temporal.activities import typed_failures
from testwright.app.temporal.addresses import parse_address
from testwright.app.temporal.messages import RunEnded, RunTask, StepTask
from testwright.app.temporal.run_workflow import RunWorkflow
from testwright.cli.temporal.termination import interrupted_by_termination
from testwright.config.settings import load_settings
from testwright.core.errors import (
    EnvironmentFault,
    RequestError,
    RunLocked,
    RunNotFound,
    SettingsError,
    StoreAccessDenied,
    StoreUnreachable,
)
from testwright.store.database.runs import Runs
from testwright.store.files.run_folder import RunFolder
from testwright.tests.support.projects.repositories import Repository

pytestmark = pytest.mark.feature("A-08")
ADDRESS = "temporal://127.0.0.1:1/default"


@pytest.fixture
def settings(tmp_path):
    root = tmp_path / "project"
    root.mkdir()
    return load_settings({"root": root, "run_id": "r"})


@pytest.fixture
def server(monkeypatch):
    """A server that starts what it is asked to; `starting` and `ending` are what it answers with instead."""
    answers = SimpleNamespace(starting=None, ending=None)

    async def nothing(*_, **__):
        return SimpleNamespace(get_workflow_handle_for=lambda *_: None)

    async def start(*_):
        if answers.starting is not None:
            raise answers.starting

    async def follow(*_):
        raise answers.ending

    for module in (client, steering):
        monkeypatch.setattr(module, "connect", nothing)
        monkeypatch.setattr(module, "start_workflow", start)
        monkeypatch.setattr(module, "follow", follow)
    monkeypatch.setattr(client, "_say_whether_any_works", nothing)

    async def none_going_on(_):
        return None

    monkeypatch.setattr(steering, "_going_on", none_going_on)
    return answers


def is_stored(settings):
    with open_store(settings) as store:
        try:
            return store.runs.get("r").run_id == "r"
        except RunNotFound:
            return False


async def test_a_run_that_a_worker_found_locked_is_kept_with_what_was_paid_for(server, settings):
    server.ending = RunLocked("The step is being worked on by another process.")
    with pytest.raises(RunLocked):
        await client.run(ADDRESS, "unit tests", settings)
    assert is_stored(settings)
    assert (settings.state / "runs" / "r").is_dir()


@pytest.mark.parametrize(
    ("starting", "ending"),
    [(RunLocked("A run is going on."), None), (None, RequestError("Nothing was found."))],
    ids=["another run is going on", "nothing was found to test"],
)
async def test_a_run_that_never_began_leaves_nothing(starting, ending, server, settings):
    server.starting, server.ending = starting, ending
    with pytest.raises(type(starting or ending)):
        await client.run(ADDRESS, "unit tests", settings)
    assert not is_stored(settings)


async def test_the_settings_a_run_is_taken_up_with_are_stored_without_secrets(server, settings, monkeypatch):
    monkeypatch.setenv("SHOP_TOKEN", "b4ttery-horse-staple")
    server.ending = RunLocked("stopped")
    with pytest.raises(RunLocked):
        await client.run(ADDRESS, "unit tests", settings)
    used: list[Any] = []
    record = Runs.record_settings

    def recorded(runs, run_id, stored, redactor=None):
        used.append(redactor)
        record(runs, run_id, stored, redactor)

    monkeypatch.setattr(Runs, "record_settings", recorded)
    with pytest.raises(RunLocked):
        await steering.resume(ADDRESS, "r", settings)
    assert "b4ttery" not in used[0].text("b4ttery-horse-staple")


@pytest.mark.parametrize("ceilings", [{"max_tokens": 0}, {"max_cost": -1.0}, {"max_seconds": -5.0}])
async def test_ceilings_that_no_run_may_have_are_refused_before_anything_is_sent(ceilings, settings):
    with pytest.raises(SettingsError, match=next(iter(ceilings))):
        await steering.steer(ADDRESS, settings, "ceilings", ceilings)


def failing(error):
    with typed_failures("41@build-2"):
        raise error


def test_a_failure_says_which_worker_it_happened_at():
    with pytest.raises(ApplicationError) as caught:
        failing(StoreAccessDenied("The database refuses the password.", advice="Set PGPASSWORD."))
    [details] = caught.value.details
    assert details["worker"] == "41@build-2"
    assert details["message"] == "Worker 41@build-2: The database refuses the password."
    assert (details["error"], details["advice"]) == ("StoreAccessDenied", "Set PGPASSWORD.")


def test_a_request_that_names_nothing_is_no_fault_of_the_worker():
    with pytest.raises(ApplicationError) as caught:
        failing(RequestError("Nothing was found."))
    assert caught.value.message == "Nothing was found."


def test_a_lock_is_waited_for_by_the_workflow_and_not_by_attempts():
    with pytest.raises(ApplicationError) as caught:
        failing(RunLocked("The step is being worked on."))
    assert (caught.value.type, caught.value.non_retryable) == (messages.LOCKED, True)


def test_a_database_that_is_away_is_waited_for_by_the_workflow_and_not_by_attempts():
    with pytest.raises(ApplicationError) as caught:
        failing(StoreUnreachable("The database does not serve."))
    assert (caught.value.type, caught.value.non_retryable) == (messages.STORE_AWAY, True)


class Handle:
    """Answers with errors first, and then with the run's end."""

    id = "testwright-project"

    def __init__(self, *statuses):
        self.errors = [RPCError("transport error", status, b"") for status in statuses]
        self.asked = 0

    async def result(self):
        self.asked += 1
        if self.errors:
            raise self.errors.pop(0)
        return RunEnded("completed", 0)


async def followed(handle, settings, monkeypatch):
    report = SimpleNamespace(files=[])
    monkeypatch.setattr(client, "stored_report", lambda _: report)
    started = client.Started(handle, RunFolder(settings.state, "r"), settings, parse_address(ADDRESS))
    return (await client.follow(started, None)).report is report


@pytest.mark.parametrize(
    "status", [RPCStatusCode.UNKNOWN, RPCStatusCode.UNAVAILABLE, RPCStatusCode.CANCELLED, RPCStatusCode.INTERNAL]
)
async def test_a_connection_that_breaks_ends_no_run(status, settings, monkeypatch):
    handle = Handle(status)
    assert await followed(handle, settings, monkeypatch)
    assert handle.asked == 2


async def test_a_server_that_refuses_is_not_asked_again(settings, monkeypatch):
    handle = Handle(RPCStatusCode.PERMISSION_DENIED)
    with pytest.raises(EnvironmentFault, match="refused"):
        await followed(handle, settings, monkeypatch)
    assert handle.asked == 1


async def test_a_server_is_waited_for_anew_each_time_it_goes_away(settings, monkeypatch):
    handle = Handle(RPCStatusCode.UNAVAILABLE, RPCStatusCode.UNAVAILABLE)
    hours = iter(range(0, 360_000, 3600))
    monkeypatch.setattr(client, "time", SimpleNamespace(monotonic=lambda: float(next(hours))))
    assert await followed(handle, settings, monkeypatch)
    assert handle.asked == 3


class Namespace:
    """A server's namespace in which this user may define no search attributes."""

    namespace = "default"

    def __init__(self, known=()):
        self.known, self.started = known, []
        self.operator_service = self

    async def list_search_attributes(self, _):
        return SimpleNamespace(custom_attributes=dict.fromkeys(self.known))

    async def add_search_attributes(self, _):
        raise RPCError("not allowed", RPCStatusCode.PERMISSION_DENIED, b"")

    async def start_workflow(self, *_, search_attributes, **__):
        self.started.append([(pair.key.name, pair.value) for pair in search_attributes.search_attributes])


async def warnings_of_start(namespace, settings):
    told = []
    task = RunTask("r", str(settings.root), None, 0.0)
    await client.start_workflow(namespace, parse_address(ADDRESS), task, settings, told.append)
    return [event.data["warning"] for event in told]


async def test_a_namespace_that_lacks_search_attributes_costs_no_run_and_the_command_for_them_is_said(settings):
    namespace = Namespace(known=["TestwrightState"])
    [warning] = await warnings_of_start(namespace, settings)
    assert namespace.started == [[]]
    assert "without search attributes, because defining them was refused (not allowed)" in warning
    assert warning.endswith(
        "temporal operator search-attribute create -n default "
        "--name TestwrightCommit --type Keyword --name TestwrightProject --type Keyword"
    )


async def test_runs_can_be_searched_by_project_commit_and_state(settings):
    namespace = Namespace(known=["TestwrightProject", "TestwrightCommit", "TestwrightState"])
    assert await warnings_of_start(namespace, settings) == []
    assert namespace.started == [
        [("TestwrightCommit", "none"), ("TestwrightProject", str(settings.root)), ("TestwrightState", "planning")]
    ]


async def test_a_run_of_a_checkout_is_found_by_its_commit(settings):
    commit = Repository(settings.root).commit({"shop.py": "x = 1\n"})
    namespace = Namespace(known=["TestwrightProject", "TestwrightCommit", "TestwrightState"])
    await warnings_of_start(namespace, settings)
    assert dict(namespace.started[0])["TestwrightCommit"] == commit


async def ended_activity(*, stop):
    """What an activity ends with that is cancelled because its worker stops, or because its run does."""
    environment, at_work = ActivityEnvironment(), asyncio.Event()

    async def work():
        with typed_failures("41@build-2"):
            at_work.set()
            await asyncio.Event().wait()

    working = asyncio.ensure_future(environment.run(work))
    await at_work.wait()
    if stop:
        environment.worker_shutdown()
        working.cancel()
    else:
        environment.cancel()
    [ended] = await asyncio.gather(working, return_exceptions=True)
    return ended


async def test_a_worker_that_stops_says_so_and_a_cancelled_run_stays_cancelled():
    stopped = await ended_activity(stop=True)
    assert isinstance(stopped, ApplicationError)
    assert (stopped.type, stopped.non_retryable) == (messages.WORKER_STOPPED, True)
    assert isinstance(await ended_activity(stop=False), asyncio.CancelledError)


@pytest.mark.parametrize(
    ("kind", "message"),
    [(messages.LOCKED, "process 7 works on it"), (messages.WORKER_STOPPED, "100 workers were told to stop")],
)
async def test_a_step_that_no_worker_comes_to_the_end_of_ends_without_a_result(kind, message, monkeypatch):
    async def call(*_, **__):
        error = ActivityError(
            "failed",
            scheduled_event_id=1,
            started_event_id=2,
            identity="w",
            activity_type="execute_step",
            activity_id="1",
            retry_state=None,
        )
        raise error from ApplicationError("process 7 works on it", type=kind)

    task = RunTask("r", "/project", None, 0.0)
    run = RunWorkflow(task)
    monkeypatch.setattr(run, "_call", call)
    ended = await run._step(StepTask(task, "a"))
    assert ended.fault is not None
    assert ended.fault["ends_run"] is False
    assert message in ended.fault["message"]


def test_sigterm_cancels_what_workers_do_for_a_command():
    seen = []

    async def work():
        os.kill(os.getpid(), 15)
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            seen.append("cancelled")
            raise

    with pytest.raises(KeyboardInterrupt):
        asyncio.run(interrupted_by_termination(work()))
    assert seen == ["cancelled"]
