"""Makes an agent of a plain function."""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Awaitable, Callable
from typing import Any

from .lifecycle import Agent
from .protocol import AgentRequest, AgentResponse, success_response

AgentFunction = Callable[[AgentRequest], Any | Awaitable[Any]]
"""A request → a response, or its result."""


class FunctionAgent(Agent):
    """An agent whose work a function does; what the function raises becomes an error, as with every agent.

    A boolean is the verdict of a safety agent, None is an answer without anything in it.

    Args:
        role: names the agent in traces.
        function: async, or one that may block: it then runs in a thread.
    """

    role = "function"

    def __init__(self, role: str, function: AgentFunction) -> None:
        super().__init__()
        self.name = role
        self._function = function

    async def _work(self, request: AgentRequest) -> AgentResponse:
        if inspect.iscoroutinefunction(self._function):
            answer = await self._function(request)
        else:
            answer = await asyncio.to_thread(self._function, request)
        if isinstance(answer, AgentResponse):
            return answer
        if isinstance(answer, bool):
            return success_response({"safe": answer})
        return success_response({} if answer is None else answer)
