"""The workflow of one run: which steps come next, in what order and how often. All work is in its activities.

It decides by its inputs and by what activities answer alone, so that Temporal can replay it on another worker. It runs
in the SDK's sandbox; what it passes through is stated below.
"""

from __future__ import annotations

import asyncio
from dataclasses import replace
from datetime import timedelta
from typing import Any

from temporalio import workflow
from temporalio.common import RetryPolicy, SearchAttributeKey
from temporalio.exceptions import ActivityError, ApplicationError, is_cancelled_exception
from temporalio.exceptions import TimeoutError as ActivityTimeoutError

with workflow.unsafe.imports_passed_through():
    # Data alone: dataclasses and names.
    from . import messages
    from .messages import (
        AdvanceTask,
        CeilingsTask,
        NewCeilings,
        RunEnded,
        RunProgress,
        RunSoFar,
        RunTask,
        StepEnded,
        StepTask,
        WaveOfSteps,
    )

STATE = SearchAttributeKey.for_keyword("TestwrightState")
"""Search attribute of a run's workflow."""

_LONGEST = timedelta(hours=24)
_WORKERS_LOST = 4
"""So many more times than its own attempts a step is begun whose worker died."""

_MOST_WAITS = 30
"""So often a lock or a database is asked for again, at last every third of a worker's heartbeat: a worker that was
given up, and lives on, learns of it with its next heartbeat."""

_MOST_STOPS = 100
"""So often one activity is asked for anew whose worker was told to stop. Restarts of all workers, one after the other,
are far below; without a bound workers that never live long enough would be asked for ever."""

_PATIENCE = {
    messages.LOCKED: _MOST_WAITS,
    messages.STORE_AWAY: _MOST_WAITS,
    messages.WORKER_STOPPED: _MOST_STOPS,
}
"""How often an activity is asked for again for what is none of its attempts, by the kind of its failure."""

_MOST_ATTEMPTS = 6
"""Of what is no step: planning, finishing."""

_NEW_HISTORY = "new-history"
"""Patch of the workflow: a history that was begun without it is replayed without it."""

_STORE_AWAY = "The database is waited for."
"""Note of a run as long as no activity has reached its database again."""


