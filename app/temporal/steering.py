"""Steers the run of a project that is going on: progress, pause, resume, other ceilings, cancel; or takes one up."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Mapping
from datetime import timedelta
from typing import Any, Literal

from temporalio.client import WorkflowExecutionStatus, WorkflowHandle
from temporalio.service import RPCError, RPCStatusCode

from ...config.settings import Settings, changed_settings, load_settings
from ...core.errors import EnvironmentFault, RunLocked, RunNotFound
from ...core.events import EventSink
from ...store.files.run_folder import RunFolder
from ..opened_store import open_store
from ..run_report import RunResult
from ..service import run_named, stored_run
from .addresses import TemporalAddress, connect, fault_of_rpc, parse_address
from .client import Started, follow, redactor_of, start_workflow, state_dir_of, workflow_id
from .messages import WORKFLOW, NewCeilings, RunEnded, RunProgress, RunTask
from .run_workflow import RunWorkflow

_ANSWER = timedelta(seconds=20)
"""So long a worker may take for an answer; a free one takes milliseconds."""
_SILENCE = frozenset({RPCStatusCode.CANCELLED, RPCStatusCode.DEADLINE_EXCEEDED})

Action = Literal["progress", "pause", "resume", "ceilings", "cancel"]


async def steer(
    address: str, where: Settings, action: Action, ceilings: Mapping[str, Any] | None = None
) -> RunProgress:
    """Send a signal to the run of a project, and return how far it is.

    Args:
        where: the project, and where its runs are kept.
        ceilings: `max_tokens`, `max_cost`, `max_seconds`, for the action `ceilings`.

    Raises:
        SettingsError: a ceiling is none.
        RunNotFound: no run of the project is going on there.
        EnvironmentFault: the server cannot be reached, no worker answers, or the run is of another version.
    """
    at = parse_address(address)
    new = {name: value for name, value in (ceilings or {}).items() if value is not None}
    changed_settings(where, new)
    client = await connect(at)
    try:
        run = await _going_on(client.get_workflow_handle_for(RunWorkflow.run, workflow_id(where)))
        if run is None:
            raise RunNotFound(
                f"No run of {where.root} is going on at {at}.", advice="`testwright runs list` shows those that ended."
            )
        if action == "pause":
            await run.signal(RunWorkflow.pause)
        elif action == "resume":
            await run.signal(RunWorkflow.resume)
        elif action == "ceilings":
            await run.signal(RunWorkflow.raise_ceilings, NewCeilings(**new))
        elif action == "cancel":
            await run.cancel()
        return await _progress(run, at)
    except RPCError as error:
        raise fault_of_rpc(error, at) from error


async def resume(
    address: str,
    run_id: str,
    where: Settings,
    *,
    changes: Mapping[str, Any] | None = None,
    on_event: EventSink | None = None,
) -> RunResult:
    """Follow a run that is going on, or let workers continue one that was stopped.

    Args:
        changes: settings that replace the stored ones, of a run that was stopped.

    Raises:
        RunLocked: another run of the project is going on.
        RunNotFound, SettingsError: why it cannot go on.
        And what ended the run.
    """
    at = parse_address(address)
    client = await connect(at)
    run_id = run_named(run_id, where)
    changed = {name: value for name, value in (changes or {}).items() if value is not None}
    _, settings = stored_run(run_id, where, changed)
    try:
        handle = await _going_on(client.get_workflow_handle_for(RunWorkflow.run, workflow_id(settings)))
        if handle is not None:
            other = (await _progress(handle, at)).run_id
            if other != run_id:
                raise RunLocked(
                    f"Run {other} of {settings.root} is going on at {at}.", advice="Wait until it has ended."
                )
    except RPCError as error:
        raise fault_of_rpc(error, at) from error
    if handle is None:
        with open_store(where) as store:
            store.runs.record_settings(run_id, settings.stored(), redactor_of(settings))
        task = RunTask(run_id, str(settings.root), state_dir_of(settings), time.time(), store=settings.store)
        handle = await start_workflow(client, at, task, settings)
    return await follow(Started(handle, RunFolder(settings.state, run_id), settings, at), on_event)


async def _progress(handle: WorkflowHandle[RunWorkflow, RunEnded], at: TemporalAddress) -> RunProgress:
    """How far a run is. Raises RPCError; EnvironmentFault: no worker answers."""
    try:
        return await handle.query(RunWorkflow.progress, rpc_timeout=_ANSWER)
    except RPCError as error:
        if error.status not in _SILENCE:
            raise
        raise EnvironmentFault(
            f"No worker at {at} has answered. The request was delivered; the run waits for a worker.",
            advice=f"Start one: testwright worker --on {at}",
        ) from error


async def _going_on(
    handle: WorkflowHandle[RunWorkflow, RunEnded],
) -> WorkflowHandle[RunWorkflow, RunEnded] | None:
    """The workflow, None where it has ended or there was none.

    Raises:
        RPCError: the server refused, or is away.
        EnvironmentFault: another version of testwright has begun it.
    """
    try:
        described = await handle.describe()
    except RPCError as error:
        if error.status is RPCStatusCode.NOT_FOUND:
            return None
        raise
    if described.status is not WorkflowExecutionStatus.RUNNING:
        return None
    if described.workflow_type != WORKFLOW:
        raise EnvironmentFault(
            f"A run that another version of testwright has begun is going on ({described.workflow_type}).",
            advice="Use that version, and its workers, until the run has ended; or end it: "
            f"temporal workflow cancel --workflow-id {handle.id}",
        )
    return handle


def steer_now(
    address: str, flags: Mapping[str, Any], action: Action, ceilings: Mapping[str, Any] | None = None
) -> RunProgress:
    """As `steer`, for a project that flags name. Raises as it does, and SettingsError."""
    return asyncio.run(steer(address, load_settings(flags), action, ceilings))
