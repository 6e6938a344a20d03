"""The workflow of a run on a real server, with activities that only note what they are asked."""

import asyncio
import contextlib
import uuid
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import timedelta

import pytest
from temporalio import activity
from temporalio.client import WorkflowFailureError
from temporalio.exceptions import ApplicationError
from temporalio.worker import Replayer, Worker

from testwright.app.temporal import messages, steering
from testwright.app.temporal.activities import typed_failures
from testwright.app.temporal.addresses import connect, parse_address
from testwright.app.temporal.client import workflow_id
from testwright.app.temporal.messages import NewCeilings, RunEnded, RunTask, StepEnded, WaveOfSteps
from testwright.app.temporal.run_workflow import RunWorkflow
from testwright.app.temporal.steering import steer
from testwright.app.temporal.worker import DEPLOYMENT
from testwright.config.settings import load_settings
from testwright.core.errors import EnvironmentFault, RunNotFound
from testwright.tests.support.runs.temporal_server import temporal_server

pytestmark = [pytest.mark.feature("A-08"), pytest.mark.waits]


@pytest.fixture(scope="module")
def server():
    with temporal_server() as started:
        yield started


@dataclass
class Notes:
    """Activities of one run that note what they are asked.

    Attributes:
        waves: what planning answers, one after the other.
        held: steps that wait until they are released.
        failures: what a step raises, one after the other.
    """

    waves: list[WaveOfSteps]
    held: set[str] = field(default_factory=set)
    failures: dict[str, list[Exception]] = field(default_factory=dict)
    asked: list[str] = field(default_factory=list)
    ended: list[dict[str, StepEnded] | None] = field(default_factory=list)
    ceilings: list[NewCeilings] = field(default_factory=list)
    released: asyncio.Event = field(default_factory=asyncio.Event)
    arrived: asyncio.Event = field(default_factory=asyncio.Event)
    raised: asyncio.Event = field(default_factory=asyncio.Event)
    most: int = 0
    at_work: int = 0

    @activity.defn(name=messages.ADVANCE)
    async def advance(self, task: messages.AdvanceTask) -> WaveOfSteps:
        self.ended.append(task.ended)
        return self.waves.pop(0)

    @activity.defn(name=messages.EXECUTE_STEP)
    async def execute(self, task: messages.StepTask) -> StepEnded:
        with typed_failures("w"):
            return await self._executed(task)

    async def _executed(self, task: messages.StepTask) -> StepEnded:
        self.asked.append(task.step_id)
        self.at_work += 1
        self.most = max(self.most, self.at_work)
        try:
            if task.step_id in self.held:
                self.arrived.set()
                while not self.released.is_set():  # a cancellation arrives with the answer to a heartbeat
                    activity.heartbeat()
                    with contextlib.suppress(TimeoutError):
                        await asyncio.wait_for(self.released.wait(), 0.1)
            if self.failures.get(task.step_id):
                raise self.failures[task.step_id].pop(0)
            return StepEnded(activity.info().attempt)
        finally:
            self.at_work -= 1

    @activity.defn(name=messages.FINISH)
    async def finish(self, task: RunTask) -> RunEnded:
        self.asked.append("finish")
        return RunEnded("completed", 0)

    @activity.defn(name=messages.STOP)
    async def stop(self, task: RunTask) -> None:
        self.asked.append("stop")

    @activity.defn(name=messages.CHANGE_CEILINGS)
    async def change(self, task: messages.CeilingsTask) -> None:
        self.ceilings.append(task.ceilings)
        self.raised.set()
        if self.failures.get("ceilings"):
            raise self.failures["ceilings"].pop(0)


def worker(client, queue, notes):
    """A worker that is stopped at the end of the block; what it has at work is cancelled at once."""
    activities = [notes.advance, notes.execute, notes.finish, notes.stop, notes.change]
    return Worker(
        client,
        task_queue=queue,
        workflows=[RunWorkflow],
        activities=activities,
        deployment_config=DEPLOYMENT,
        max_heartbeat_throttle_interval=timedelta(seconds=0.1),  # a cancellation comes as the answer to one
    )


