"""Starting and resuming a run: the one place that passes context, thread and durability (T-01, B-08).

LangGraph takes a forgotten `context=` silently, also on resume; so nothing else of ours invokes the planning graph.
"""

from __future__ import annotations

from typing import cast

from langchain_core.runnables import RunnableConfig

from ..core.errors import RunNotFound
from ..core.outcome import ExitReason, StepExit
from ..core.usage import NOTHING_USED, PlanUsage
from .context import GraphServices, RunContext, providing
from .execution_graph.graph import transient_retries
from .isolation import isolated, run_graph
from .planning_graph.ceilings import Meter
from .planning_graph.generate_step import target_changed, thread_id
from .planning_graph.order import dependents, first_unfinished, is_finished
from .planning_graph.planning_graph import PlanningGraph, build_planning_graph
from .planning_graph.planning_state import PlanningAgentState, PlanStep
from .planning_graph.step_types import step_kind
from .planning_graph.stopped_step import put_back
from .state_version import require_version

_RECURSION_LIMIT = 10_000


async def start_run(state: PlanningAgentState, context: RunContext, services: GraphServices) -> PlanningAgentState:
    """Run a plan from the beginning.

    Args:
        state: `new_planning_state(...)`.
        services: its checkpointer keeps planning and testing graphs; without one the run cannot be resumed.

    Returns:
        The final state: status `completed` or `failed`, with its `exit_reason`.

    Raises:
        StorageError: the run's state cannot be kept.
        AgentUnreachable, ToolFailure, TestwrightError: the plan itself could not be made.
    """
    with providing(context, services):
        return await _invoked(_graph(services), state, context)


async def resume_run(
    context: RunContext, services: GraphServices, *, beginning: PlanningAgentState | None = None
) -> PlanningAgentState:
    """Go on with a run whose process ended, from its last checkpoint.

    Finished steps are not executed again, except those whose target's file has changed since, with all that depends on
    them. A run that has ended is answered as it ended, except one that a ceiling ended which is no longer reached: the
    steps that it stopped go on, and all that depends on them.

    Args:
        beginning: what to begin with when the process ended before the first checkpoint.

    Raises:
        RunNotFound: there is no checkpoint of the run, and no beginning.
        StateVersionError: it was written by another version.
        And what `start_run` raises.
    """
    with providing(context, services):
        graph = _graph(services)
        config = thread_of_run(context)
        snapshot = await isolated(lambda: graph.aget_state(config))
        if not snapshot.values:
            if beginning is None:
                raise RunNotFound(
                    f"there is no checkpoint of run {context.run_id}", advice="Start the request as a new run."
                )
            return await _invoked(graph, beginning, context)
        require_version(snapshot.values, context.run_id)
        state = cast(PlanningAgentState, snapshot.values)
        further = _may_go_on(state, context, services)
        if not snapshot.next and further and not state["plan"] and beginning is not None:
            return await _invoked(graph, {**beginning, "spent": state["spent"]}, context)
        if not snapshot.next and not (further and _stopped_steps(state)):
            return state
        await _reopen(graph, config, state, context, services, further=further)
        return await _invoked(graph, None, context)


def _may_go_on(state: PlanningAgentState, context: RunContext, services: GraphServices) -> bool:
    """Whether a ceiling stopped something that may go on now."""
    stopped = state["exit_reason"] == ExitReason.BUDGET_EXHAUSTED or _stopped_steps(state)
    return bool(stopped) and Meter(state["spent"], context, services.clock, services.budget).exceeded() is None


def _stopped_steps(state: PlanningAgentState) -> list[PlanStep]:
    return [step for step in state["plan"] if (step["result"] or {}).get("exit_reason") == StepExit.BUDGET_EXHAUSTED]


async def _invoked(graph: PlanningGraph, state: PlanningAgentState | None, context: RunContext) -> PlanningAgentState:
    return cast(PlanningAgentState, await run_graph(graph, state, thread_of_run(context), context))


def _graph(services: GraphServices) -> PlanningGraph:
    retry = transient_retries(services.node_attempts, services.node_wait)
    return build_planning_graph(services.checkpointer, retry=retry)


def thread_of_run(context: RunContext) -> RunnableConfig:
    """Where a run's planning graph keeps its checkpoints, and how far it may go."""
    return {"configurable": {"thread_id": context.run_id}, "recursion_limit": _RECURSION_LIMIT}


async def _reopen(
    graph: PlanningGraph,
    config: RunnableConfig,
    state: PlanningAgentState,
    context: RunContext,
    services: GraphServices,
    *,
    further: bool,
) -> None:
    """Put finished steps whose target has changed, and those that a ceiling stopped, back to pending with dependents.

    A stopped one goes on from its testing graph's checkpoint; one that has changed starts from nothing.

    Args:
        further: whether stopped steps may go on.
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
    await isolated(lambda: graph.aupdate_state(config, update, as_node="build_plan"))


def _without_usage(spent: PlanUsage, steps: list[PlanStep]) -> PlanUsage:
    """What was spent, without what these steps will tell again when they have gone on to their end."""
    used = [(step["result"] or {}).get("usage") or NOTHING_USED for step in steps]
    tokens = spent["tokens"] - sum(one["tokens"] for one in used)
    cost = spent["cost"] - sum(one["cost"] for one in used)
    return {"seconds": spent["seconds"], "tokens": max(0, tokens), "cost": max(0.0, cost)}


async def _has_changed(step: PlanStep, services: GraphServices) -> bool:
    kind = step_kind(step["type"])
    if kind is None or kind.family != "generate" or not is_finished(step):
        return False
    target = step["params"].get("target")
    info = target if isinstance(target, dict) else {"path": target}
    return await target_changed((step["result"] or {}).get("target_digest"), info, services)


def _pending(step: PlanStep) -> PlanStep:
    return {**step, "status": "pending", "result": None, "error_message": None}
