"""Node `execute_current_step`: executes every ready step concurrently, within ceilings and with retries."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from dataclasses import dataclass, field, replace
from typing import Any

from langgraph.runtime import Runtime

from ....core.errors import BudgetExhausted, StorageError
from ....core.events import EventType
from ....core.outcome import StepExit
from ....store.files.audit import AuditEntry
from ...context import GraphServices, RunContext, services_of
from ...faults import Fault, fault_of
from ...node import all_or_first_error, reported_node
from ...step_limit import StepOutOfTimeError, step_limit
from ..ceilings import CeilingMeter
from ..generate_step import failed_step, run_generate_step
from ..planning_state import FINISHED, PlanningAgentState, PlanStepState
from ..repository_steps import run_repository_step
from ..steering import with_briefing
from ..steps import StepOutcome, failed, generates, priority_of, ready_steps, skipped, step_kind
from ..stopped_step import stopped_step
from ..suite_steps import accept_tests, retrieve_for_plan, verify_suite


@reported_node
async def execute_current_step(state: PlanningAgentState, runtime: Runtime[RunContext]) -> dict[str, Any]:
    """Delegate every ready step to a testing graph or to tools, `jobs` at a time; a failing step does not end others.

    When this node is executed again after a crash, testing graphs that had finished are only read, the others continue
    from their checkpoints.

    Raises:
        StorageError: the run's own state cannot be stored.
    """
    services = services_of(runtime)
    wave = _Wave(
        state=state,
        context=runtime.context,
        services=services,
        meter=CeilingMeter(state["spent"], runtime.context, services.clock, services.budget),
        jobs=asyncio.Semaphore(max(1, runtime.context.jobs)),
        attempts=dict(state["attempt_counts"]),
    )
    work = [_run_step(step, wave) for step in ready_steps(state["plan"])]
    executed = all_or_first_error(await asyncio.gather(*work, return_exceptions=True))
    by_id: dict[str, PlanStepState] = {step["id"]: step for step in executed}
    return {
        "plan": [by_id.get(step["id"], step) for step in state["plan"]],
        "attempt_counts": wave.attempts,
        "spent": wave.meter.spent,
        "logs": [_log_line(step) for step in executed],
        "failure": wave.ended_by.to_dict() if wave.ended_by is not None else state["failure"],
    }


def _log_line(step: PlanStepState) -> str:
    why = f": {step['error_message']}" if step["error_message"] else ""
    return f"{step['id']} {step['status']}{why}"


@dataclass
class _Wave:
    """State shared by the steps that are executed concurrently.

    Attributes:
        jobs: bounds how many run at the same time.
        attempts: attempts by step id, earlier ones included.
        ended_by: the fault that would end every other step too; steps that have not started are then skipped.
        done: ids of the steps that ended in this wave.
    """

    state: PlanningAgentState
    context: RunContext
    services: GraphServices
    meter: CeilingMeter
    jobs: asyncio.Semaphore
    attempts: dict[str, int]
    ended_by: Fault | None = None
    done: set[str] = field(default_factory=set)

    @property
    def share(self) -> float:
        """The share of the remaining time for one generate step, so that those that wait get as much."""
        plan = [step for step in self.state["plan"] if step["id"] not in self.done]
        left = sum(generates(step) and step["status"] not in FINISHED for step in plan)
        return min(1.0, self.context.jobs / max(1, left))

    def out_of_time(self) -> BudgetExhausted:
        """The error for a step that the ceiling on time stops."""
        budget = self.services.budget
        if budget is not None:
            return budget.out_of_time()
        return BudgetExhausted(f"the ceiling on time ({self.context.wall_seconds:g} s) is reached")

    def announce_start(self, step: PlanStepState) -> None:
        """Emit the event of a step's start."""
        self.services.emit(EventType.STEP_STARTED, f"{step['id']} started", step["id"], step_type=step["type"])

    def finish(self, step: PlanStepState, outcome: StepOutcome) -> None:
        """Count what a step used, note a fault that ends the run, and emit the event of the step's end."""
        self.meter.add(outcome.usage)
        self.done.add(step["id"])
        if outcome.fault is not None and outcome.fault.ends_run:
            self.ended_by = self.ended_by or outcome.fault
        about = f": {outcome.message}" if outcome.message else ""
        self.services.emit(
            EventType.STEP_ENDED,
            f"{step['id']} {outcome.status}{about}",
            step["id"],
            step_type=step["type"],
            status=outcome.status,
            exit_reason=str(outcome.exit_reason),
            attempts=self.attempts.get(step["id"], 0),
        )

    def audit(
        self, step: PlanStepState, number: int, reason: str, fault: Fault | None, *, retried: bool = False
    ) -> None:
        """Record one attempt of a step."""
        self.services.audit(
            AuditEntry(
                role=step["type"],
                attempt=number,
                outcome="failed" if fault else "ok",
                step_id=step["id"],
                errors=(fault.to_dict(),) if fault else (),
                reason=reason,
                details={"retried": retried},
            )
        )


