"""The compliance suite: what every agent must do, whichever it is. Run it over an agent of your own with pytest:

@pytest.mark.parametrize("check", COMPLIANCE, ids=lambda check: check.__name__)
async def test_my_agent_keeps_the_contract(check):
    await check(Candidate(make_agent=MyAgent, good={...}, bad={...}))
"""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Any

from .lifecycle import Agent
from .protocol import (
    AgentProtocol,
    AgentRequest,
    AgentResponse,
    RequestMetadata,
    ResponseStatus,
    validate_response,
)

TRACE_ID = "compliance-trace-7f3a"


class NotCompliant(AssertionError):
    """An agent breaks the contract, and how."""


def _require(holds: object, message: str) -> None:
    if not holds:
        raise NotCompliant(message)


@dataclass
class Candidate:
    """An agent to check.

    Attributes:
        make_agent: makes a new one, not started.
        good: inputs it can answer.
        bad: inputs it cannot; an agent that can answer anything has none.
    """

    make_agent: Callable[[], Agent]
    good: dict[str, Any] | None = None
    bad: dict[str, Any] | None = field(default_factory=lambda: {"nothing": "it knows"})

    def request(self, inputs: dict[str, Any] | None) -> AgentRequest:
        """A valid request around some inputs."""
        return AgentRequest(goal="goal", task="task", metadata=RequestMetadata(TRACE_ID), inputs=inputs)

    async def answer(self, inputs: dict[str, Any] | None) -> AgentResponse:
        """What a started agent says."""
        async with self.make_agent() as agent:
            return await agent.process(self.request(inputs))


def _require_valid(response: AgentResponse) -> None:
    problems = validate_response(response)
    _require(not problems, "; ".join(problems))


Check = Callable[[Candidate], Awaitable[None]]


async def is_an_agent(candidate: Candidate) -> None:
    """It has the one interface."""
    _require(isinstance(candidate.make_agent(), AgentProtocol), "it has no method `process`")


async def answers_good_inputs_with_a_valid_success(candidate: Candidate) -> None:
    """Good inputs give a whole answer."""
    response = await candidate.answer(candidate.good)
    _require(response.status in (ResponseStatus.SUCCESS, ResponseStatus.PARTIAL), f"it fails: {response.error}")
    _require_valid(response)


async def answers_bad_inputs_with_a_structured_error(candidate: Candidate) -> None:
    """Bad inputs give an error, not an exception."""
    if candidate.bad is None:
        return
    response = await candidate.answer(candidate.bad)
    _require(response.status is ResponseStatus.ERROR, f"it answers {response.status} to inputs that it cannot answer")
    _require_valid(response)


async def carries_the_trace_id_through(candidate: Candidate) -> None:
    """Success and error alike can be traced to their request."""
    for inputs in (candidate.good, candidate.bad):
        response = await candidate.answer(inputs)
        _require(response.trace, "the response has no trace")
        _require(all(event.get("trace_id") == TRACE_ID for event in response.trace), "an event lacks the trace id")
        if response.error is not None:
            _require((response.error.trace_context or {}).get("trace_id") == TRACE_ID, "the error lacks the trace id")


async def reports_duration_tokens_and_cost(candidate: Candidate) -> None:
    """What an answer cost is always said."""
    metadata = (await candidate.answer(candidate.good)).metadata
    for name in ("duration_ms", "tokens", "cost"):
        _require(metadata.get(name, -1) >= 0, f"the metadata have no {name}")


async def refuses_an_invalid_request_without_raising(candidate: Candidate) -> None:
    """A request without goal, or that is no request, is an error like any other."""
    async with candidate.make_agent() as agent:
        empty = await agent.process(AgentRequest(goal="", task="", metadata=RequestMetadata("")))
        foreign = await agent.process("not a request")  # pyrefly: ignore[bad-argument-type]
    for response in (empty, foreign):
        _require(response.status is ResponseStatus.ERROR, "it answers a request that is none")
        _require(response.error is not None and not response.error.recoverable, "the error is not final")


async def works_only_between_start_and_shutdown(candidate: Candidate) -> None:
    """Before and after it answers with an error, and both steps may be repeated."""
    agent = candidate.make_agent()
    _require((await agent.process(candidate.request(candidate.good))).is_error(), "it works before it was started")
    await agent.start()
    await agent.start()
    response = await agent.process(candidate.request(candidate.good))
    _require(not response.is_error(), f"it does not work once it was started: {response.error}")
    await agent.shutdown()
    await agent.shutdown()
    _require((await agent.process(candidate.request(candidate.good))).is_error(), "it works after it was shut down")


async def gives_the_same_answer_to_the_same_request(candidate: Candidate) -> None:
    """No history: the second answer is the first one."""
    async with candidate.make_agent() as agent:
        first = await agent.process(candidate.request(candidate.good))
        second = await agent.process(candidate.request(candidate.good))
    _require(first.result == second.result, "the second answer to one request differs from the first")


async def does_not_change_the_request(candidate: Candidate) -> None:
    """The request is the caller's."""
    request = candidate.request(candidate.good)
    before = json.dumps(request.to_dict(), sort_keys=True)
    async with candidate.make_agent() as agent:
        await agent.process(request)
    _require(json.dumps(request.to_dict(), sort_keys=True) == before, "it changes the request")


async def answers_survive_serialisation(candidate: Candidate) -> None:
    """A response crosses a process boundary unchanged."""
    response = await candidate.answer(candidate.good)
    carried = AgentResponse.from_dict(json.loads(json.dumps(response.to_dict())))
    _require(carried == response, "the response differs after it was written as JSON and read again")


COMPLIANCE: tuple[Check, ...] = (
    is_an_agent,
    answers_good_inputs_with_a_valid_success,
    answers_bad_inputs_with_a_structured_error,
    carries_the_trace_id_through,
    reports_duration_tokens_and_cost,
    refuses_an_invalid_request_without_raising,
    works_only_between_start_and_shutdown,
    gives_the_same_answer_to_the_same_request,
    does_not_change_the_request,
    answers_survive_serialisation,
)
