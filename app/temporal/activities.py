"""The activities of a run's workflow: plan up to the next steps, execute one, finish, stop."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import asdict, dataclass
from typing import Any

from temporalio import activity
from temporalio.exceptions import ApplicationError

from ...agents.contract.failures import is_recoverable
from ...config.settings import changed_settings
from ...core.errors import RequestError, StorageError, TestwrightError
from ...core.outcome import ExitReason
from ...graph.context import EndedApart
from ...graph.faults import fault_from_dict, fault_of, is_transient
from ...graph.steps_apart import execute_apart, next_wave
from ...store.database.runs import StoredRun
from ...store.files.lock import step_lock
from ...utils.untrusted_folders import remove_tree
from ..container import LiveRun
from ..run_lifecycle import continue_run, initial_state, run_scope, take_up
from . import messages
from .messages import AdvanceTask, CeilingsTask, RunEnded, RunTask, StepEnded, StepTask, WaveOfSteps
from .sessions import RunSessions

_HEARTBEAT_SECONDS = 2.0


class RunActivities:
    """The activities, with the runs that this worker has open.

    Args:
        identity: the worker's, for the messages of its failures.
    """

    def __init__(self, sessions: RunSessions, identity: str) -> None:
        self._sessions = sessions
        self._identity = identity

    def all(self) -> list[Callable[..., Any]]:
        """Every activity, for a worker."""
        return [self.advance_run, self.execute_step, self.finish_run, self.stop_run, self.change_ceilings]

    @activity.defn(name=messages.ADVANCE)
    async def advance_run(self, task: AdvanceTask) -> WaveOfSteps:
        """Plan a run, or take in the steps that have ended, up to its next steps."""
        async with self._open(task.run) as (live, record):
            if task.ended is None:
                take_up(live, record)
            with run_scope(live, record.request, is_new=False, is_started=task.ended is not None) as scope:
                steps = await next_wave(
                    live.context,
                    live.services,
                    initial_state=initial_state(live, record.request),
                    ended=None if task.ended is None else _ended_apart(task.ended),
                    refused=[step_id for step_id, ended in (task.ended or {}).items() if ended.refused],
                )
                scope.goes_on = True
            settings = live.settings
            return WaveOfSteps([step["id"] for step in steps], settings.jobs, 1 + settings.max_retries_per_step)

    @activity.defn(name=messages.EXECUTE_STEP)
    async def execute_step(self, task: StepTask) -> StepEnded:
        """Execute one step of a run, from its last checkpoint."""
        heartbeat = _Heartbeat(sum(activity.info().heartbeat_details[:1]))
        number = heartbeat.faults + 1
        async with self._open(task.run, heartbeat=heartbeat) as (live, _):
            with step_lock(live.folder, task.step_id):
                try:
                    end = await execute_apart(task.step_id, live.context, live.services)
                except StorageError:
                    raise  # without its state no step may continue
                except Exception as error:  # one failing target must not end the other steps
                    fault = fault_of(error)
                    if fault.infrastructure and number < task.attempts:
                        heartbeat.send_fault()
                        raise
                    return StepEnded(number, fault.to_dict())
            return StepEnded(number, end.fault.to_dict() if end.fault else None, end.is_refused)

    @activity.defn(name=messages.FINISH)
    async def finish_run(self, task: RunTask) -> RunEnded:
        """Write the reports of a run whose plan has ended."""
        async with self._open(task, is_last=True) as (live, record):
            report = (await continue_run(live, record, is_started=True)).report
            await asyncio.to_thread(remove_tree, live.folder.leases, ignore_errors=True)
            return RunEnded(str(report.exit_reason), int(report.exit_code))

    @activity.defn(name=messages.STOP)
    async def stop_run(self, task: RunTask) -> None:
        """Record that a run was cancelled; it can be resumed."""
        async with self._open(task, is_last=True) as (live, record):
            with run_scope(live, record.request, is_new=False, is_started=True) as scope:
                scope.reason = ExitReason.INTERRUPTED

    @activity.defn(name=messages.CHANGE_CEILINGS)
    async def change_ceilings(self, task: CeilingsTask) -> None:
        """Store other ceilings of a run; every worker has them from its next activity on."""
        async with self._open(task.run) as (live, record):
            changed = {name: value for name, value in asdict(task.ceilings).items() if value is not None}
            settings = changed_settings(live.settings, changed)
            live.store.runs.record_settings(record.run_id, settings.stored(), live.redactor)

    @asynccontextmanager
    async def _open(
        self, task: RunTask, *, is_last: bool = False, heartbeat: _Heartbeat | None = None
    ) -> AsyncIterator[tuple[LiveRun, StoredRun]]:
        with typed_failures(self._identity):
            async with _alive(task, heartbeat or _Heartbeat()), self._sessions.use(task, is_last=is_last) as opened:
                yield opened


def _ended_apart(ended: dict[str, StepEnded]) -> dict[str, EndedApart]:
    return {
        step_id: EndedApart(end.attempts, fault_from_dict(end.fault) if end.fault else None)
        for step_id, end in ended.items()
        if not end.refused
    }


@dataclass
class _Heartbeat:
    """What each heartbeat says: how many attempts of a step a fault of the infrastructure has ended.

    The server counts workers that were lost among the attempts; whoever continues a step must not.
    """

    faults: int = 0

    def send(self) -> None:
        """Say that the worker is at work."""
        activity.heartbeat(self.faults)

    def send_fault(self) -> None:
        """Count the fault that ends this attempt."""
        self.faults += 1
        self.send()


@asynccontextmanager
async def _alive(task: RunTask, heartbeat: _Heartbeat) -> AsyncIterator[None]:
    """Tell Temporal during the block that this worker is at work; a cancellation arrives with the answer."""

    async def keep_sending() -> None:
        while True:
            heartbeat.send()
            await asyncio.sleep(min(_HEARTBEAT_SECONDS, task.heartbeat_seconds / 4))

    sending = asyncio.create_task(keep_sending())
    try:
        yield
    finally:
        sending.cancel()


@contextmanager
def typed_failures(identity: str) -> Iterator[None]:
    """Turn errors into failures that Temporal retries, or not; the client makes the same errors of them again.

    Args:
        identity: the worker's. What it lacks, and others have, can be looked for only by who knows which it is.

    Raises:
        ApplicationError: the block's error; `messages.WORKER_STOPPED` where this worker was told to stop.
    """
    try:
        yield
    except asyncio.CancelledError:
        asked = activity.cancellation_details()
        if not activity.is_worker_shutdown() or (asked is not None and asked.cancel_requested):
            raise
        # As a cancellation Temporal would count it among the attempts.
        message = f"Worker {identity} was told to stop."
        raise ApplicationError(message, type=messages.WORKER_STOPPED, non_retryable=True) from None
    except TestwrightError as error:
        # A request that names nothing names nothing at every worker.
        message = error.message if isinstance(error, RequestError) else f"Worker {identity}: {error.message}"
        kind = type(error).__name__
        details = {"error": kind, "message": message, "advice": error.advice, **error.details, "worker": identity}
        # A violated contract stays violated; a lock and a database that is away are waited for by the workflow, so that
        # they cost no attempt.
        retried = is_recoverable(error) or is_transient(error) or fault_of(error).infrastructure
        raise ApplicationError(message, details, type=kind, non_retryable=not retried) from error
    except Exception as error:
        if isinstance(error, ApplicationError):
            raise
        message = f"Worker {identity}: {type(error).__name__}: {error}"
        details = {"error": "TestwrightError", "message": message, "worker": identity}
        raise ApplicationError(
            message, details, type=type(error).__name__, non_retryable=not is_transient(error)
        ) from error
