"""Starts and resumes runs: the one place that passes context, thread and durability to the planning graph.

LangGraph accepts a missing `context=` silently, also on resume; so no other module invokes the planning graph, but for
`partial_runs`.
"""

from __future__ import annotations

from typing import cast

from langchain_core.runnables import RunnableConfig

from ..core.errors import RunNotFound
from ..core.outcome import ExitReason, StepExit
from ..core.usage import NOTHING_USED, PlanUsage
from .context import GraphServices, RunContext, isolated, providing, run_graph
from .execution_graph.graph import retries_of
from .planning_graph.ceilings import CeilingMeter
from .planning_graph.generate_step import target_changed, thread_id
from .planning_graph.nodes.advance_or_finish import advance_or_finish
from .planning_graph.planning_graph import PlanningGraph, build_planning_graph
from .planning_graph.planning_state import PlanningAgentState, PlanStepState
from .planning_graph.steps import dependents, first_unfinished, generates, is_finished
from .planning_graph.stopped_step import put_back
from .state_format import require_version

_RECURSION_LIMIT = 10_000


async def start_run(state: PlanningAgentState, context: RunContext, services: GraphServices) -> PlanningAgentState:
    """Run the planning graph from the beginning.

    Args:
        state: `new_planning_state(...)`.
        services: its checkpointer stores the states of all graphs; without one the run cannot be resumed.

    Returns:
        The final state: status `completed` or `failed`, with its `exit_reason`.

    Raises:
        StorageError: the run's state cannot be stored.
        AgentUnreachable, ToolFailure, TestwrightError: the plan itself could not be made.
    """
    with providing(context, services):
        return cast(PlanningAgentState, await run_graph(planning_graph(services), state, run_thread(context), context))


async def resume_run(
    context: RunContext,
    services: GraphServices,
    *,
    initial_state: PlanningAgentState | None = None,
    stop_before: str | None = None,
) -> PlanningAgentState:
    """Continue a run whose process ended, from its last checkpoint.

    Finished steps are not executed again, except those whose target's file has changed since, with their dependents. A
    run that has ended is returned as it ended, except one stopped by a ceiling that is no longer reached: the stopped
    steps continue, and all that depends on them; a plan whose revision was stopped is validated again.

    Args:
        initial_state: the state to begin with, for when the process ended before the first checkpoint.
        stop_before: node before which the run is interrupted; None for none. One that already stands there goes on.

    Raises:
        RunNotFound: there is no checkpoint of the run, and no `initial_state`.
        StateVersionError: it was written by another version.
        And what `start_run` raises.
    """
    with providing(context, services):
        graph = planning_graph(services)
        config = run_thread(context)
        snapshot = await isolated(graph.aget_state(config))
        if not snapshot.values:
            if initial_state is None:
                raise RunNotFound(
                    f"there is no checkpoint of run {context.run_id}", advice="Start the request as a new run."
                )
            return cast(
                PlanningAgentState, await run_graph(graph, initial_state, config, context, stop_before=stop_before)
            )
        require_version(snapshot.values, context.run_id)
        state = cast(PlanningAgentState, snapshot.values)
        further = _may_continue(state, context, services)
        if not snapshot.next and further and not state["plan"] and initial_state is not None:
            # The ceiling was reached while planning: plan anew, with what was spent before.
            anew = {**initial_state, "spent": state["spent"]}
            return cast(PlanningAgentState, await run_graph(graph, anew, config, context, stop_before=stop_before))
        unvalidated = (state.get("control") or {}).get("unvalidated") if further else None
        if not snapshot.next and not (further and _stopped_steps(state)) and not unvalidated:
            return state
        if not snapshot.next and unvalidated and not _stopped_steps(state):
            control = {key: value for key, value in state["control"].items() if key != "unvalidated"}
            await isolated(
                graph.aupdate_state(
                    config, {"control": control, "exit_reason": unvalidated}, as_node=advance_or_finish.__name__
                )
            )
        await reopen(graph, config, state, context, services, further=further)
        return cast(PlanningAgentState, await run_graph(graph, None, config, context, stop_before=stop_before))


def _may_continue(state: PlanningAgentState, context: RunContext, services: GraphServices) -> bool:
    """Whether a ceiling stopped something that may continue now."""
    stopped = state["exit_reason"] == ExitReason.BUDGET_EXHAUSTED or _stopped_steps(state)
    return bool(stopped) and CeilingMeter(state["spent"], context, services.clock, services.budget).exceeded() is None


def _stopped_steps(state: PlanningAgentState) -> list[PlanStepState]:
    return [step for step in state["plan"] if (step["result"] or {}).get("exit_reason") == StepExit.BUDGET_EXHAUSTED]


def planning_graph(services: GraphServices) -> PlanningGraph:
    """Build the planning graph of a run with its checkpoints."""
    return build_planning_graph(services.checkpointer, retry=retries_of(services))


def run_thread(context: RunContext) -> RunnableConfig:
    """The checkpoint thread of a run's planning graph, and its recursion limit."""
    return {"configurable": {"thread_id": context.run_id}, "recursion_limit": _RECURSION_LIMIT}


async def reopen(
    graph: PlanningGraph,
    config: RunnableConfig,
    state: PlanningAgentState,
    context: RunContext,
    services: GraphServices,
    *,
    further: bool,
) -> None:
    """Reset finished steps whose target has changed, and those that a ceiling stopped, to pending with dependents.

    A stopped step continues from its testing graph's checkpoint; one whose target has changed starts from nothing.

    Args:
        further: whether stopped steps may continue.
    """
    stopped = _stopped_steps(state) if further else []
    changed = {step["id"] for step in state["plan"] if await _has_changed(step, services)}
    first = changed | {step["id"] for step in stopped}
    if not first:
        return
    again = first | dependents(state["plan"], first)
    if services.checkpointer is not None:
        for step_id in changed:
            await services.checkpointer.adelete_thread(thread_id(context, step_id))
    for step in stopped:
        if step["id"] not in changed:
            await put_back(step, services)
    plan = [_pending(step) if step["id"] in again and is_finished(step) else step for step in state["plan"]]
    update = {
        "plan": plan,
        "current_step_index": first_unfinished(plan),
        "attempt_counts": {key: count for key, count in state["attempt_counts"].items() if key not in again},
        "spent": _without_usage(state["spent"], stopped),
        "status": "executing",
        "exit_reason": None,
        "logs": [
            *(f"{step_id} starts again: its target has changed" for step_id in sorted(changed)),
            *(f"{step['id']} goes on: the ceiling is higher" for step in stopped if step["id"] not in changed),
        ],
    }
    await isolated(graph.aupdate_state(config, update, as_node="build_plan"))


def _without_usage(spent: PlanUsage, steps: list[PlanStepState]) -> PlanUsage:
    """Subtract the usage that these steps will report again when they are completed."""
    used = [(step["result"] or {}).get("usage") or NOTHING_USED for step in steps]
    tokens = spent["tokens"] - sum(usage["tokens"] for usage in used)
    cost = spent["cost"] - sum(usage["cost"] for usage in used)
    return {"seconds": spent["seconds"], "tokens": max(0, tokens), "cost": max(0.0, cost)}


async def _has_changed(step: PlanStepState, services: GraphServices) -> bool:
    if not generates(step) or not is_finished(step):
        return False
    target = step["params"].get("target")
    info = target if isinstance(target, dict) else {"path": target}
    return await target_changed((step["result"] or {}).get("target_digest"), info, services)


def _pending(step: PlanStepState) -> PlanStepState:
    return {**step, "status": "pending", "result": None, "error_message": None}