@contextlib.asynccontextmanager
async def begun(server, notes, *, id_=None):
    """A run that has begun, with a worker of its own."""
    client = await connect(parse_address(server.address))
    queue = f"queue-{uuid.uuid4()}"
    async with worker(client, queue, notes):
        task = RunTask("r", "/project", None, 0.0)
        yield await client.start_workflow(RunWorkflow.run, task, id=id_ or queue, task_queue=queue)


async def test_steps_begin_in_their_order_and_no_more_than_jobs_at_a_time(server):
    notes = Notes([WaveOfSteps(["a", "b", "c", "d"], jobs=2), WaveOfSteps(["e"]), WaveOfSteps()])
    async with begun(server, notes) as run:
        assert await run.result() == RunEnded("completed", 0)
    assert sorted(notes.asked[:2]) == ["a", "b"]
    assert notes.asked[-2:] == ["e", "finish"]
    assert notes.most <= 2
    assert [set(ended or ()) for ended in notes.ended] == [set(), {"a", "b", "c", "d"}, {"e"}]


async def test_a_paused_run_begins_no_further_step_and_goes_on_when_it_is_resumed(server):
    notes = Notes([WaveOfSteps(["a", "b"], jobs=1), WaveOfSteps()], held={"a"})
    async with begun(server, notes) as run:
        await notes.arrived.wait()
        await run.signal(RunWorkflow.pause)
        notes.released.set()
        progress = await run.query(RunWorkflow.progress)
        while progress.state != "paused":
            progress = await run.query(RunWorkflow.progress)
        assert (progress.ended, progress.at_work, progress.waiting) == (["a"], [], ["b"])
        assert notes.asked == ["a"]
        await run.signal(RunWorkflow.resume)
        await run.result()
    assert notes.asked == ["a", "b", "finish"]


async def test_ceilings_are_raised_before_the_next_step_also_of_a_paused_run(server):
    notes = Notes([WaveOfSteps(["a", "b"], jobs=1), WaveOfSteps()], held={"a"})
    async with begun(server, notes) as run:
        await notes.arrived.wait()
        await run.signal(RunWorkflow.pause)
        await run.signal(RunWorkflow.raise_ceilings, NewCeilings(max_tokens=9))
        notes.released.set()
        await notes.raised.wait()
        assert notes.asked == ["a"]
        await run.signal(RunWorkflow.resume)
        await run.result()
    assert notes.ceilings == [NewCeilings(max_tokens=9)]


async def test_ceilings_that_cannot_be_changed_are_noted_and_the_run_goes_on(server):
    refused = ApplicationError("no such ceiling", type="SettingsError")
    notes = Notes([WaveOfSteps(["a", "b"], jobs=1), WaveOfSteps()], held={"a"}, failures={"ceilings": [refused]})
    async with begun(server, notes) as run:
        await notes.arrived.wait()
        await run.signal(RunWorkflow.raise_ceilings, NewCeilings(max_tokens=0))
        notes.released.set()
        assert await run.result() == RunEnded("completed", 0)
        assert (await run.query(RunWorkflow.progress)).notes == [
            "The ceilings were not changed: SettingsError: no such ceiling"
        ]


async def test_steps_at_work_after_a_pause_are_shown_as_such(server):
    notes = Notes([WaveOfSteps(["a", "b", "c", "d"], jobs=2), WaveOfSteps()], held={"a", "b", "c", "d"})
    async with begun(server, notes) as run:
        await notes.arrived.wait()
        await run.signal(RunWorkflow.pause)
        notes.released.set()
        while len((await run.query(RunWorkflow.progress)).ended) < 2:
            pass
        assert (await run.query(RunWorkflow.progress)).state == "paused"
        notes.released.clear()
        notes.arrived.clear()
        await run.signal(RunWorkflow.resume)
        await notes.arrived.wait()
        assert (await run.query(RunWorkflow.progress)).state == "executing"
        notes.released.set()
        await run.result()


