"""Running a graph by itself, also from inside another graph's node, with nothing leaving the machine."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from contextvars import copy_context
from typing import Any, TypeVar

from langchain_core.runnables import RunnableConfig
from langchain_core.runnables.config import var_child_runnable_config
from langgraph.graph.state import CompiledStateGraph
from langgraph.types import Durability
from langsmith import tracing_context

from .context import RunContext

Result = TypeVar("Result")


async def isolated(work: Callable[[], Awaitable[Result]]) -> Result:
    """Run `work` as a graph run of its own.

    A graph that is called inside a node takes over the node's configuration: checkpoint namespace, checkpointer, task
    ids. A testing graph has its own thread, so it must not. And a LANGSMITH_TRACING in the user's environment must not
    send prompts and code anywhere: tracing is off here, whatever the environment says.

    A cancellation of the caller cancels the work and waits for its end.
    """

    async def run() -> Result:
        with tracing_context(enabled=False):
            return await work()

    context = copy_context()
    context.run(var_child_runnable_config.set, None)
    return await asyncio.create_task(run(), context=context)


async def run_graph(
    graph: CompiledStateGraph[Any, RunContext, Any, Any], state: Any, config: RunnableConfig, context: RunContext
) -> dict[str, Any]:
    """Run a graph to its end, by itself, every checkpoint on disk before the next node begins.

    Args:
        state: what it begins with, or None to go on from its checkpoint.
    """
    # LangGraph 1.2 fails when a durability is named and there is no checkpointer.
    durability: Durability | None = "sync" if graph.checkpointer else None
    return await isolated(lambda: graph.ainvoke(state, config, context=context, durability=durability))
