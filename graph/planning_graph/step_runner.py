"""One step from start to final status: ceilings, the right handler, retries after infrastructure faults (T-04)."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field, replace

from ...core.errors import BudgetExhausted, StorageError
from ...core.events import EventType
from ...core.outcome import StepExit
from ...store.files.audit import Attempt
from ..context import GraphServices, RunContext
from ..faults import Fault, fault_of
from ..step_limit import StepOutOfTimeError, step_limit
from .ceilings import Meter
from .generate_step import partial_result, run_generate_step
from .planning_state import PlanningAgentState, PlanStep
from .repository_steps import run_repository_step
from .step_outcome import StepOutcome, failed, skipped
from .step_types import step_kind
from .stopped_step import stopped
from .suite_steps import accept_tests, retrieve_for_plan, verify_suite

_NOT_ENDED = ("pending", "in_progress")


@dataclass
class Wave:
    """What the steps of one wave share.

    Attributes:
        jobs: how many run at the same time.
        attempts: attempts by step id, earlier ones included.
        ended_by: the fault that every other step would meet too; steps that have not started are then skipped.
        done: ids of the steps that ended in this wave.
    """

    state: PlanningAgentState
    context: RunContext
    services: GraphServices
    meter: Meter
    jobs: asyncio.Semaphore
    attempts: dict[str, int]
    ended_by: Fault | None = None
    done: set[str] = field(default_factory=set)

    @property
    def share(self) -> float:
        """Which part of the time left a generate step may take, so that those that wait get as much."""
        plan = [one for one in self.state["plan"] if one["id"] not in self.done]
        left = sum(_generates(one) and one["status"] in _NOT_ENDED for one in plan)
        return min(1.0, self.context.jobs / max(1, left))


async def run_step(step: PlanStep, wave: Wave) -> PlanStep:
    """Execute one ready step; the answer is the step with its final status. Never fails because the step does.

    Raises:
        StorageError: the run's own state cannot be kept, so that nothing may go on; the run can be resumed.
    """
    async with wave.jobs:
        emit = wave.services.emit
        emit(EventType.STEP_STARTED, f"{step['id']} started", step["id"], step_type=step["type"])
        outcome = _refused(step, wave) or await _attempted(step, wave)
        wave.meter.add(outcome.usage)
        wave.done.add(step["id"])
        if outcome.fault is not None and outcome.fault.ends_run:
            wave.ended_by = wave.ended_by or outcome.fault
        about = f": {outcome.message}" if outcome.message else ""
        emit(
            EventType.STEP_ENDED,
            f"{step['id']} {outcome.status}{about}",
            step["id"],
            step_type=step["type"],
            status=outcome.status,
            exit_reason=str(outcome.exit_reason),
            attempts=wave.attempts.get(step["id"], 0),
        )
        return outcome.applied(step)


def _refused(step: PlanStep, wave: Wave) -> StepOutcome | None:
    """Why a step is not begun, if it is not."""
    if wave.ended_by is not None:
        return skipped(StepExit.RUN_ENDED, f"not begun: {wave.ended_by.message}")
    kind = step_kind(step["type"])
    exceeded = wave.meter.exceeded() if kind is not None and kind.metered else None
    return skipped(StepExit.BUDGET_EXHAUSTED, f"not begun: {exceeded}") if exceeded else None


async def _attempted(step: PlanStep, wave: Wave) -> StepOutcome:
    """Try, and try again after an infrastructure fault, at most `max_retries_per_step` times."""
    reason = "first"
    for retry in range(wave.state["max_retries_per_step"] + 1):
        number = wave.attempts[step["id"]] = wave.attempts.get(step["id"], 0) + 1
        try:
            outcome = await _within_ceiling(step, wave)
        except StorageError:
            raise
        except BudgetExhausted as error:
            return await _stopped(step, wave, number, reason, fault_of(error))
        except Exception as error:  # noqa: BLE001 - one failing target never sinks its siblings
            fault = fault_of(error)
            again = fault.infrastructure and retry < wave.state["max_retries_per_step"]
            _audit(step, wave, number, reason, fault, again)
            if not again:
                partial = await partial_result(step, wave.context, wave.services) if _generates(step) else None
                return failed(fault, partial.result, partial.usage) if partial else failed(fault)
            reason = fault.message
            wait, left = wave.services.request_options.policy.first_wait * 2**retry, _seconds_left(step, wave)
            if left is not None and wait >= left:
                return await _stopped(step, wave, number, reason, fault_of(_out_of_time(wave)))
            await wave.services.sleep(wait)
        else:
            _audit(step, wave, number, reason, outcome.fault, again=False)
            return outcome
    raise AssertionError("a step is attempted at least once")


async def _stopped(step: PlanStep, wave: Wave, number: int, reason: str, fault: Fault) -> StepOutcome:
    """How a step ends that a ceiling stopped."""
    _audit(step, wave, number, reason, fault, again=False)
    return await stopped(step, fault, wave.context, wave.services) if _generates(step) else failed(fault)


async def _within_ceiling(step: PlanStep, wave: Wave) -> StepOutcome:
    """Execute, and stop at the ceiling on wall time if the step is one that ceilings stop. Raises BudgetExhausted."""
    try:
        async with step_limit(_seconds_left(step, wave)):
            return await _executed(step, wave)
    except StepOutOfTimeError:
        raise _out_of_time(wave) from None


def _seconds_left(step: PlanStep, wave: Wave) -> float | None:
    kind = step_kind(step["type"])
    return wave.meter.seconds_left if kind is not None and kind.metered else None


def _out_of_time(wave: Wave) -> BudgetExhausted:
    budget = wave.services.budget
    if budget is not None:
        return budget.out_of_time()
    return BudgetExhausted(f"the ceiling on time ({wave.context.wall_seconds:g} s) is reached")


async def _executed(step: PlanStep, wave: Wave) -> StepOutcome:
    kind = step_kind(step["type"])
    family = kind.family if kind is not None else None
    if family == "generate":
        return await run_generate_step(step, wave.state, replace(wave.context, step_share=wave.share), wave.services)
    if family == "verify":
        return await verify_suite(step, wave.state, wave.services)
    if family == "accept":
        return await accept_tests(step, wave.state, wave.services)
    if family == "context":
        return await retrieve_for_plan(step, wave.services)
    if family == "repository":
        return await run_repository_step(step, wave.state, wave.context, wave.services)
    return failed(Fault(StepExit.UNKNOWN_STEP_TYPE, f"there is no step type {step['type']!r}"))


def _generates(step: PlanStep) -> bool:
    kind = step_kind(step["type"])
    return kind is not None and kind.family == "generate"


def _audit(step: PlanStep, wave: Wave, number: int, reason: str, fault: Fault | None, again: bool) -> None:
    wave.services.audit(
        Attempt(
            role=step["type"],
            attempt=number,
            outcome="failed" if fault else "ok",
            step_id=step["id"],
            errors=(fault.to_dict(),) if fault else (),
            reason=reason,
            details={"retried": again},
        )
    )
