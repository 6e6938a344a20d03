"""A spec that was started early is generated once, and answers only the request that it was started for."""

import asyncio

import pytest

from testwright.agents.contract.protocol import AgentRequest, RequestMetadata
from testwright.agents.embedded.specs.spec_agent import EmbeddedSpecAgent, PrefetchedSpec, SpecResult

pytestmark = pytest.mark.feature("T-16")

INPUTS = {"target": {"path": "a.py", "symbols": None}, "test_type": "unit", "framework": "pytest", "user_request": "a"}


class Waiting:
    """Generates a spec as soon as it may."""

    def __init__(self, fails=None):
        self.begun = asyncio.Event()
        self.may = asyncio.Event()
        self.fails = fails
        self.requests = []
        self.limits = []
        self.cancelled = 0

    async def generate(self, inputs, *, seconds=None):
        self.requests.append(inputs)
        self.limits.append(seconds)
        self.begun.set()
        try:
            await self.may.wait()
        except asyncio.CancelledError:
            self.cancelled += 1
            raise
        if self.fails:
            raise self.fails
        return SpecResult({"cases": [], "number": len(self.requests)})


@pytest.fixture
async def prefetched():
    spec = PrefetchedSpec()
    yield spec
    await spec.close()


async def answer(engine, prefetched, inputs, seconds=None):
    """The agent's answer to a request."""
    async with EmbeddedSpecAgent({"unit": engine, "integration": engine}, prefetched=prefetched) as agent:
        limit = {} if seconds is None else {"seconds": seconds}
        return await agent.process(AgentRequest("goal", "specify", RequestMetadata("t"), inputs, constraints=limit))


async def test_the_started_spec_answers_its_request_and_the_next_request_is_generated(prefetched):
    engine = Waiting()
    prefetched.begin(engine, INPUTS)
    await engine.begun.wait()
    engine.may.set()
    more = {**INPUTS, "schema": {}, "codebase_context": None, "ast_analysis": {"digest": "d"}}
    assert (await answer(engine, prefetched, more)).result["spec"]["number"] == 1
    assert engine.requests == [INPUTS]
    assert (await answer(engine, prefetched, INPUTS)).result["spec"]["number"] == 2


@pytest.mark.parametrize(
    "other",
    [
        {"target": {"path": "b.py", "symbols": None}},
        {"target": {"path": "a.py", "symbols": ["f"]}},
        {"framework": "unittest"},
        {"test_type": "integration"},
        {"user_request": "b"},
    ],
)
async def test_another_request_is_generated_by_itself(prefetched, other):
    engine = Waiting()
    engine.may.set()
    prefetched.begin(engine, INPUTS)
    await answer(engine, prefetched, {**INPUTS, **other})
    await answer(engine, prefetched, INPUTS)
    assert sorted(map(str, engine.requests)) == sorted(map(str, [INPUTS, {**INPUTS, **other}]))


async def test_a_request_with_a_limit_on_time_is_generated_by_itself(prefetched):
    engine = Waiting()
    engine.may.set()
    prefetched.begin(engine, INPUTS)
    await answer(engine, prefetched, INPUTS, seconds=3.5)
    await answer(engine, prefetched, INPUTS)
    assert sorted(map(str, engine.limits)) == ["3.5", "None"]


async def test_only_one_spec_is_started(prefetched):
    engine = Waiting()
    engine.may.set()
    prefetched.begin(engine, INPUTS)
    prefetched.begin(engine, {**INPUTS, "user_request": "b"})
    await answer(engine, prefetched, INPUTS)
    assert engine.requests == [INPUTS]


async def test_a_spec_that_is_not_requested_is_cancelled_at_the_end(prefetched):
    engine = Waiting()
    prefetched.begin(engine, INPUTS)
    await engine.begun.wait()
    await prefetched.close()
    await prefetched.close()
    assert engine.cancelled == 1


async def test_cancelling_the_request_cancels_the_work(prefetched):
    engine = Waiting()
    prefetched.begin(engine, INPUTS)
    request = asyncio.ensure_future(answer(engine, prefetched, INPUTS))
    await engine.begun.wait()
    request.cancel()
    with pytest.raises(asyncio.CancelledError):
        await request
    await prefetched.close()
    assert engine.cancelled == 1


async def test_an_error_reaches_the_request_and_the_next_request_tries_again(prefetched):
    engine = Waiting(ValueError("no"))
    engine.may.set()
    prefetched.begin(engine, INPUTS)
    failed = await answer(engine, prefetched, INPUTS)
    assert failed.error is not None
    assert "no" in failed.error.message
    engine.fails = None
    assert (await answer(engine, prefetched, INPUTS)).result["spec"]["number"] == 2


async def test_an_error_of_a_spec_that_is_not_requested_is_dropped(prefetched):
    engine = Waiting(ValueError("no"))
    engine.may.set()
    prefetched.begin(engine, INPUTS)
    await engine.begun.wait()
    await prefetched.close()


async def test_without_a_started_spec_every_request_is_generated(prefetched):
    engine = Waiting()
    engine.may.set()
    await answer(engine, prefetched, INPUTS)
    assert engine.requests == [INPUTS]
