"""Running a graph by itself, also from inside another graph's node, with nothing leaving the machine."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from contextvars import copy_context
from typing import TypeVar

from langchain_core.runnables.config import var_child_runnable_config
from langsmith import tracing_context

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
