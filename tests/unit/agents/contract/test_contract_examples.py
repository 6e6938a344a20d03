"""The examples of the contract of requests and responses, as they stand there."""

from __future__ import annotations

import asyncio
from dataclasses import FrozenInstanceError, fields

import pytest

from testwright.agents.contract.lifecycle import Agent, RequestOptions, send_request
from testwright.agents.contract.protocol import (
    AgentError,
    AgentRequest,
    AgentResponse,
    ErrorType,
    RequestMetadata,
    ResponseStatus,
    error_response,
    success_response,
    validate_response,
)

FLIGHTS = AgentRequest(
    goal="Find cheap flights",
    task="Search API",
    metadata=RequestMetadata(trace_id="trace-1", profile="production", timeout=30.0),
    inputs={"origin": "NYC", "destination": "LAX"},
)


class Connected(Agent):
    """The agent of the example: it opens a connection, works, and closes it."""

    role = "flights"
    connection = ""

    async def _start(self) -> None:
        self.connection = "open"

    async def _work(self, request: AgentRequest) -> AgentResponse:
        if not request.inputs:
            raise ValueError("no origin")
        trace = [{"event": "searched", "duration": 3, "trace_id": request.metadata.trace_id}]
        return success_response({"flights": [self.connection]}, trace=trace, metadata={"cost": 0.01})

    async def _shutdown(self) -> None:
        self.connection = "closed"


@pytest.mark.feature("C-01")
def test_a_request_has_the_fields_of_the_contract() -> None:
    assert [part.name for part in fields(AgentRequest)] == [
        *("goal", "task", "metadata"),
        *("inputs", "context", "constraints", "expected_output"),
    ]
    assert [part.name for part in fields(RequestMetadata)] == ["trace_id", "profile", "priority", "timeout"]
    assert FLIGHTS.validate() == []


@pytest.mark.feature("C-01")
def test_a_request_is_the_same_after_a_round_trip() -> None:
    original = AgentRequest(goal="Test", task="Test", metadata=RequestMetadata("test"), inputs={"key": "value"})
    restored = AgentRequest.from_dict(original.to_dict())
    assert (restored.goal, restored.inputs) == (original.goal, original.inputs)
    assert restored == original


@pytest.mark.feature("C-02", "C-04", "C-06")
async def test_an_agent_answers_with_its_result_the_trace_and_what_it_used() -> None:
    async with Connected() as agent:
        response = await agent.process(FLIGHTS)
    assert (response.status, response.result) == (ResponseStatus.SUCCESS, {"flights": ["open"]})
    assert any(event["trace_id"] == "trace-1" and event.get("duration") == 3 for event in response.trace)
    assert all(event["trace_id"] == "trace-1" for event in response.trace)
    assert {"duration_ms", "cost"} <= set(response.metadata)
    assert response.timestamp
    assert agent.connection == "closed"


@pytest.mark.feature("C-02")
def test_a_response_has_the_fields_of_the_contract() -> None:
    names = ["status", "result", "error", "trace", "metadata", "timestamp"]
    assert [part.name for part in fields(AgentResponse)] == names


@pytest.mark.feature("C-03")
def test_an_error_is_plain_data_that_nobody_changes() -> None:
    names = ["type", "message", "details", "recoverable", "retry_after", "trace_context"]
    assert [part.name for part in fields(AgentError)] == names
    error = AgentError(ErrorType.NETWORK, "gone")
    assert (error.details, error.recoverable, error.retry_after, error.trace_context) == (None, False, None, None)
    with pytest.raises(FrozenInstanceError):
        error.message = "back"  # pyrefly: ignore[read-only]


@pytest.mark.feature("C-04")
async def test_an_agent_returns_its_errors_and_raises_nothing() -> None:
    request = AgentRequest(goal="Test", task="Invalid task that will fail", metadata=RequestMetadata("test"))
    async with Connected() as agent:
        response = await agent.process(request)
    assert response.status is ResponseStatus.ERROR
    assert response.error is not None
    assert "no origin" in response.error.message


@pytest.mark.feature("C-05")
async def test_the_compliance_of_the_example_holds() -> None:
    async with Connected() as agent:
        for inputs in (None, {"origin": "NYC"}):
            request = AgentRequest(goal="Test", task="Test", metadata=RequestMetadata("test"), inputs=inputs)
            response = await agent.process(request)
            assert validate_response(response) == []
            assert (response.result is not None) is response.is_success()
            assert (response.error is not None) is response.is_error()
            assert any("test" in str(event) for event in response.trace)


@pytest.mark.feature("C-06")
async def test_an_agent_that_is_not_ready_says_so_and_asking_again_does_not_help() -> None:
    agent = Connected()
    for _ in range(2):  # before it was started, and after it was stopped
        error = (await agent.process(FLIGHTS)).error
        assert error is not None
        assert (error.type, error.recoverable) == (ErrorType.RESOURCE, False)
        assert "not ready" in error.message
        await agent.start()
        await agent.shutdown()


@pytest.mark.feature("C-06")
@pytest.mark.parametrize(
    ("error", "waits"),
    [
        (error_response(ErrorType.NETWORK, "gone", recoverable=True, retry_after=2.5), [2.5]),
        (error_response(ErrorType.NETWORK, "gone", recoverable=True), [1.0]),
        (error_response(ErrorType.EXECUTION, "wrong"), []),
    ],
    ids=["after its time", "after a second", "not at all"],
)
async def test_whoever_orchestrates_asks_again_where_the_error_says_that_it_helps(
    error: AgentResponse, waits: list[float]
) -> None:
    slept: list[float] = []
    answers = [error, success_response("found")]

    class Answers:
        async def process(self, request: AgentRequest) -> AgentResponse:
            return answers.pop(0)

    async def sleep(seconds: float) -> None:
        slept.append(seconds)
        await asyncio.sleep(0)

    response = await send_request(Answers(), FLIGHTS, role="flights", options=RequestOptions(sleep=sleep))
    assert slept == waits
    assert response.is_success() is bool(waits)
