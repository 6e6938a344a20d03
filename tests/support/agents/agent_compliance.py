"""The compliance suite (C-05): what every agent must do, whichever it is.

@pytest.mark.parametrize("check", COMPLIANCE, ids=lambda check: check.__name__)
async def test_my_agent_keeps_the_contract(check):
    await check(Candidate(make_agent=MyAgent, good={...}, bad={...}))
"""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Any

from testwright.agents.contract.lifecycle import Agent
from testwright.agents.contract.protocol import (
    AgentProtocol,
    AgentRequest,
    AgentResponse,
    RequestMetadata,
    ResponseStatus,
    validate_response,
)

TRACE_ID = "compliance-trace-7f3a"


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


Check = Callable[[Candidate], Awaitable[None]]


async def is_an_agent(candidate: Candidate) -> None:
    """It has the one interface."""
    assert isinstance(candidate.make_agent(), AgentProtocol)


async def answers_good_inputs_with_a_valid_success(candidate: Candidate) -> None:
    """Good inputs give a whole answer."""
    response = await candidate.answer(candidate.good)
    assert response.status in (ResponseStatus.SUCCESS, ResponseStatus.PARTIAL), response.error
    assert validate_response(response) == []
    assert response.result is not None


async def answers_bad_inputs_with_a_structured_error(candidate: Candidate) -> None:
    """Bad inputs give an error, not an exception."""
    if candidate.bad is None:
        return
    response = await candidate.answer(candidate.bad)
    assert response.status is ResponseStatus.ERROR
    assert response.error is not None
    assert response.error.message
    assert validate_response(response) == []


async def carries_the_trace_id_through(candidate: Candidate) -> None:
    """Success and error alike can be traced to their request."""
    for inputs in (candidate.good, candidate.bad):
        response = await candidate.answer(inputs)
        assert response.trace
        assert all(event["trace_id"] == TRACE_ID for event in response.trace)
        if response.error is not None:
            assert (response.error.trace_context or {})["trace_id"] == TRACE_ID


async def reports_duration_tokens_and_cost(candidate: Candidate) -> None:
    """What an answer cost is always said."""
    metadata = (await candidate.answer(candidate.good)).metadata
    assert metadata["duration_ms"] >= 0
    assert metadata["tokens"] >= 0
    assert metadata["cost"] >= 0


async def refuses_an_invalid_request_without_raising(candidate: Candidate) -> None:
    """A request without goal, or that is no request, is an error like any other."""
    async with candidate.make_agent() as agent:
        empty = await agent.process(AgentRequest(goal="", task="", metadata=RequestMetadata("")))
        foreign = await agent.process("not a request")  # type: ignore[arg-type]
    for response in (empty, foreign):
        assert response.status is ResponseStatus.ERROR
        assert response.error is not None
        assert response.error.recoverable is False


async def works_only_between_start_and_shutdown(candidate: Candidate) -> None:
    """Before and after it answers with an error, and both steps may be repeated."""
    agent = candidate.make_agent()
    assert (await agent.process(candidate.request(candidate.good))).is_error()
    await agent.start()
    await agent.start()
    assert not (await agent.process(candidate.request(candidate.good))).is_error()
    await agent.shutdown()
    await agent.shutdown()
    assert (await agent.process(candidate.request(candidate.good))).is_error()


async def gives_the_same_answer_to_the_same_request(candidate: Candidate) -> None:
    """No history: the second answer is the first one (A-06)."""
    async with candidate.make_agent() as agent:
        first = await agent.process(candidate.request(candidate.good))
        second = await agent.process(candidate.request(candidate.good))
    assert first.result == second.result


async def does_not_change_the_request(candidate: Candidate) -> None:
    """The request is the caller's."""
    request = candidate.request(candidate.good)
    before = json.dumps(request.to_dict(), sort_keys=True)
    async with candidate.make_agent() as agent:
        await agent.process(request)
    assert json.dumps(request.to_dict(), sort_keys=True) == before


async def answers_survive_serialisation(candidate: Candidate) -> None:
    """A response crosses a process boundary unchanged."""
    response = await candidate.answer(candidate.good)
    carried = AgentResponse.from_dict(json.loads(json.dumps(response.to_dict())))
    assert carried == response


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
