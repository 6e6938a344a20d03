"""Whatever an agent of others does, its caller gets an answer: the process neither ends nor waits for ever."""

from __future__ import annotations

import asyncio
import math
import threading
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import pytest

from testwright.agents.contract.function_agent import FunctionAgent, Metering
from testwright.agents.contract.lifecycle import Agent, RequestOptions, send_request
from testwright.agents.contract.protocol import (
    AgentError,
    AgentRequest,
    AgentResponse,
    ErrorType,
    RequestMetadata,
    ResponseStatus,
    success_response,
)
from testwright.core.errors import AgentFailure, SettingsError
from testwright.core.request_usage import current_request_usage
from testwright.core.usage import Ceilings, ModelBudget, ModelUsage

REQUEST = AgentRequest("goal", "task", RequestMetadata("t"))


def raising(error: BaseException) -> Callable[[AgentRequest], Any]:
    def work(request: AgentRequest) -> Any:
        raise error

    return work


def raising_later(error: BaseException) -> Callable[[AgentRequest], Any]:
    async def work(request: AgentRequest) -> Any:
        raise error

    return work


async def answer_of(function: Any, **options: Any) -> AgentResponse:
    async with FunctionAgent("goal", function, **options) as agent:
        return await agent.process(REQUEST)


@pytest.mark.feature("C-06")
@pytest.mark.parametrize(
    "function",
    [
        raising(SystemExit(3)),
        raising(StopIteration()),
        raising(asyncio.CancelledError()),
        raising(KeyboardInterrupt()),
        raising_later(SystemExit(3)),
        raising_later(asyncio.CancelledError()),
        raising_later(StopIteration()),
        raising(pytest.fail.Exception("no")),
        raising_later(pytest.fail.Exception("no")),
    ],
    ids=["exit", "stop", "cancelled", "interrupt", "async exit", "async cancelled", "async stop", "fail", "async fail"],
)
async def test_what_would_end_the_run_becomes_the_agents_error(function: Any) -> None:
    response = await answer_of(function)
    assert response.status is ResponseStatus.ERROR


@pytest.mark.feature("C-06")
async def test_an_agent_without_our_base_class_ends_nothing_either() -> None:
    class Leaving:
        async def process(self, request: AgentRequest) -> AgentResponse:
            raise SystemExit("goodbye")

    response = await send_request(Leaving(), REQUEST, role="goal", options=RequestOptions())
    assert response.error is not None
    assert "SystemExit('goodbye')" in response.error.message


async def test_a_cancelled_caller_is_cancelled() -> None:
    begun, home = asyncio.Event(), asyncio.get_running_loop()

    async def work(request: AgentRequest) -> Any:
        home.call_soon_threadsafe(begun.set)
        await asyncio.Event().wait()

    async with FunctionAgent("goal", work) as agent:
        task = asyncio.ensure_future(agent.process(REQUEST))
        await begun.wait()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task


@pytest.fixture
def never() -> Iterator[threading.Event]:
    event = threading.Event()
    yield event
    event.set()


@pytest.mark.feature("C-06")
async def test_an_agent_that_never_answers_has_a_deadline_and_is_not_asked_again(never: threading.Event) -> None:
    limits: list[float | None] = []

    def blocks(request: AgentRequest) -> Any:
        limits.append(request.metadata.timeout)
        never.wait()

    async def waits(request: AgentRequest) -> Any:
        limits.append(request.metadata.timeout)
        await asyncio.Event().wait()

    for function in (blocks, waits):
        async with FunctionAgent("goal", function, seconds=0.05) as agent:
            response = await send_request(agent, REQUEST, role="goal", options=RequestOptions())
        assert response.error is not None
        assert (response.error.type, response.error.recoverable) == (ErrorType.TIMEOUT, False)
        assert "agent_seconds" in (response.error.details or {})["advice"]
    # On a busy machine the time may be over before the function was even called.
    assert set(limits) <= {0.05}


@pytest.mark.feature("C-06")
async def test_an_agent_is_told_of_its_deadline() -> None:
    async with FunctionAgent("goal", lambda request: {"limit": request.metadata.timeout}, seconds=200.0) as agent:
        response = await agent.process(REQUEST)
    assert response.result == {"limit": 200.0}


@pytest.mark.feature("C-06")
async def test_an_async_agent_that_blocks_holds_up_no_one_else(never: threading.Event) -> None:
    async def blocks(request: AgentRequest) -> Any:
        if request.task == "block":
            never.wait()
        return {"task": request.task}

    async with FunctionAgent("goal", blocks, seconds=3.0) as agent:  # enough for an answer on a busy machine
        response = await agent.process(replace(REQUEST, task="block"))
        later = await agent.process(REQUEST)
    assert response.error is not None
    assert response.error.type is ErrorType.TIMEOUT
    assert "blocks its event loop" in response.error.message
    assert later.result == {"task": "task"}, "what blocked is left behind"


