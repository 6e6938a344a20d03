"""Runs graphs and other coroutines apart from the calling graph."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from contextvars import copy_context
from typing import Any, TypeVar

from langchain_core.runnables import RunnableConfig
from langchain_core.runnables.config import var_child_runnable_config
from langgraph.graph.state import CompiledStateGraph
from langgraph.types import Durability
from langsmith import tracing_context

from .context import RunContext

Result = TypeVar("Result")


def isolated(work: Coroutine[Any, Any, Result]) -> asyncio.Task[Result]:
    """Run a coroutine in a task of its own, without the configuration of the calling node. Await the task.

    A graph that is called inside a node inherits the node's checkpoint namespace, checkpointer and task ids. A testing
    graph has its own thread, so it must not. Tracing is off, because a LANGSMITH_TRACING in the user's environment must
    not send prompts and code to a third party. Cancelling the caller cancels the task.
    """
    with tracing_context(enabled=False):
        context = copy_context()
    context.run(var_child_runnable_config.set, None)
    return asyncio.get_running_loop().create_task(work, context=context)


def run_graph(
    graph: CompiledStateGraph[Any, RunContext, Any, Any],
    state: Any,
    config: RunnableConfig,
    context: RunContext,
    *,
    stop_before: str | None = None,
) -> asyncio.Task[dict[str, Any]]:
    """Run a graph to its end, isolated, every checkpoint on disk before the next node begins. Await the task.

    Args:
        state: the initial state, or None to continue from the checkpoint.
        stop_before: node before which the graph is interrupted; None for none.
    """
    # LangGraph 1.2 fails when a durability is named and there is no checkpointer.
    durability: Durability | None = "sync" if graph.checkpointer else None
    interrupts = [stop_before] if stop_before is not None else None
    return isolated(graph.ainvoke(state, config, context=context, durability=durability, interrupt_before=interrupts))
