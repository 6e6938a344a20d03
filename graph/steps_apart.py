"""Lets other processes execute the generate steps of a run: stops before each wave, and executes one step of it.

A step's result is the last checkpoint of its testing graph. The planning graph then reads it where it would have
executed the step, so that a run whose steps were executed apart ends as one that executed them itself.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import cast

from ..core.errors import BudgetExhausted, RunNotFound
from .context import EndedApart, GraphServices, RunContext, isolated, providing, run_graph
from .faults import Fault, fault_of
from .planning_graph.nodes.execute_current_step import execute_current_step
from .planning_graph.planning_state import PlanningAgentState, PlanStepState
from .planning_graph.steps import blocked_by, generates, is_finished, ready_steps
from .planning_graph.wave import execution, new_wave, refusal, seconds_left_for
from .running import planning_graph, reopen, resume_run, run_thread
from .step_limit import StepOutOfTimeError, step_limit

_WAVE = execute_current_step.__name__


@dataclass(frozen=True, slots=True)
class StepEnd:
    """How one attempt of a step ended.

    Attributes:
        is_refused: a ceiling, or the end of the run, did not let it begin.
        fault: what ended it; None when its testing graph came to its end.
    """

    is_refused: bool = False
    fault: Fault | None = None


async def next_wave(
    context: RunContext,
    services: GraphServices,
    *,
    initial_state: PlanningAgentState,
    ended: Mapping[str, EndedApart] | None,
    refused: Collection[str] = (),
) -> list[PlanStepState]:
    """Run the planning graph up to its next steps that others may execute, the first to begin first.

    Steps of other kinds are executed on the way. Called again after a crash it returns the same steps.

    Args:
        initial_state: the state that a new run begins with.
        ended: how the steps ended that the last call returned; None for the first call, which resumes a run that has
            checkpoints.
        refused: those that could not begin, and are refused again here.

    Returns:
        The steps; none when the plan has ended.

    Raises:
        What `start_run` and `resume_run` raise.
    """
    services.apart.clear()
    services.apart.update(ended or {})
    with providing(context, services):
        graph, config, is_first = planning_graph(services), run_thread(context), ended is None
        while True:
            snapshot = await isolated(graph.aget_state(config))
            if is_first and _WAVE in snapshot.next:
                state = cast(PlanningAgentState, snapshot.values)
                await reopen(graph, config, state, context, services, further=False)
                snapshot = await isolated(graph.aget_state(config))
            if _WAVE in snapshot.next:
                apart = _to_execute(cast(PlanningAgentState, snapshot.values), {*(ended or ()), *refused})
                if apart:
                    return apart
            elif snapshot.values and not snapshot.next and not is_first:
                return []
            if is_first:
                is_first = False
                await resume_run(context, services, initial_state=initial_state, stop_before=_WAVE)
            else:
                await run_graph(graph, None, config, context, stop_before=_WAVE)


def _to_execute(state: PlanningAgentState, done: set[str]) -> list[PlanStepState]:
    plan = state["plan"]
    ready = [step for step in ready_steps(plan) if generates(step) and not blocked_by(step, plan)]
    return [step for step in ready if step["id"] not in done]


async def execute_apart(step_id: str, context: RunContext, services: GraphServices) -> StepEnd:
    """Execute one step that `next_wave` returned, or continue it from the checkpoint where another process died.

    Raises:
        RunNotFound: the run has no such step.
        StorageError: the run's own state cannot be stored.
        And what a node raises; the checkpoint stays, so calling again continues from there.
    """
    with providing(context, services):
        snapshot = await isolated(planning_graph(services).aget_state(run_thread(context)))
        state = cast(PlanningAgentState, snapshot.values)
        step = next((step for step in state.get("plan", ()) if step["id"] == step_id), None)
        if step is None:
            raise RunNotFound(f"run {context.run_id} has no step {step_id}", advice="Start the request as a new run.")
        if is_finished(step):
            return StepEnd()
        wave = new_wave(state, context, services)
        wave.announce_start(step)
        if refusal(step, wave) is not None:
            return StepEnd(is_refused=True)
        try:
            async with step_limit(seconds_left_for(step, wave)):
                outcome = await execution(step, wave)
        except StepOutOfTimeError:
            return StepEnd(fault=fault_of(wave.out_of_time()))
        except BudgetExhausted as error:
            return StepEnd(fault=fault_of(error))
        wave.announce_end(step, outcome)
        return StepEnd()