async def test_stopped_workers_held_locks_and_a_database_that_is_away_cost_a_step_no_attempt(server):
    stopped = [ApplicationError("stopped", type=messages.WORKER_STOPPED, non_retryable=True) for _ in range(8)]
    locked = [ApplicationError("held", type=messages.LOCKED, non_retryable=True) for _ in range(2)]
    away = ApplicationError("it does not serve", type=messages.STORE_AWAY, non_retryable=True)
    notes = Notes([WaveOfSteps(["a"]), WaveOfSteps()], failures={"a": [*stopped, *locked, away]})
    async with begun(server, notes) as run:
        assert await run.result() == RunEnded("completed", 0)
    assert notes.asked == [*["a"] * 12, "finish"]
    assert notes.ended[1] == {"a": StepEnded(attempts=1)}


async def test_a_database_that_is_away_is_noted_once_until_an_activity_reaches_it_again(server):
    class Asking(Notes):
        told: Sequence[str] = ()

        async def _executed(self, task):
            if len(self.asked) == 2:
                self.told = (await run.query(RunWorkflow.progress)).notes
            return await super()._executed(task)

    away: list[Exception] = [
        ApplicationError(f"by worker {n}", type=messages.STORE_AWAY, non_retryable=True) for n in range(2)
    ]
    notes = Asking([WaveOfSteps(["a"]), WaveOfSteps()], failures={"a": away})
    async with begun(server, notes) as run:
        assert await run.result() == RunEnded("completed", 0)
        assert notes.told == ["The database is waited for."]
        assert (await run.query(RunWorkflow.progress)).notes == []


async def test_a_worker_that_is_stopped_leaves_its_step_to_the_next_with_all_its_attempts(server):
    notes = Notes([WaveOfSteps(["a"]), WaveOfSteps()], held={"a"})
    client = await connect(parse_address(server.address))
    queue = f"queue-{uuid.uuid4()}"
    async with worker(client, queue, notes):
        run = await client.start_workflow(
            RunWorkflow.run, RunTask("r", "/project", None, 0.0), id=queue, task_queue=queue
        )
        await notes.arrived.wait()
    notes.released.set()
    async with worker(client, queue, notes):
        assert await run.result() == RunEnded("completed", 0)
    assert notes.asked == ["a", "a", "finish"]
    assert notes.ended[1] == {"a": StepEnded(attempts=1)}


async def test_a_malformed_answer_is_asked_for_again_and_a_violated_contract_is_not(server):
    malformed = ApplicationError("not JSON", type="MalformedLlmOutput")
    notes = Notes([WaveOfSteps(["a"]), WaveOfSteps()], failures={"a": [malformed]})
    async with begun(server, notes) as run:
        await run.result()
    assert notes.asked == ["a", "a", "finish"]
    assert notes.ended[1] == {"a": StepEnded(attempts=2)}

    violated = ApplicationError("against the contract", type="SchemaValidationError")
    notes = Notes([WaveOfSteps(["a"]), WaveOfSteps()], failures={"a": [violated]})
    async with begun(server, notes) as run:
        with pytest.raises(WorkflowFailureError):
            await run.result()
    assert notes.asked == ["a"]


async def test_a_cancelled_run_ends_its_steps_and_is_recorded_as_stopped(server):
    notes = Notes([WaveOfSteps(["a", "b"], jobs=1)], held={"a"})
    async with begun(server, notes) as run:
        await notes.arrived.wait()
        await run.cancel()
        with pytest.raises(WorkflowFailureError):
            await run.result()
    assert notes.asked == ["a", "stop"]
    assert notes.at_work == 0


async def test_what_a_run_was_decided_by_can_be_replayed(server):
    notes = Notes([WaveOfSteps(["a", "b", "c"], jobs=2), WaveOfSteps()])
    async with begun(server, notes) as run:
        await run.result()
        history = await run.fetch_history()
    await Replayer(workflows=[RunWorkflow], build_id="tests", debug_mode=True).replay_workflow(history)