@pytest.mark.feature("C-06")
@pytest.mark.parametrize("error", [SystemExit(3), KeyboardInterrupt()], ids=["exit", "interrupt"])
async def test_a_task_that_an_agent_starts_does_not_end_the_run(error: BaseException) -> None:
    async def leave() -> None:
        raise error

    async def work(request: AgentRequest) -> Any:
        if request.task != "again":
            await asyncio.gather(asyncio.create_task(leave()), asyncio.Event().wait())
        return {}

    async with FunctionAgent("goal", work) as agent:
        response = await agent.process(REQUEST)
        again = await agent.process(replace(REQUEST, task="again"))
    assert response.error is not None
    assert type(error).__name__ in response.error.message
    assert again.is_success()


async def test_a_task_that_ends_the_loop_after_its_answer_loses_no_later_request() -> None:
    async def leave() -> None:
        raise SystemExit(3)

    async def work(request: AgentRequest) -> Any:
        tasks.append(asyncio.create_task(leave()))

    tasks: list[Any] = []
    async with FunctionAgent("goal", work) as agent:
        statuses = {(await agent.process(REQUEST)).status for _ in range(5)}
    assert statuses <= {ResponseStatus.SUCCESS, ResponseStatus.ERROR}
    for task in tasks:
        if task.done() and not task.cancelled():
            assert isinstance(task.exception(), SystemExit)


async def test_all_of_an_async_agent_runs_in_one_loop() -> None:
    loops: list[Any] = []

    class Client:
        async def start(self) -> None:
            loops.append(asyncio.get_running_loop())

        async def process(self, request: AgentRequest) -> Any:
            loops.append(asyncio.get_running_loop())

        shutdown = start

    client = Client()
    async with FunctionAgent("goal", client.process, lifecycle=client) as agent:
        await asyncio.gather(*(agent.process(REQUEST) for _ in range(3)))
    assert len(loops) == 5
    assert len(set(map(id, loops))) == 1


async def test_what_the_agent_awaits_beside_its_answer_is_cancelled_with_it() -> None:
    ended: list[str] = []

    async def work(request: AgentRequest) -> Any:
        try:
            await asyncio.Event().wait()
        finally:
            ended.append("cleaned up")

    response = await answer_of(work, seconds=2.0)  # enough to begin
    assert response.error is not None
    assert "goes on" not in response.error.message
    assert ended == ["cleaned up"]


@pytest.mark.feature("C-06")
@pytest.mark.parametrize(
    ("answer", "message"),
    [
        ({1, 2}, "its result is no JSON"),
        ({"ratio": math.nan}, "its result is no JSON"),
        ({"turn": 10**30}, "its result is no JSON"),
        (success_response("ok", metadata={"about": object()}), "its metadata is no JSON"),
        (success_response("ok", trace=[{"event": b"bytes"}]), "its trace is no JSON"),
        (success_response("ok", metadata={"tokens": "many"}), "metadata.tokens: must be a number"),
        (success_response("ok", metadata={"cost": -1}), "metadata.cost: must be a number"),
        (success_response("ok", metadata={"tokens": math.inf}), "metadata.tokens: must be a number"),
    ],
)
async def test_an_answer_that_cannot_be_stored_is_an_error(answer: Any, message: str) -> None:
    response = await answer_of(lambda request: answer)
    assert response.error is not None
    found = f"{response.error.message} {(response.error.details or {}).get('errors')}"
    assert message in found


async def test_an_answer_is_what_its_json_says() -> None:
    response = await answer_of(lambda request: {"pair": (1, 2), 3: "three"})
    assert response.result == {"pair": [1, 2], "3": "three"}


class Lifecycle:
    def __init__(self, name: str, fault: Callable[[], Any]) -> None:
        setattr(self, name, fault)


def fails() -> None:
    raise RuntimeError("no database")


async def hangs() -> None:
    await asyncio.Event().wait()


@pytest.mark.feature("C-06")
@pytest.mark.parametrize(
    ("fault", "seconds", "said"), [(fails, 60.0, "RuntimeError: no database"), (hangs, 0.05, "more than 0.05 s")]
)
async def test_an_agent_that_does_not_start_or_end_says_so(fault: Any, seconds: float, said: str) -> None:
    starting = FunctionAgent("goal", print, lifecycle=Lifecycle("start", fault), seconds=seconds)
    with pytest.raises(SettingsError, match=said) as refused:
        await starting.start()
    assert refused.value.advice
    ending = FunctionAgent("goal", print, lifecycle=Lifecycle("shutdown", fault), seconds=seconds)
    await ending.start()
    with pytest.raises(AgentFailure, match=said):
        await ending.shutdown()
    assert not ending.ready


