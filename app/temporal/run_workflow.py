"""The workflow of one run: which steps come next, in what order and how often. All work is in its activities.

It decides by its inputs and by what activities answer alone, so that Temporal can replay it on another worker. It runs
in the SDK's sandbox; what it passes through is stated below.
"""

from __future__ import annotations

import asyncio
from datetime import timedelta
from typing import Any

from temporalio import workflow
from temporalio.common import RetryPolicy, SearchAttributeKey
from temporalio.exceptions import ActivityError, is_cancelled_exception
from temporalio.exceptions import TimeoutError as ActivityTimeoutError

with workflow.unsafe.imports_passed_through():
    # Data alone: dataclasses and names.
    from . import messages
    from .messages import AdvanceTask, CeilingsTask, NewCeilings, RunEnded, RunProgress, RunTask, StepEnded, StepTask

STATE = SearchAttributeKey.for_keyword("TestwrightState")
"""Search attribute of a run's workflow."""

_LONGEST = timedelta(hours=24)
_WORKERS_LOST = 4
"""So many more times than its own attempts a step is begun whose worker died."""
_RETRIES = RetryPolicy(
    initial_interval=timedelta(seconds=1), maximum_interval=timedelta(seconds=30), maximum_attempts=6
)

_MOST_ATTEMPTS = 6
"""Of what is no step: planning, finishing."""


@workflow.defn(name=messages.WORKFLOW)
class RunWorkflow:
    """One run."""

    def __init__(self) -> None:
        self._progress = RunProgress("")
        self._paused = False
        self._is_indexed = False
        self._ceilings: list[NewCeilings] = []

    @workflow.run
    async def run(self, task: RunTask) -> RunEnded:
        """Execute the run wave by wave, then finish it."""
        self._progress.run_id = task.run_id
        self._is_indexed = STATE in workflow.info().typed_search_attributes
        ended: dict[str, StepEnded] | None = None
        try:
            while True:
                await self._may_go_on(task)
                self._enter("planning")
                wave = await self._call(messages.ADVANCE, AdvanceTask(task, ended), task, messages.WaveOfSteps)
                if not wave.step_ids:
                    break
                ended = await self._execute(wave, task)
            self._enter("finishing")
            done = await self._call(messages.FINISH, task, task, RunEnded)
            self._enter(done.exit_reason)
            return done
        except BaseException as error:
            if is_cancelled_exception(error):
                self._enter("cancelled")
                # Of its own, because what is awaited in a cancelled workflow is cancelled, too.
                await asyncio.shield(self._call(messages.STOP, task, task, None))
            else:
                self._enter("failed")
            raise

    async def _execute(self, wave: messages.WaveOfSteps, task: RunTask) -> dict[str, StepEnded]:
        """Execute the steps of a wave, in their order, `jobs` at a time."""
        self._enter("executing")
        places = asyncio.Semaphore(wave.jobs)
        self._progress.waiting = list(wave.step_ids)

        async def execute(step_id: str) -> StepEnded:
            async with places:
                await self._may_go_on(task)
                self._progress.waiting.remove(step_id)
                self._progress.at_work.append(step_id)
                ended = await self._step(StepTask(task, step_id, wave.attempts))
                self._progress.at_work.remove(step_id)
                self._progress.ended.append(step_id)
                return ended

        ended = await asyncio.gather(*(execute(step_id) for step_id in wave.step_ids))
        return dict(zip(wave.step_ids, ended, strict=True))

    async def _step(self, step: StepTask) -> StepEnded:
        """Execute one step, again where its worker died."""
        most = step.attempts + _WORKERS_LOST
        try:
            return await self._call(messages.EXECUTE_STEP, step, step.run, StepEnded, attempts=most)
        except ActivityError as error:
            if not isinstance(error.cause, ActivityTimeoutError):
                raise
            # A step that takes each of its workers with it must not end the others.
            message = f"{most} workers were lost while they executed it"
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
        return await workflow.execute_activity(
            name,
            argument,
            result_type=result,
            start_to_close_timeout=_LONGEST,
            heartbeat_timeout=timedelta(seconds=task.heartbeat_seconds),
            retry_policy=policy,
            cancellation_type=workflow.ActivityCancellationType.WAIT_CANCELLATION_COMPLETED,
        )

    async def _may_go_on(self, task: RunTask) -> None:
        """Wait while the run is paused; change ceilings that were raised meanwhile."""
        while self._paused or self._ceilings:
            if self._ceilings:
                new = self._ceilings.pop(0)
                await self._call(messages.CHANGE_CEILINGS, CeilingsTask(task, new), task, None)
                continue
            before = self._progress.state
            self._enter("paused")
            await workflow.wait_condition(lambda: not self._paused or bool(self._ceilings))
            self._enter(before)

    def _enter(self, state: str) -> None:
        self._progress.state = state
        if self._is_indexed:
            workflow.upsert_search_attributes([STATE.value_set(state)])

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
        return self._progress