@workflow.defn(name=messages.WORKFLOW)
class RunWorkflow:
    """One run."""

    @workflow.init
    def __init__(self, task: RunTask) -> None:
        # Here and not in `run`: signals that come before it must not be lost.
        before = task.so_far or RunSoFar()
        self._progress = RunProgress(task.run_id, ended=before.ended_before, notes=before.notes)
        self._phase = self._progress.state
        self._paused = before.paused
        self._held = 0
        self._has_begun_any = False
        self._is_indexed = False
        self._ceilings = before.ceilings

    @workflow.run
    async def run(self, task: RunTask) -> RunEnded:
        """Execute the run wave by wave, then finish it."""
        self._is_indexed = STATE in workflow.info().typed_search_attributes
        wave, ended = (WaveOfSteps(), None) if task.so_far is None else (task.so_far.wave, task.so_far.ended)
        task = replace(task, so_far=None)
        try:
            while True:
                if not wave.step_ids:
                    await self._may_go_on(task)
                    self._enter("planning")
                    wave = await self._call(messages.ADVANCE, AdvanceTask(task, ended), task, WaveOfSteps)
                    ended = {}
                if not wave.step_ids:
                    break
                ended = {**(ended or {}), **await self._execute(wave, task)}
                wave = replace(wave, step_ids=list(self._progress.waiting))
                if self._is_history_full():
                    self._begin_new_history(task, wave, ended)
            self._enter("finishing")
            done = await self._call(messages.FINISH, task, task, RunEnded)
            self._enter(done.exit_reason)
            return done
        except workflow.ContinueAsNewError:
            raise
        except BaseException as error:
            if is_cancelled_exception(error):
                self._enter("cancelled")
                # Of its own, because what is awaited in a cancelled workflow is cancelled, too.
                await asyncio.shield(self._call(messages.STOP, task, task, None))
            else:
                self._enter("failed")
            raise

    def _is_history_full(self) -> bool:
        """Whether the run should go on in a new history: the server says so, far below where it ends a workflow.

        A history that is full from its first event on has one step all the same, so that the run comes to its end.
        """
        is_suggested = self._has_begun_any and workflow.info().is_continue_as_new_suggested()
        return is_suggested and workflow.patched(_NEW_HISTORY)

    def _begin_new_history(self, task: RunTask, wave: WaveOfSteps, ended: dict[str, StepEnded]) -> None:
        so_far = RunSoFar(wave, ended, self._progress.ended, self._progress.notes, self._paused, self._ceilings)
        workflow.continue_as_new(replace(task, so_far=so_far))

    async def _execute(self, wave: WaveOfSteps, task: RunTask) -> dict[str, StepEnded]:
        """Execute the steps of a wave, in their order, `jobs` at a time; a full history begins no further one."""
        self._enter("executing")
        places = asyncio.Semaphore(wave.jobs)
        self._progress.waiting = list(wave.step_ids)
        ended: dict[str, StepEnded] = {}

        async def execute(step_id: str) -> None:
            async with places:
                await self._may_go_on(task)
                if self._is_history_full():
                    return
                self._has_begun_any = True
                self._progress.waiting.remove(step_id)
                self._progress.at_work.append(step_id)
                ended[step_id] = await self._step(StepTask(task, step_id, wave.attempts))
                self._progress.at_work.remove(step_id)
                self._progress.ended.append(step_id)

        await asyncio.gather(*(execute(step_id) for step_id in wave.step_ids))
        return {step_id: ended[step_id] for step_id in wave.step_ids if step_id in ended}

    async def _step(self, step: StepTask) -> StepEnded:
        """Execute one step, again where its worker died, was stopped, or has not let go of it."""
        most = step.attempts + _WORKERS_LOST
        try:
            return await self._call(messages.EXECUTE_STEP, step, step.run, StepEnded, attempts=most)
        except ActivityError as error:
            # A step that takes each of its workers with it, or whose worker hangs, must not end the others.
            if isinstance(error.cause, ActivityTimeoutError):
                message = f"{most} workers were lost while they executed it"
            elif _kind_of(error) == messages.LOCKED:
                message = f"a worker that was given up has not let go of it: {error.cause}"
            elif _kind_of(error) == messages.WORKER_STOPPED:
                message = f"{_MOST_STOPS} workers were told to stop while they executed it"
            else:
                raise
            return StepEnded(most, {"exit_reason": "infrastructure", "message": message, "ends_run": False})

    async def _call(
        self, name: str, argument: Any, task: RunTask, result: Any, *, attempts: int = _MOST_ATTEMPTS
    ) -> Any:
        policy = RetryPolicy(
            initial_interval=timedelta(seconds=1),
            maximum_interval=timedelta(seconds=30),
            maximum_attempts=attempts,
            non_retryable_error_types=list(messages.NOT_RETRIED),
        )
        asked_again = dict.fromkeys(_PATIENCE, 0)
        while True:
            try:
                answer = await workflow.execute_activity(
                    name,
                    argument,
                    result_type=result,
                    start_to_close_timeout=_LONGEST,
                    heartbeat_timeout=timedelta(seconds=task.heartbeat_seconds),
                    retry_policy=policy,
                    cancellation_type=workflow.ActivityCancellationType.WAIT_CANCELLATION_COMPLETED,
                )
                # Whichever activity it was, its worker has reached the database.
                self._progress.notes = [note for note in self._progress.notes if note != _STORE_AWAY]
                return answer
            except ActivityError as error:
                kind = _kind_of(error)
                if kind not in asked_again or asked_again[kind] == _PATIENCE[kind]:
                    raise
                # The activity's own failure has taken the place of the cancellation that it was to be told of.
                if (current := asyncio.current_task()) is not None and current.cancelling():
                    raise asyncio.CancelledError from error
                if kind == messages.STORE_AWAY:
                    self._note(_STORE_AWAY)
            asked_again[kind] += 1
            if kind != messages.WORKER_STOPPED:
                await asyncio.sleep(min(2.0 ** asked_again[kind], task.heartbeat_seconds / 3))

    async def _may_go_on(self, task: RunTask) -> None:
        """Wait while the run is paused; change ceilings that were raised meanwhile."""
        while self._paused or self._ceilings:
            if self._ceilings:
                new = self._ceilings.pop(0)
                await self._change_ceilings(CeilingsTask(task, new))
                continue
            self._held += 1
            self._show()
            try:
                await workflow.wait_condition(lambda: not self._paused or bool(self._ceilings))
            finally:
                self._held -= 1
            self._show()

    async def _change_ceilings(self, task: CeilingsTask) -> None:
        try:
            await self._call(messages.CHANGE_CEILINGS, task, task.run, None)
        except ActivityError as error:
            if is_cancelled_exception(error):
                raise
            # The run goes on with the ceilings it has: its user can give others.
            self._note(f"The ceilings were not changed: {error.cause}")

    def _note(self, what: str) -> None:
        if what not in self._progress.notes:
            self._progress.notes.append(what)

    def _enter(self, phase: str) -> None:
        self._phase = phase
        self._show()

    def _show(self) -> None:
        self._progress.state = self._state()
        if self._is_indexed:
            workflow.upsert_search_attributes([STATE.value_set(self._progress.state)])

    def _state(self) -> str:
        """Paused only where something waits for it: any number of steps may."""
        return "paused" if self._paused and self._held else self._phase

    @workflow.signal
    def pause(self) -> None:
        """Begin no further step; those at work come to their end."""
        self._paused = True

    @workflow.signal
    def resume(self) -> None:
        """Go on after a pause."""
        self._paused = False

    @workflow.signal
    def raise_ceilings(self, ceilings: NewCeilings) -> None:
        """Replace ceilings, before the next step begins."""
        self._ceilings.append(ceilings)

    @workflow.query
    def progress(self) -> RunProgress:
        """How far the run is."""
        return replace(self._progress, state=self._state())


def _kind_of(error: ActivityError) -> str | None:
    """The class of the error that an activity ended with, None where it ended otherwise."""
    return error.cause.type if isinstance(error.cause, ApplicationError) else None
