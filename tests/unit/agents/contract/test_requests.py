"""Requests to agents: which are repeated, after how long, and what is recorded."""

from __future__ import annotations

from typing import Any

import pytest

from testwright.agents.contract.lifecycle import AgentAttempt, AgentRetryPolicy, RequestOptions, send_request
from testwright.agents.contract.protocol import (
    AgentError,
    AgentRequest,
    AgentResponse,
    ErrorType,
    RequestMetadata,
    error_response,
    success_response,
)
from testwright.tests.support.agents.scripted_agents import Answer, ScriptError, scripted

REQUEST = AgentRequest("goal", "task", RequestMetadata("t"))


def _fails(
    kind: ErrorType = ErrorType.NETWORK, *, after: float | None = None, recoverable: bool = True
) -> AgentResponse:
    return error_response(kind, f"{kind} trouble", recoverable=recoverable, retry_after=after, metadata={"tokens": 2})


async def _send(
    *answers: Answer, policy: AgentRetryPolicy | None = None
) -> tuple[AgentResponse, list[float], list[AgentAttempt]]:
    waits: list[float] = []
    records: list[AgentAttempt] = []

    async def sleep(seconds: float) -> None:
        waits.append(seconds)

    options = RequestOptions(
        policy=policy or AgentRetryPolicy(), sleep=sleep, chance=lambda: 1.0, record=records.append
    )
    with scripted(agent=answers) as agents:
        return await send_request(agents["agent"], REQUEST, role="agent", options=options), waits, records


@pytest.mark.feature("C-06")
async def test_a_good_answer_is_asked_for_once() -> None:
    response, waits, records = await _send({"a": 1})
    assert response.result == {"a": 1}
    assert waits == []
    assert [(record.attempt, record.reason, record.wait) for record in records] == [(1, "first", None)]


@pytest.mark.feature("C-06")
async def test_a_recoverable_error_is_asked_again_after_the_time_it_names() -> None:
    response, waits, _ = await _send(_fails(after=7.5), {"a": 1})
    assert response.is_success()
    assert waits == [7.5]


@pytest.mark.feature("C-06")
async def test_a_recoverable_error_that_names_no_time_is_asked_again_after_one_second() -> None:
    _, waits, _ = await _send(_fails(), {"a": 1})
    assert waits == [1.0]


@pytest.mark.feature("T-15")
async def test_waits_between_transient_errors_grow_with_jitter() -> None:
    response, waits, _ = await _send(_fails(), _fails(), _fails(), {"a": 1}, policy=AgentRetryPolicy(attempts=4))
    assert response.is_success()
    assert waits == [1.0, 2.5, 5.0]


@pytest.mark.feature("T-15")
async def test_waits_after_a_malformed_answer_do_not_grow() -> None:
    bad = ErrorType.EXECUTION
    _, waits, _ = await _send(_fails(bad), _fails(bad), {"a": 1})
    assert waits == [1.0, 1.0]


@pytest.mark.feature("C-06")
async def test_an_error_that_is_not_recoverable_is_given_back_at_once() -> None:
    response, waits, _ = await _send(_fails(recoverable=False))
    assert response.is_error()
    assert waits == []


async def test_the_last_error_is_given_back_when_the_attempts_are_used_up() -> None:
    response, waits, _ = await _send(_fails(), _fails(), _fails(ErrorType.TIMEOUT))
    assert response.error is not None
    assert response.error.type is ErrorType.TIMEOUT
    assert len(waits) == 2


async def test_an_error_that_asks_for_too_long_a_wait_is_given_back() -> None:
    response, waits, _ = await _send(_fails(after=3600.0))
    assert response.is_error()
    assert waits == []


@pytest.mark.feature("T-15")
async def test_every_attempt_is_recorded_with_the_reason_for_it() -> None:
    _, _, records = await _send(_fails(), {"a": 1})
    assert [(record.attempt, record.reason, record.wait) for record in records] == [
        (1, "first", 1.0),
        (2, "network trouble", None),
    ]


async def test_tokens_and_cost_of_all_attempts_are_added_up() -> None:
    response, _, _ = await _send(_fails(), success_response({"a": 1}, metadata={"tokens": 5, "cost": 0.25}))
    assert (response.metadata["tokens"], response.metadata["cost"], response.metadata["attempts"]) == (7, 0.25, 2)


async def test_an_agent_of_others_that_raises_is_an_error_like_any_other() -> None:
    response, _, _ = await _send(ValueError("boom"))
    assert response.error is not None
    assert response.error.type is ErrorType.UNKNOWN
    assert "boom" in response.error.message


async def test_an_agent_that_answers_with_something_else_breaks_the_protocol() -> None:
    class Wrong:
        async def process(self, request: AgentRequest) -> Any:
            return {"status": "success"}

    response = await send_request(Wrong(), REQUEST, role="wrong", options=RequestOptions())
    assert response.error is not None
    assert "broke the agent protocol" in response.error.message


@pytest.mark.feature("P-12")
async def test_a_scripted_agent_refuses_to_answer_more_often_than_written() -> None:
    with scripted(agent=[]) as agents, pytest.raises(ScriptError, match="asked 1 times, has 0"):
        await send_request(agents["agent"], REQUEST, role="agent", options=RequestOptions())


@pytest.mark.feature("P-12")
def test_a_scripted_agent_complains_about_answers_nobody_asked_for() -> None:
    with pytest.raises(ScriptError, match="asked 0 times, has 1"), scripted(agent=[{"a": 1}]):
        pass


def test_the_wait_after_a_transient_error_never_exceeds_the_longest() -> None:
    error = AgentError(ErrorType.NETWORK, "x", recoverable=True)
    assert AgentRetryPolicy(longest_wait=3.0).wait_after(error, 9, 1.0) == 3.0
