"""The planning graph: the only entry point of a run, from request to accepted tests."""

from __future__ import annotations

from typing import Any, Literal

from langgraph.checkpoint.base import BaseCheckpointSaver
from langgraph.graph import END, START, StateGraph
from langgraph.graph.state import CompiledStateGraph
from langgraph.types import RetryPolicy

from ..context import RunContext
from ..execution_graph.graph import transient_retries
from .nodes.advance_or_finish import advance_or_finish
from .nodes.build_plan import build_plan
from .nodes.execute_current_step import execute_current_step
from .planning_state import PlanningAgentState

NODES = (build_plan, execute_current_step, advance_or_finish)

PlanningGraph = CompiledStateGraph[PlanningAgentState, RunContext, Any, Any]


async def more_to_do(state: PlanningAgentState) -> Literal["execute", "end"]:
    """Route to the next steps while the plan has any."""
    return "execute" if state["status"] == "executing" else "end"


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
    graph: StateGraph[PlanningAgentState, RunContext, Any, Any] = StateGraph(
        PlanningAgentState, context_schema=RunContext
    )
    policy = retry or transient_retries()
    graph.add_node("build_plan", build_plan, retry_policy=policy)
    graph.add_node("execute_current_step", execute_current_step)
    graph.add_node("advance_or_finish", advance_or_finish)
    graph.add_edge(START, "build_plan")
    graph.add_conditional_edges("build_plan", more_to_do, {"execute": "execute_current_step", "end": END})
    graph.add_edge("execute_current_step", "advance_or_finish")
    graph.add_conditional_edges("advance_or_finish", more_to_do, {"execute": "execute_current_step", "end": END})
    return graph.compile(checkpointer=checkpointer, name="planning_graph")