@pytest.mark.feature("C-06")
async def test_what_an_agent_says_it_used_counts_once() -> None:
    counted: list[ModelUsage] = []
    said = success_response("ok", metadata={"tokens": 40, "cost": 0.5, "model": "mine"})
    await answer_of(lambda request: said, metering=Metering(add=counted.append))
    assert [(usage.role, usage.model, usage.tokens, usage.cost) for usage in counted] == [("goal", "mine", 40, 0.5)]

    async def by_our_client(request: AgentRequest) -> AgentResponse:
        usage = current_request_usage()
        assert usage is not None
        usage.add(ModelUsage("goal", "mine", calls=1, tokens_in=40, cost=0.5))
        return said

    await answer_of(by_our_client, metering=Metering(add=counted.append))
    assert len(counted) == 1, "our model client has counted it already"


class OwnAgent(Agent):
    """An agent on our base class that names what it is given."""

    role = "goal"

    def __init__(self, metadata: dict[str, Any]) -> None:
        super().__init__()
        self._metadata = metadata

    async def _work(self, request: AgentRequest) -> AgentResponse:
        return success_response("ok", metadata=self._metadata)


@pytest.mark.feature("C-02", "B-08")
@pytest.mark.parametrize(
    ("costs", "is_stated"),
    [([0.5], True), ([0], True), ([0.0, 0.25], True), ([None], False), ([0, None], False), (["free"], False)],
)
async def test_a_cost_of_nothing_is_a_figure_and_no_cost_is_none(costs: list[Any], is_stated: bool) -> None:
    of_functions, of_agents = ModelBudget(), ModelBudget()
    for cost in costs:
        metadata = {"tokens": 40, **({} if cost is None else {"cost": cost})}
        await answer_of(lambda _, said=metadata: success_response("ok", metadata=said), metering=counting(of_functions))
        async with OwnAgent(metadata) as own:
            await answer_of(own.process, metering=counting(of_agents))
    for budget in (of_functions, of_agents):
        [usage] = budget.by_role()
        assert (usage.tokens, usage.cost_stated) == (40 * len(costs), is_stated)


def counting(budget: ModelBudget) -> Metering:
    return Metering(add=budget.add)


SPENT = {"tokens": 40, "cost": 0.5}
REFUSED = {
    "no result": AgentResponse(ResponseStatus.SUCCESS, metadata=SPENT),
    "no JSON": success_response({"file": object()}, metadata=SPENT),
    "a duration that is no number": success_response("ok", metadata={**SPENT, "duration_ms": "long"}),
    "pending": AgentResponse(ResponseStatus.PENDING, metadata=SPENT),
    "an error": AgentResponse(ResponseStatus.ERROR, error=AgentError(ErrorType.UNKNOWN, "no"), metadata=SPENT),
}


@pytest.mark.feature("C-03", "B-08")
@pytest.mark.parametrize("answer", REFUSED.values(), ids=REFUSED)
async def test_what_an_answer_that_is_refused_used_counts_in_budget_and_response(answer: AgentResponse) -> None:
    budget = ModelBudget()
    async with FunctionAgent("goal", lambda request: answer, metering=Metering(add=budget.add)) as agent:
        response = await send_request(agent, REQUEST, role="goal", options=RequestOptions())
    assert response.is_error()
    assert (response.metadata["tokens"], response.metadata["cost"]) == (40, 0.5), "the audit log reads it there"
    assert (budget.total.tokens, budget.total.cost, budget.total.calls) == (40, 0.5, 1)


@pytest.mark.feature("C-02", "B-08")
@pytest.mark.parametrize("cost", [math.nan, 10**400], ids=["no number", "more than a float holds"])
async def test_an_agent_without_our_base_class_is_paid_for_as_well_where_its_answer_is_refused(cost: float) -> None:
    class Plain:
        async def process(self, request: AgentRequest) -> AgentResponse:
            return AgentResponse(ResponseStatus.SUCCESS, metadata={"tokens": 7, "cost": cost})

    response = await send_request(Plain(), REQUEST, role="goal", options=RequestOptions())
    assert (response.metadata["tokens"], response.metadata["cost"]) == (7, 0.0)


@pytest.mark.feature("B-08")
@pytest.mark.parametrize("ceilings", [Ceilings(tokens=40), Ceilings(cost=0.5), Ceilings(seconds=0.0)])
async def test_nothing_is_asked_of_an_agent_once_a_ceiling_is_reached(ceilings: Ceilings) -> None:
    budget, asked = ModelBudget(ceilings, before=[ModelUsage("goal", "mine", 1, 40, cost=0.5)]), list[AgentRequest]()
    async with FunctionAgent("goal", asked.append, metering=Metering(budget.require, budget.add)) as agent:
        response = await agent.process(REQUEST)
    assert not asked
    assert response.error is not None
    assert (response.error.details or {})["exit_code"] == 6
    assert budget.reached
