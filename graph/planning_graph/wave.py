"""One wave of steps: what ready steps that are executed at the same time share, and which handler executes each."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from dataclasses import dataclass, field, replace
from typing import Any

from ...core.errors import BudgetExhausted
from ...core.events import EventType
from ...core.outcome import NOT_BEGUN, StepExit
from ...store.files.audit import AuditEntry
from ..context import GraphServices, RunContext
from ..faults import Fault
from .ceilings import CeilingMeter
from .generate_step import run_generate_step
from .planning_state import FINISHED, PlanningAgentState, PlanStepState
from .repository_steps import run_repository_step
from .steering import with_briefing
from .steps import StepOutcome, failed, generates, priority_of, skipped, step_kind
from .suite_steps import accept_tests, retrieve_for_plan, verify_suite


@dataclass
class Wave:
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
        ended = self.services.apart.get(step["id"])
        if ended is None or ended.fault is not None:  # the process that executed a step told of its end
            self.announce_end(step, outcome)

    def announce_end(self, step: PlanStepState, outcome: StepOutcome) -> None:
        """Emit the event of a step's end."""
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


def new_wave(state: PlanningAgentState, context: RunContext, services: GraphServices) -> Wave:
    """Return the wave that a state is at."""
    return Wave(
        state=state,
        context=context,
        services=services,
        meter=CeilingMeter(state["spent"], context, services.clock, services.budget),
        jobs=asyncio.Semaphore(max(1, context.jobs)),
        attempts=dict(state["attempt_counts"]),
    )


def refusal(step: PlanStepState, wave: Wave) -> StepOutcome | None:
    """The outcome of a step that may not begin, or None."""
    if wave.ended_by is not None:
        return skipped(StepExit.RUN_ENDED, f"{NOT_BEGUN}{wave.ended_by.message}")
    exceeded = wave.meter.exceeded() if step_kind(step["type"]).metered else None
    if exceeded and generates(step) and wave.services.model_roles and wave.meter.seconds_left != 0:
        return None  # the engine's tests cost nothing of what is used up
    return skipped(StepExit.BUDGET_EXHAUSTED, f"{NOT_BEGUN}{exceeded}") if exceeded else None


def seconds_left_for(step: PlanStepState, wave: Wave) -> float | None:
    """Seconds that a step may take; None where no ceiling on time concerns it."""
    return wave.meter.seconds_left if step_kind(step["type"]).metered else None


def execution(step: PlanStepState, wave: Wave) -> Coroutine[Any, Any, StepOutcome]:
    """Return the handler's coroutine for a step, not yet started."""
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


def _briefed(step: PlanStepState, wave: Wave) -> RunContext:
    """The context with what the step's agents are told beside their task, and its priority."""
    about = f"{wave.state['user_request']} {step['params'].get('target') or ''}"
    return replace(with_briefing(wave.state, wave.context, about), priority=priority_of(step))


async def _unknown(step: PlanStepState) -> StepOutcome:
    return failed(Fault(StepExit.UNKNOWN_STEP_TYPE, f"there is no step type {step['type']!r}"))
