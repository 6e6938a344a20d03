"""The base of every agent: nothing is raised, contracts hold, time and trace are complete."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import pytest

from testwright.agents.contract.lifecycle import Agent, AgentContract, AgentState
from testwright.agents.contract.protocol import (
    AgentError,
    AgentRequest,
    AgentResponse,
    ErrorType,
    RequestMetadata,
    ResponseStatus,
    partial_response,
    success_response,
)
from testwright.core import errors


class _Agent(Agent):
    role = "probe"

    def __init__(self, work: Callable[[AgentRequest], Any], **more: Any) -> None:
        super().__init__(**more)
        self._do = work

    async def _work(self, request: AgentRequest) -> Any:
        answer = self._do(request)
        return await answer if asyncio.iscoroutine(answer) else answer


def _request(inputs: dict[str, Any] | None = None, timeout: float | None = None) -> AgentRequest:
    return AgentRequest("goal", "task", RequestMetadata("t-9", timeout=timeout), inputs=inputs)


async def _answer(
    work: Callable[[AgentRequest], Any], request: AgentRequest | None = None, **more: Any
) -> AgentResponse:
    async with _Agent(work, **more) as agent:
        return await agent.process(request or _request())


def _raise(error: BaseException) -> Callable[[AgentRequest], Any]:
    def work(request: AgentRequest) -> Any:
        raise error

    return work


@pytest.mark.feature("C-04")
@pytest.mark.parametrize(
    ("raised", "kind", "recoverable"),
    [
        (errors.MalformedLlmOutput("no JSON"), ErrorType.EXECUTION, True),
        (errors.SchemaValidationError("wrong shape"), ErrorType.VALIDATION, False),
        (errors.ToolTimeout("slow tool"), ErrorType.TIMEOUT, True),
        (errors.ToolFailure("broken tool"), ErrorType.EXECUTION, False),
        (errors.RequestError("names nothing"), ErrorType.VALIDATION, False),
        (errors.SandboxUnavailable("no bwrap"), ErrorType.RESOURCE, False),
        (errors.StoreFull("disk full"), ErrorType.RESOURCE, False),
        (TimeoutError("late"), ErrorType.TIMEOUT, True),
        (ConnectionResetError("reset"), ErrorType.NETWORK, True),
        (PermissionError("mine"), ErrorType.PERMISSION, False),
        (OSError("io"), ErrorType.RESOURCE, False),
        (KeyError("x"), ErrorType.UNKNOWN, False),
    ],
)
async def test_what_an_agent_raises_becomes_a_typed_error(
    raised: Exception, kind: ErrorType, recoverable: bool
) -> None:
    error = (await _answer(_raise(raised))).error
    assert error is not None
    assert (error.type, error.recoverable) == (kind, recoverable)
    assert (error.details or {})["error"] == type(raised).__name__
    assert str(raised.args[0]) in error.message


@pytest.mark.feature("C-03")
async def test_an_error_of_ours_keeps_its_advice_details_and_exit_code() -> None:
    raised = errors.SandboxUnavailable("no bwrap", advice="install it", details={"looked": ["/usr/bin"]})
    error = (await _answer(_raise(raised))).error
    assert error is not None
    assert error.details == {
        "looked": ["/usr/bin"],
        "error": "SandboxUnavailable",
        "advice": "install it",
        "exit_code": 3,
    }


@pytest.mark.feature("C-04")
async def test_an_agent_that_never_answers_is_stopped_at_its_timeout() -> None:
    async def forever(request: AgentRequest) -> Any:
        await asyncio.Event().wait()

    response = await _answer(forever, _request(timeout=0.01))
    assert response.error is not None
    assert response.error.type is ErrorType.TIMEOUT
    assert response.error.recoverable


@pytest.mark.feature("C-04")
async def test_a_cancellation_of_the_caller_passes_through() -> None:
    started = asyncio.Event()

    async def forever(request: AgentRequest) -> Any:
        started.set()
        await asyncio.Event().wait()

    task = asyncio.create_task(_answer(forever))
    await started.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task


@pytest.mark.feature("C-04")
async def test_trace_and_metadata_are_completed_around_what_the_agent_says() -> None:
    times = iter([10.0, 10.25])

    def work(request: AgentRequest) -> AgentResponse:
        return success_response({"a": 1}, trace=[{"event": "asked"}], metadata={"tokens": 7, "cost": 0.5, "model": "m"})

    response = await _answer(work, clock=lambda: next(times))
    assert [event["event"] for event in response.trace] == ["started", "asked", "ended"]
    assert {event["trace_id"] for event in response.trace} == {"t-9"}
    assert response.metadata == {"agent": "probe", "tokens": 7, "cost": 0.5, "model": "m", "duration_ms": 250.0}


@pytest.mark.feature("C-02")
async def test_a_partial_answer_stays_partial() -> None:
    why = AgentError(ErrorType.TIMEOUT, "half done")
    response = await _answer(lambda request: partial_response({"a": 1}, why))
    assert response.status is ResponseStatus.PARTIAL
    assert response.error is not None
    assert response.error.trace_context == {"agent": "probe", "trace_id": "t-9"}


async def test_an_answer_that_is_no_valid_response_is_an_error() -> None:
    response = await _answer(lambda request: AgentResponse(ResponseStatus.SUCCESS))
    assert response.is_error()
    assert response.error is not None
    assert response.error.type is ErrorType.VALIDATION


def _contract(**more: str) -> AgentContract:
    def validate(schema: str, value: Any) -> list[dict[str, Any]]:
        known = {"in.json": "question", "out.json": "answer"}[schema]
        return [] if isinstance(value, dict) and known in value else [{"path": f"$.{known}", "message": "is missing"}]

    return AgentContract(validate=validate, **more)


@pytest.mark.feature("A-05")
async def test_inputs_that_break_the_contract_never_reach_the_agent() -> None:
    reached: list[AgentRequest] = []
    response = await _answer(reached.append, _request({"other": 1}), contract=_contract(input_schema="in.json"))
    assert reached == []
    assert response.error is not None
    assert (response.error.details or {})["errors"] == [{"path": "$.question", "message": "is missing"}]


@pytest.mark.feature("A-05")
async def test_the_payload_and_parameters_of_an_envelope_are_what_the_contract_is_about() -> None:
    envelope = {"run_id": "r", "upstream": {}, "payload": {"question": "q"}, "parameters": {}}
    contract = _contract(input_schema="in.json")
    assert (await _answer(lambda request: {"a": 1}, _request(envelope), contract=contract)).is_success()


@pytest.mark.feature("A-03")
async def test_a_result_that_breaks_the_contract_is_not_retryable_and_keeps_what_it_cost() -> None:
    def work(request: AgentRequest) -> AgentResponse:
        return success_response({"wrong": 1}, metadata={"tokens": 5})

    response = await _answer(work, contract=_contract(output_schema="out.json"))
    assert response.error is not None
    assert (response.error.type, response.error.recoverable) == (ErrorType.VALIDATION, False)
    assert response.metadata["tokens"] == 5


@pytest.mark.feature("C-06")
async def test_an_agent_is_created_ready_and_stopped_in_turn() -> None:
    agent = _Agent(lambda request: {"a": 1})
    seen = [agent.state]
    async with agent:
        seen.append(agent.state)
    seen.append(agent.state)
    assert seen == [AgentState.CREATED, AgentState.READY, AgentState.STOPPED]


@pytest.mark.feature("C-06")
async def test_an_agent_whose_start_fails_is_not_ready() -> None:
    class Broken(_Agent):
        async def _start(self) -> None:
            raise OSError("no connection")

    agent = Broken(lambda request: {"a": 1})
    with pytest.raises(OSError, match="no connection"):
        await agent.start()
    assert not agent.ready
