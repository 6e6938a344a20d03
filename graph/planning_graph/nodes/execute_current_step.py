"""Node `execute_current_step`: executes every ready step concurrently, within ceilings and with retries."""

from __future__ import annotations

import asyncio
from typing import Any

from langgraph.runtime import Runtime

from ....core.errors import BudgetExhausted, StorageError
from ....core.outcome import StepExit
from ...context import EndedApart, RunContext, services_of
from ...faults import fault_of
from ...node import all_or_first_error, reported_node
from ...step_limit import StepOutOfTimeError, step_limit
from ..generate_step import failed_step
from ..planning_state import PlanningAgentState, PlanStepState
from ..steps import StepOutcome, failed, generates, ready_steps
from ..stopped_step import stopped_step
from ..wave import Wave, execution, new_wave, refusal, seconds_left_for


@reported_node
async def execute_current_step(state: PlanningAgentState, runtime: Runtime[RunContext]) -> dict[str, Any]:
    """Delegate every ready step to a testing graph or to tools, `jobs` at a time; a failing step does not end others.

    When this node is executed again after a crash, testing graphs that had finished are only read, the others continue
    from their checkpoints.

    Raises:
        StorageError: the run's own state cannot be stored.
    """
    services = services_of(runtime)
    wave = new_wave(state, runtime.context, services)
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


async def _run_step(step: PlanStepState, wave: Wave) -> PlanStepState:
    """Execute one ready step, and again after an infrastructure fault, at most `max_retries_per_step` times.

    Returns the step with its final status; never fails because the step does.

    Raises:
        StorageError: the run's own state cannot be stored, so that nothing may continue; the run can be resumed.
    """
    async with wave.jobs:
        if (ended := wave.services.apart.get(step["id"])) is not None:
            return await _read_apart(step, ended, wave)
        wave.announce_start(step)
        outcome = refusal(step, wave)  # read here: a step that waited for a free job may be refused by now
        reason, retries = "first", 0
        while outcome is None:
            number = wave.attempts[step["id"]] = wave.attempts.get(step["id"], 0) + 1
            try:
                async with step_limit(seconds_left_for(step, wave)):
                    done = await execution(step, wave)
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


async def _read_apart(step: PlanStepState, ended: EndedApart, wave: Wave) -> PlanStepState:
    """The step as another process has left it. No ceiling refuses it: its work is done."""
    number = wave.attempts[step["id"]] = wave.attempts.get(step["id"], 0) + ended.attempts
    fault = ended.fault
    if fault is None:
        outcome = await execution(step, wave)
        fault = outcome.fault
    elif fault.exit_reason is StepExit.BUDGET_EXHAUSTED:
        outcome = await stopped_step(step, wave.state, fault, wave.context, wave.services)
    else:
        outcome = await failed_step(step, fault, wave.context, wave.services)
    wave.audit(step, number, "first", fault)
    wave.finish(step, outcome)
    return outcome.applied(step)


async def _waited(step: PlanStepState, wave: Wave, retries: int) -> bool:
    """Wait before the next attempt, longer after each. Returns False at once if the ceiling on time comes sooner."""
    wait, left = wave.services.request_options.policy.first_wait * 2**retries, seconds_left_for(step, wave)
    if left is not None and wait >= left:
        return False
    await wave.services.sleep(wait)
    return True


async def _stopped(step: PlanStepState, wave: Wave, number: int, reason: str, error: BudgetExhausted) -> StepOutcome:
    """The outcome of a step that a ceiling stopped."""
    fault = fault_of(error)
    wave.audit(step, number, reason, fault)
    if not generates(step):
        return failed(fault)
    return await stopped_step(step, wave.state, fault, wave.context, wave.services)
