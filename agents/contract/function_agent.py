"""Makes an agent of a function, or of an object with `process`, with lifecycle, trace and contract like any other."""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace
from typing import Any

from ...core.errors import AgentFailure, SettingsError
from ...core.request_usage import current_request_usage
from ...core.usage import ModelUsage, is_countable, usage_of
from .agent_thread import AgentThread
from .containment import as_json, in_thread
from .lifecycle import COST_KNOWN, Agent, AgentContract
from .protocol import AgentRequest, AgentResponse, ErrorType, error_response, success_response, validate_response

AgentFunction = Callable[[AgentRequest], Any | Awaitable[Any]]
"""A request → a response, or its result."""


@dataclass(frozen=True, slots=True)
class Metering:
    """How the requests to an agent count against the ceilings of its run; by default there are none.

    Attributes:
        require: called before each request; raises BudgetExhausted where a ceiling is reached.
        add: called with the tokens and cost that an answer names and no model client of ours has counted, also of one
            that is refused.
    """

    require: Callable[[], object] = lambda: None
    add: Callable[[ModelUsage], None] = lambda usage: None


class FunctionAgent(Agent):
    """An agent whose work a function does; what the function raises becomes an error, as with every agent.

    A boolean is the verdict of a safety agent, None is an answer without anything in it. An answer that is no JSON is
    an error, and so is one that comes later than the deadline. Nothing is asked once a ceiling of the run is reached.

    Args:
        role: names the agent in traces.
        function: async, or not: it runs in a thread either way, an async one in an event loop of this agent, where
            `start` and `shutdown` run as well.
        lifecycle: an object whose `start` and `shutdown` are called, where it has them.
        contract: the schemas to check.
        seconds: the deadline of one request, of `start` and of `shutdown`; None for none.
        metering: counts what its answers used.
    """

    role = "function"

    def __init__(
        self,
        role: str,
        function: AgentFunction,
        *,
        lifecycle: Any = None,
        contract: AgentContract | None = None,
        seconds: float | None = None,
        metering: Metering | None = None,
    ) -> None:
        super().__init__(contract=contract)
        self.name = role
        self._function = function
        self._lifecycle = lifecycle
        self._seconds = seconds
        self._metering = metering or Metering()
        self._thread = AgentThread()

    async def _start(self) -> None:
        try:
            await self._call("start")
        except Exception as error:
            self._thread.retire()
            raise SettingsError(
                f"The {self.name} agent cannot be started: {_described(error, self._seconds)}",
                advice="Mend its start(), or leave it out of the setting agents.",
            ) from error

    async def _shutdown(self) -> None:
        try:
            await self._call("shutdown")
            async with asyncio.timeout(self._seconds):
                await self._thread.close()
        except Exception as error:
            message = f"The {self.name} agent was not shut down: {_described(error, self._seconds)}"
            raise AgentFailure(message, advice="Mend its shutdown(); what it answered counts.") from error

    async def _call(self, name: str) -> None:
        method = getattr(self._lifecycle, name, None)
        if callable(method):
            async with asyncio.timeout(self._seconds):
                await self._called(method)

    async def _work(self, request: AgentRequest) -> AgentResponse:
        self._metering.require()
        limit, left_behind = asyncio.timeout(self._seconds), self._thread.left_behind
        try:
            async with limit:
                answer = await self._called(self._function, self._limited(request))
        except TimeoutError:
            if not limit.expired():
                raise
            # Final: what did not answer in time would only hold up the run once more.
            message = f"the {self.name} agent did not answer within {self._seconds:g} s"
            advice = "Make it faster, or raise agent_seconds below [control]."
            if self._thread.left_behind > left_behind:
                message += ", and goes on in its thread: it blocks its event loop or ignores that it was cancelled"
                advice = "Await what takes long (asyncio.to_thread for what blocks), or raise agent_seconds."
            return error_response(ErrorType.TIMEOUT, message, details={"error": "AgentFailure", "advice": advice})
        if isinstance(answer, bool):
            answer = {"safe": answer}
        if not isinstance(answer, AgentResponse):
            answer = success_response({} if answer is None else answer)
        self._count(answer)  # first: one that is refused was paid for as well
        if validate_response(answer):
            return answer  # the base class says what is wrong with it
        return as_json(answer)

    async def _called(self, function: Callable[..., Any], *arguments: Any) -> Any:
        """What a function returns, awaited where it has to be."""
        if inspect.iscoroutinefunction(function):
            return await self._thread.call(function, *arguments)
        value = await in_thread(function, *arguments)
        return await self._thread.call(_awaited, value) if inspect.isawaitable(value) else value

    def _limited(self, request: AgentRequest) -> AgentRequest:
        """The request, which names the deadline."""
        limits = [limit for limit in (self._seconds, request.metadata.timeout) if limit is not None]
        metadata = replace(request.metadata, timeout=min(limits, default=None))
        return replace(request, metadata=metadata)

    def _count(self, answer: AgentResponse) -> None:
        used, counted = usage_of(answer.metadata), current_request_usage()
        if not any(used.values()) or counted is None or counted.calls:
            return
        named = answer.metadata.get("model")
        model = named if isinstance(named, str) and named else f"own {self.name} agent"
        cost_stated = is_countable(answer.metadata.get("cost")) and answer.metadata.get(COST_KNOWN) is not False
        usage = ModelUsage(self.name, model, 1, used["tokens"], cost=used["cost"], cost_stated=cost_stated)
        counted.add(usage)
        self._metering.add(usage)


async def _awaited(work: Awaitable[Any]) -> Any:
    return await work


def _described(error: Exception, seconds: float | None) -> str:
    if isinstance(error, TimeoutError) and seconds is not None:
        return f"it took more than {seconds:g} s"
    return str(error) if isinstance(error, AgentFailure) else f"{type(error).__name__}: {error}"