async def test_the_run_of_a_project_is_steered_by_its_folder(server, tmp_path):
    where = load_settings({"root": tmp_path})
    notes = Notes([WaveOfSteps(["a", "b"], jobs=1), WaveOfSteps()], held={"a"})
    async with begun(server, notes, id_=workflow_id(where)) as run:
        await notes.arrived.wait()
        assert (await steer(server.address, where, "progress")).at_work == ["a"]
        await steer(server.address, where, "pause")
        await steer(server.address, where, "ceilings", {"max_cost": 2.5})
        notes.released.set()
        await notes.raised.wait()
        assert (await steer(server.address, where, "progress")).ended == ["a"]
        await steer(server.address, where, "resume")
        await run.result()
    assert notes.ceilings == [NewCeilings(max_cost=2.5)]
    assert notes.asked == ["a", "b", "finish"]
    with pytest.raises(RunNotFound, match="is going on at temporal://"):
        await steer(server.address, where, "pause")


async def test_a_run_without_a_worker_is_told_what_it_is_told_and_says_what_it_waits_for(server, tmp_path, monkeypatch):
    monkeypatch.setattr(steering, "_ANSWER", timedelta(seconds=0.5))
    where, client = load_settings({"root": tmp_path}), await connect(parse_address(server.address))
    queue, notes = f"queue-{uuid.uuid4()}", Notes([WaveOfSteps()])
    run = await client.start_workflow(
        RunWorkflow.run, RunTask("r", "/project", None, 0.0), id=workflow_id(where), task_queue=queue
    )
    with pytest.raises(EnvironmentFault, match="No worker at temporal://"):
        await steer(server.address, where, "pause")
    async with worker(client, queue, notes):
        while (await run.query(RunWorkflow.progress)).state != "paused":
            pass
        await run.signal(RunWorkflow.resume)
        await run.result()


async def test_a_run_of_another_version_is_left_to_that_version(server, tmp_path):
    where, client = load_settings({"root": tmp_path}), await connect(parse_address(server.address))
    await client.start_workflow("testwright-run-v0", id=workflow_id(where), task_queue="testwright-v0")
    with pytest.raises(EnvironmentFault, match="another version of testwright") as caught:
        await steer(server.address, where, "pause")
    assert f"--workflow-id {workflow_id(where)}" in caught.value.advice


def test_workers_take_work_of_their_own_version_alone():
    version = messages.WORKFLOW.rpartition("-")[2]
    assert messages.TASK_QUEUE.rpartition("-")[2] == version


@pytest.fixture
def small_histories():
    """A server on which a history of more than ten events is full."""
    with temporal_server(history_events=10) as started:
        yield started


async def test_a_history_that_is_full_is_followed_by_a_new_one_that_loses_nothing(small_histories):
    steps = [f"step_{number:03}" for number in range(9)]
    notes = Notes([WaveOfSteps(steps, jobs=2), WaveOfSteps(["last"]), WaveOfSteps()], held={"step_000", "step_001"})
    async with begun(small_histories, notes) as run:
        while notes.most < 2:  # both workers' places are taken before anything else happens
            await run.query(RunWorkflow.progress)
        await run.signal(RunWorkflow.raise_ceilings, NewCeilings(max_tokens=9))
        await run.signal(RunWorkflow.pause)
        notes.released.set()
        while (await run.query(RunWorkflow.progress)).state != "paused":
            pass
        await run.signal(RunWorkflow.resume)
        assert await run.result() == RunEnded("completed", 0)
        progress = await run.query(RunWorkflow.progress)
        client = await connect(parse_address(small_histories.address))
        histories = [
            await client.get_workflow_handle(run.id, run_id=one.run_id).fetch_history()
            async for one in client.list_workflows(f"WorkflowId = '{run.id}'")
        ]
    assert sorted(notes.asked) == sorted([*steps, "last", "finish"])
    assert [list(ended or ()) for ended in notes.ended] == [[], steps, ["last"]]
    assert notes.ceilings == [NewCeilings(max_tokens=9)]
    assert sorted(progress.ended) == sorted([*steps, "last"])
    assert len(histories) > 2
    assert notes.most == 2
    for history in histories:
        assert len(history.events) < 50  # one history of all of it has more than 60
        await Replayer(workflows=[RunWorkflow], build_id="tests", debug_mode=True).replay_workflow(history)
