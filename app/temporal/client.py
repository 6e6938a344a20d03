"""Starts a run on Temporal, and follows it to its end."""

from __future__ import annotations

import asyncio
import hashlib
import os
import time
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, cast

from temporalio.api.enums.v1 import IndexedValueType, TaskQueueType
from temporalio.api.operatorservice.v1 import AddSearchAttributesRequest, ListSearchAttributesRequest
from temporalio.api.taskqueue.v1 import TaskQueue
from temporalio.api.workflowservice.v1 import DescribeTaskQueueRequest
from temporalio.client import Client, WorkflowFailureError, WorkflowHandle
from temporalio.common import SearchAttributeKey, SearchAttributePair, TypedSearchAttributes
from temporalio.exceptions import ActivityError, ApplicationError, CancelledError, WorkflowAlreadyStartedError
from temporalio.service import RPCError, RPCStatusCode

from ...config.settings import Settings
from ...core.errors import EnvironmentFault, RequestError, RunLocked, TestwrightError
from ...core.events import Event, EventSink, EventType
from ...store.files.event_log import EventTail
from ...store.files.lock import run_lock
from ...store.files.run_folder import RunFolder, new_run_id
from ...store.files.staging import Staging
from ...utils.redact import Redactor
from ...vcs.git import Git
from ..html_report import stored_report
from ..opened_store import open_store
from ..request_settings import require_request, settings_for_request
from ..run_lifecycle import error_from_payload, record_run
from ..run_report import RunResult
from ..runs import forget
from .addresses import REFUSALS, TemporalAddress, connect, fault_of_rpc, parse_address
from .messages import TASK_QUEUE, RunEnded, RunTask
from .run_workflow import STATE, RunWorkflow

PROJECT = SearchAttributeKey.for_keyword("TestwrightProject")
COMMIT = SearchAttributeKey.for_keyword("TestwrightCommit")

_POLL_SECONDS = 0.2
_AWAY_SECONDS = 600.0
"""So long a server that went away is waited for."""
_ANSWERED_SECONDS = 60.0
"""A request that took longer than the SDK itself tries again was with a server that was there."""
_MOST_CHARACTERS = 255
"""Of a keyword."""


@dataclass(frozen=True, slots=True)
class Started:
    """A run's workflow, and where its files are."""

    handle: WorkflowHandle[RunWorkflow, RunEnded]
    folder: RunFolder
    settings: Settings
    address: TemporalAddress


async def run(
    address: str,
    request: str,
    settings: Settings,
    *,
    on_event: EventSink | None = None,
    heartbeat_seconds: float = 30.0,
) -> RunResult:
    """Run a request on Temporal to its report; workers that share the project's folder and its store do the work.

    Args:
        address: temporal://HOST:PORT/NAMESPACE.
        on_event: called with every event, in order.
        heartbeat_seconds: how long a worker may be silent before another takes its work over.

    Raises:
        UsageError: the request is empty or names nothing that was found, or the run id is taken.
        RunLocked: a run of the project is going on.
        EnvironmentFault: there is no such server or namespace; or what a worker lacks.
        StorageError: state cannot be kept.
    """
    require_request(request)
    where = parse_address(address)
    settings = settings_for_request(request, settings)
    client = await connect(where)
    run_id = settings.run_id or new_run_id()
    await asyncio.to_thread(_record, settings, run_id, request)
    task = RunTask(run_id, str(settings.root), state_dir_of(settings), time.time(), heartbeat_seconds, settings.store)
    try:
        handle = await start_workflow(client, where, task, settings, on_event)
    except RunLocked:
        await asyncio.to_thread(forget, settings, run_id)
        raise
    await _say_whether_any_works(client, where, on_event)
    try:
        return await follow(Started(handle, RunFolder(settings.state, run_id), settings, where), on_event)
    except RequestError:  # planning found nothing to test; of any other error what was done and paid for is kept
        await asyncio.to_thread(forget, settings, run_id)
        raise


def workflow_id(settings: Settings) -> str:
    """The id of the workflow of a project: the server holds that one run works on it at a time."""
    place = f"{settings.root.resolve()}\0{settings.state.resolve()}"
    return f"testwright-{settings.root.resolve().name}-{hashlib.sha256(os.fsencode(place)).hexdigest()[:12]}"


async def start_workflow(
    client: Client, where: TemporalAddress, task: RunTask, settings: Settings, on_event: EventSink | None = None
) -> WorkflowHandle[RunWorkflow, RunEnded]:
    """Start the workflow of a run. Raises RunLocked, EnvironmentFault."""
    attributes = await _search_attributes(client, settings, on_event)

    async def start(attributes: TypedSearchAttributes) -> WorkflowHandle[RunWorkflow, RunEnded]:
        return await client.start_workflow(
            RunWorkflow.run,
            task,
            id=workflow_id(settings),
            task_queue=TASK_QUEUE,
            memo={"run": task.run_id},
            search_attributes=attributes,
        )

    try:
        try:
            return await start(attributes)
        except RPCError as error:
            # Attributes that were added just now take a while to be known everywhere: a run does without them.
            if error.status is not RPCStatusCode.INVALID_ARGUMENT or not len(attributes):
                raise
        return await start(TypedSearchAttributes.empty)
    except WorkflowAlreadyStartedError as error:
        raise RunLocked(
            f"A run of {settings.root} is going on at {where}.",
            advice=f"Wait until it has ended, or cancel it: `testwright temporal cancel --on {where}`.",
        ) from error
    except RPCError as error:
        raise fault_of_rpc(error, where) from error