async def _run_step(step: PlanStepState, wave: _Wave) -> PlanStepState:
    """Execute one ready step, and again after an infrastructure fault, at most `max_retries_per_step` times.

    Returns the step with its final status; never fails because the step does.

    Raises:
        StorageError: the run's own state cannot be stored, so that nothing may continue; the run can be resumed.
    """
    async with wave.jobs:
        wave.announce_start(step)
        outcome = _refusal(step, wave)  # read here: a step that waited for a free job may be refused by now
        reason, retries = "first", 0
        while outcome is None:
            number = wave.attempts[step["id"]] = wave.attempts.get(step["id"], 0) + 1
            try:
                async with step_limit(_seconds_left(step, wave)):
                    done = await _execution(step, wave)
            except StorageError:
                raise  # without its state the run cannot be resumed: no other step may continue
            except StepOutOfTimeError:
                outcome = await _stopped(step, wave, number, reason, wave.out_of_time())
            except BudgetExhausted as error:
                outcome = await _stopped(step, wave, number, reason, error)
            except Exception as error:  # noqa: BLE001 - one failing target must not end the other steps
                fault = fault_of(error)
                is_retried = fault.infrastructure and retries < wave.state["max_retries_per_step"]
                wave.audit(step, number, reason, fault, retried=is_retried)
                reason = fault.message
                if not is_retried:
                    # Tests that passed before the fault stay in the result of a generate step.
                    outcome = (
                        await failed_step(step, fault, wave.context, wave.services)
                        if generates(step)
                        else failed(fault)
                    )
                elif not await _waited(step, wave, retries):
                    outcome = await _stopped(step, wave, number, reason, wave.out_of_time())
                retries += 1
            else:
                wave.audit(step, number, reason, done.fault)
                outcome = done
        wave.finish(step, outcome)
        return outcome.applied(step)


def _refusal(step: PlanStepState, wave: _Wave) -> StepOutcome | None:
    """The outcome of a step that may not begin, or None."""
    if wave.ended_by is not None:
        return skipped(StepExit.RUN_ENDED, f"not begun: {wave.ended_by.message}")
    exceeded = wave.meter.exceeded() if step_kind(step["type"]).metered else None
    if exceeded and generates(step) and wave.services.model_roles and wave.meter.seconds_left != 0:
        return None  # the engine's tests cost nothing of what is used up
    return skipped(StepExit.BUDGET_EXHAUSTED, f"not begun: {exceeded}") if exceeded else None


async def _waited(step: PlanStepState, wave: _Wave, retries: int) -> bool:
    """Wait before the next attempt, longer after each. Returns False at once if the ceiling on time comes sooner."""
    wait, left = wave.services.request_options.policy.first_wait * 2**retries, _seconds_left(step, wave)
    if left is not None and wait >= left:
        return False
    await wave.services.sleep(wait)
    return True


async def _stopped(step: PlanStepState, wave: _Wave, number: int, reason: str, error: BudgetExhausted) -> StepOutcome:
    """The outcome of a step that a ceiling stopped."""
    fault = fault_of(error)
    wave.audit(step, number, reason, fault)
    if not generates(step):
        return failed(fault)
    return await stopped_step(step, wave.state, fault, wave.context, wave.services)


def _seconds_left(step: PlanStepState, wave: _Wave) -> float | None:
    return wave.meter.seconds_left if step_kind(step["type"]).metered else None


async def _unknown(step: PlanStepState) -> StepOutcome:
    return failed(Fault(StepExit.UNKNOWN_STEP_TYPE, f"there is no step type {step['type']!r}"))


def _briefed(step: PlanStepState, wave: _Wave) -> RunContext:
    """The context with what the step's agents are told beside their task, and its priority."""
    about = f"{wave.state['user_request']} {step['params'].get('target') or ''}"
    return replace(with_briefing(wave.state, wave.context, about), priority=priority_of(step))


def _execution(step: PlanStepState, wave: _Wave) -> Coroutine[Any, Any, StepOutcome]:
    """The handler's coroutine for a step, not yet started."""
    state, context, services = wave.state, wave.context, wave.services
    match step_kind(step["type"]).family:
        case "generate":
            context = replace(_briefed(step, wave), step_share=wave.share)
            return run_generate_step(step, state, context, services)
        case "verify":
            return verify_suite(step, state, services)
        case "accept":
            return accept_tests(step, state, services)
        case "context":
            return retrieve_for_plan(step, services)
        case "repository":
            # Nothing but its envelope crosses the boundary of such an agent: no summary of what others did.
            return run_repository_step(step, state, replace(wave.context, priority=priority_of(step)), services)
        case _:
            return _unknown(step)
