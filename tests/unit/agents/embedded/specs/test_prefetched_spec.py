"""A spec that was begun before anybody asked for it is worked out once, and only for the question it was begun with."""

import asyncio

import pytest

from testwright.agents.embedded.specs.prefetched_spec import PrefetchedSpecGenerator
from testwright.agents.embedded.specs.spec_generator import SpecResult

pytestmark = pytest.mark.feature("T-16")

INPUTS = {"target": {"path": "a.py", "symbols": None}, "test_type": "unit", "framework": "pytest", "user_request": "a"}


class Waiting:
    """Works a spec out as soon as it may."""

    def __init__(self, fails=None):
        self.begun = asyncio.Event()
        self.may = asyncio.Event()
        self.fails = fails
        self.asked = []
        self.limits = []
        self.given_up = 0

    async def generate(self, inputs, *, seconds=None):
        self.asked.append(inputs)
        self.limits.append(seconds)
        self.begun.set()
        try:
            await self.may.wait()
        except asyncio.CancelledError:
            self.given_up += 1
            raise
        if self.fails:
            raise self.fails
        return SpecResult({"cases": [], "number": len(self.asked)})


async def test_what_was_begun_is_what_is_given_and_the_next_question_is_worked_out():
    engine = Waiting()
    ahead = PrefetchedSpecGenerator(engine)
    ahead.begin(INPUTS)
    await engine.begun.wait()
    engine.may.set()
    more = {**INPUTS, "schema": {}, "codebase_context": None, "ast_analysis": {"digest": "d"}}
    assert (await ahead.generate(more)).spec["number"] == 1
    assert engine.asked == [INPUTS]
    assert (await ahead.generate(INPUTS)).spec["number"] == 2
    await ahead.close()


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
async def test_another_question_is_worked_out_by_itself(other):
    engine = Waiting()
    engine.may.set()
    ahead = PrefetchedSpecGenerator(engine)
    ahead.begin(INPUTS)
    await ahead.generate({**INPUTS, **other})
    await ahead.generate(INPUTS)
    assert sorted(map(str, engine.asked)) == sorted(map(str, [INPUTS, {**INPUTS, **other}]))
    await ahead.close()


async def test_a_question_with_a_limit_on_time_is_worked_out_by_itself():
    engine = Waiting()
    engine.may.set()
    ahead = PrefetchedSpecGenerator(engine)
    ahead.begin(INPUTS)
    await ahead.generate(INPUTS, seconds=3.5)
    await ahead.generate(INPUTS)
    assert sorted(map(str, engine.limits)) == ["3.5", "None"]
    await ahead.close()


async def test_only_one_spec_is_begun():
    engine = Waiting()
    engine.may.set()
    ahead = PrefetchedSpecGenerator(engine)
    ahead.begin(INPUTS)
    ahead.begin({**INPUTS, "user_request": "b"})
    await ahead.generate(INPUTS)
    await ahead.close()
    assert engine.asked == [INPUTS]


async def test_what_nobody_asked_for_is_given_up_at_the_end():
    engine = Waiting()
    ahead = PrefetchedSpecGenerator(engine)
    ahead.begin(INPUTS)
    await engine.begun.wait()
    await ahead.close()
    await ahead.close()
    assert engine.given_up == 1


async def test_whoever_asks_and_goes_away_ends_the_work():
    engine = Waiting()
    ahead = PrefetchedSpecGenerator(engine)
    ahead.begin(INPUTS)
    asking = asyncio.ensure_future(ahead.generate(INPUTS))
    await engine.begun.wait()
    asking.cancel()
    with pytest.raises(asyncio.CancelledError):
        await asking
    await ahead.close()
    assert engine.given_up == 1


async def test_an_error_is_told_to_whoever_asks_and_the_next_try_is_a_new_one():
    engine = Waiting(ValueError("no"))
    engine.may.set()
    ahead = PrefetchedSpecGenerator(engine)
    ahead.begin(INPUTS)
    with pytest.raises(ValueError, match="no"):
        await ahead.generate(INPUTS)
    engine.fails = None
    assert (await ahead.generate(INPUTS)).spec["number"] == 2
    await ahead.close()


async def test_an_error_that_nobody_asked_for_is_nobodys():
    engine = Waiting(ValueError("no"))
    engine.may.set()
    ahead = PrefetchedSpecGenerator(engine)
    ahead.begin(INPUTS)
    await engine.begun.wait()
    await ahead.close()


async def test_without_a_beginning_every_question_is_worked_out():
    engine = Waiting()
    engine.may.set()
    ahead = PrefetchedSpecGenerator(engine)
    await ahead.generate(INPUTS)
    await ahead.close()
    assert engine.asked == [INPUTS]
