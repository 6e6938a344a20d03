"""The planning graph: the only entry point of a run, from request to accepted tests."""

from __future__ import annotations

from typing import Any, Literal

from langgraph.checkpoint.base import BaseCheckpointSaver
from langgraph.graph import END, START, StateGraph
from langgraph.graph.state import CompiledStateGraph
from langgraph.types import RetryPolicy

from ..context import RunContext
from ..execution_graph.graph import transient_retries
from .nodes.advance_or_finish import advance_or_finish, awaits_validation
from .nodes.build_plan import build_plan
from .nodes.check_health import check_health
from .nodes.check_safety import check_safety
from .nodes.execute_current_step import execute_current_step
from .nodes.update_memory import update_memory
from .nodes.validate_goal import validate_goal
from .planning_state import PlanningAgentState

NODES = (
    build_plan,
    check_safety,
    execute_current_step,
    update_memory,
    check_health,
    advance_or_finish,
    validate_goal,
)

# pyrefly: ignore[bad-specialization] - it does not see the keys that the class of a TypedDict has
PlanningGraph = CompiledStateGraph[PlanningAgentState, RunContext, Any, Any]


async def more_to_do(state: PlanningAgentState) -> Literal["execute", "end"]:
    """Route to the next steps while the plan has any."""
    return "execute" if state["status"] == "executing" else "end"


async def after_plan(state: PlanningAgentState) -> Literal["execute", "validate", "end"]:
    """Route to the next steps while the plan has any, then to goal validation unless the run was ended."""
    if state["status"] == "executing":
        return "execute"
    return "validate" if awaits_validation(state["exit_reason"]) else "end"


def build_planning_graph(
    checkpointer: BaseCheckpointSaver[str] | None = None, *, retry: RetryPolicy | None = None
) -> PlanningGraph:
    """Build the compiled planning graph, for use by itself or as a node of another graph.

    Run it with `ainvoke(new_planning_state(...), context=RunContext(...))` inside `context.providing(...)`, or through
    `graph.running`, which also resumes. A graph that embeds it must have `RunContext` as its context schema and share
    the state keys that it passes in and reads.

    Args:
        checkpointer: stores the state between nodes; the caller then passes a `thread_id`.
        retry: replaces `transient_retries()`.
    """
    # pyrefly: ignore[bad-specialization] - it does not see the keys that the class of a TypedDict has
    graph: StateGraph[PlanningAgentState, RunContext, Any, Any] = StateGraph(
        PlanningAgentState, context_schema=RunContext
    )
    policy = retry or transient_retries()
    for node in NODES:
        # A step's faults are retried with the step; asking the planner is retried as a node.
        retried = policy if node in (build_plan, validate_goal) else None
        graph.add_node(node.__name__, node, retry_policy=retried)
    graph.add_edge(START, "build_plan")
    graph.add_conditional_edges("build_plan", more_to_do, {"execute": "check_safety", "end": END})
    graph.add_edge("check_safety", "execute_current_step")
    graph.add_edge("execute_current_step", "update_memory")
    graph.add_edge("update_memory", "check_health")
    graph.add_edge("check_health", "advance_or_finish")
    graph.add_conditional_edges(
        "advance_or_finish", after_plan, {"execute": "check_safety", "validate": "validate_goal", "end": END}
    )
    graph.add_conditional_edges("validate_goal", more_to_do, {"execute": "check_safety", "end": END})
    return graph.compile(checkpointer=checkpointer, name="planning_graph")
