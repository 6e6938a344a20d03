"""Makes an agent of a function, or of an object with `process`, with lifecycle, trace and contract like any other."""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Awaitable, Callable
from typing import Any

from .lifecycle import Agent, AgentContract
from .protocol import AgentRequest, AgentResponse, success_response

AgentFunction = Callable[[AgentRequest], Any | Awaitable[Any]]
"""A request → a response, or its result."""


class FunctionAgent(Agent):
    """An agent whose work a function does; what the function raises becomes an error, as with every agent.

    A boolean is the verdict of a safety agent, None is an answer without anything in it.

    Args:
        role: names the agent in traces.
        function: async, or one that may block: it then runs in a thread.
        lifecycle: an object whose `start` and `shutdown` are called, where it has them.
        contract: the schemas to check.
    """

    role = "function"

    def __init__(
        self, role: str, function: AgentFunction, *, lifecycle: Any = None, contract: AgentContract | None = None
    ) -> None:
        super().__init__(contract=contract)
        self.name = role
        self._function = function
        self._lifecycle = lifecycle

    async def _start(self) -> None:
        await self._call("start")

    async def _shutdown(self) -> None:
        await self._call("shutdown")

    async def _call(self, name: str) -> None:
        method = getattr(self._lifecycle, name, None)
        if callable(method):
            await _awaited(method())

    async def _work(self, request: AgentRequest) -> AgentResponse:
        if inspect.iscoroutinefunction(self._function):
            answer = await self._function(request)
        else:
            answer = await _awaited(await asyncio.to_thread(self._function, request))
        if isinstance(answer, AgentResponse):
            return answer
        if isinstance(answer, bool):
            return success_response({"safe": answer})
        return success_response({} if answer is None else answer)


async def _awaited(value: Any) -> Any:
    """The value, awaited where it has to be."""
    return await value if inspect.isawaitable(value) else value