async def follow(started: Started, on_event: EventSink | None) -> RunResult:
    """Pass on the events of a run until it has ended. Cancelled, it cancels the run, and waits until that has ended.

    Raises:
        What ended the run.
    """
    tail = EventTail(started.folder.events_jsonl)
    ending = asyncio.create_task(_result(started))
    try:
        while not ending.done():
            await asyncio.wait((ending,), timeout=_POLL_SECONDS)
            await _pass_on(tail, on_event)
        await ending
    except asyncio.CancelledError:
        with suppress(RPCError, TestwrightError, asyncio.CancelledError):
            await started.handle.cancel()
            await ending
        raise
    finally:
        ending.cancel()
    report = await asyncio.to_thread(stored_report, started.folder)
    staged = [file.path for file in report.files if file.outcome == "staged"]
    settings = started.settings
    diff = Staging(started.folder, settings.root).diff(staged) if settings.only_stages and staged else ""
    return RunResult(report, started.folder.report_md, diff)


async def _pass_on(tail: EventTail, on_event: EventSink | None) -> None:
    for event in await asyncio.to_thread(tail.new):
        if on_event is not None:
            on_event(event)


async def _result(started: Started) -> RunEnded:
    """How the workflow ended; a server that is away is waited for. Raises what ended it."""
    given_up: float | None = None
    while True:
        asked = time.monotonic()
        try:
            return await started.handle.result()
        except WorkflowFailureError as error:
            raise _error_of(error, started) from error
        except RPCError as error:
            now = time.monotonic()
            if given_up is None or now - asked > _ANSWERED_SECONDS:
                given_up = now + _AWAY_SECONDS
            if error.status in REFUSALS or now > given_up:
                raise fault_of_rpc(error, started.address) from error
            await asyncio.sleep(_POLL_SECONDS)


def _error_of(error: WorkflowFailureError, started: Started) -> TestwrightError:
    """The error that ended a workflow, as it was in the worker."""
    cause: BaseException | None = error.cause
    while isinstance(cause, ActivityError) and cause.cause is not None:
        cause = cause.cause
    if isinstance(cause, ApplicationError) and cause.details and isinstance(cause.details[0], dict):
        return error_from_payload(cast(dict[str, Any], cause.details[0]))
    run_id = started.folder.run_id
    if isinstance(cause, CancelledError):
        return TestwrightError(f"Run {run_id} was cancelled.", advice=f"`testwright resume {run_id}` continues it.")
    return EnvironmentFault(
        f"Run {run_id} ended on Temporal: {cause or error}.",
        advice=f"`temporal workflow show --workflow-id {started.handle.id}` shows its history; "
        f"`testwright resume {run_id}` continues it here.",
    )


def _record(settings: Settings, run_id: str, request: str) -> None:
    """Make the run's folder, and store it as begun by this user."""
    folder = RunFolder(settings.state, run_id)
    with run_lock(folder.create()), open_store(settings, begins=True) as store:
        record_run(store, settings, run_id, request, redactor_of(settings))


def redactor_of(settings: Settings) -> Redactor:
    """What keeps the user's secrets out of the settings that are stored."""
    return Redactor.from_environment({**os.environ, **settings.variables})


def state_dir_of(settings: Settings) -> str | None:
    """Where runs are kept, as workers are told; None for the project's own state folder."""
    return None if settings.state_dir is None else str(settings.state)


async def _say_whether_any_works(client: Client, where: TemporalAddress, on_event: EventSink | None) -> None:
    """Tell the user when no worker listens: the run waits for one."""
    request = DescribeTaskQueueRequest(
        namespace=where.namespace,
        task_queue=TaskQueue(name=TASK_QUEUE),
        task_queue_type=TaskQueueType.TASK_QUEUE_TYPE_WORKFLOW,
    )
    with suppress(RPCError):
        described = await client.workflow_service.describe_task_queue(request)
        if not described.pollers:
            _warn(on_event, f"No worker listens at {where}; the run waits for one: testwright worker --on {where}")


def _warn(on_event: EventSink | None, message: str) -> None:
    if on_event is not None:
        on_event(Event(0, EventType.PROGRESS, time.time(), message, None, {"warning": message}))


async def _search_attributes(client: Client, settings: Settings, on_event: EventSink | None) -> TypedSearchAttributes:
    """What runs can be searched by; nothing where the namespace lacks it, and this user may not define it there."""
    names = {key.name for key in (PROJECT, COMMIT, STATE)}
    try:
        listed = await client.operator_service.list_search_attributes(
            ListSearchAttributesRequest(namespace=client.namespace)
        )
        if names := names - set(listed.custom_attributes):
            keyword = IndexedValueType.INDEXED_VALUE_TYPE_KEYWORD
            await client.operator_service.add_search_attributes(
                AddSearchAttributesRequest(namespace=client.namespace, search_attributes=dict.fromkeys(names, keyword))
            )
    except RPCError as error:
        attributes = " ".join(f"--name {name} --type Keyword" for name in sorted(names))
        _warn(
            on_event,
            f"The run goes on without search attributes, because defining them was refused ({error.message}): temporal "
            f"operator search-attribute create -n {client.namespace} {attributes}",
        )
        return TypedSearchAttributes.empty
    commit = await asyncio.to_thread(_commit_of, settings)
    return TypedSearchAttributes(
        [
            SearchAttributePair(PROJECT, str(settings.root)[-_MOST_CHARACTERS:]),
            SearchAttributePair(COMMIT, commit),
            SearchAttributePair(STATE, "planning"),
        ]
    )


def _commit_of(settings: Settings) -> str:
    """The commit that the project is at, "none" outside of git."""
    try:
        return Git.at(settings.root).line("rev-parse", "--verify", "--quiet", "HEAD^{commit}") or "none"
    except (TestwrightError, OSError):
        return "none"
