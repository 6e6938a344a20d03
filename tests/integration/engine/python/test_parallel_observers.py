"""Answers are learned from in the order of their trials while others are still awaited (T-16)."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from testwright.engine.python.model.model import Observation
from testwright.engine.python.model.observation_json import ObservedTrial
from testwright.engine.python.search.parallel_observers import OrderedDelivery, open_observer_pair
from testwright.tests.support.engine.exploration import facts_of, files, trial
from testwright.tests.support.engine.targets import prepared

pytestmark = pytest.mark.feature("T-16")


def seen(steps: int, *, dated: bool = False, changed: tuple[tuple[int, int], ...] = ()) -> ObservedTrial:
    """An answer that can be told from others by its steps."""
    return ObservedTrial(Observation("returned"), steps=steps, dated=dated, changed=changed)


def test_answers_that_come_in_any_order_are_told_in_theirs() -> None:
    told: list[int] = []
    order = OrderedDelivery(lambda one: told.append(one.steps))
    for index in (2, 0, 3, 1, 4):
        order.take(index, seen(index))
    assert told == [0, 1, 2, 3, 4]
    assert order.delivered == 5


@pytest.mark.parametrize("last", [seen(1, dated=True), seen(1, changed=((1, 4),))])
def test_nothing_is_told_from_the_first_on_of_which_more_is_to_be_found_out(last: ObservedTrial) -> None:
    told: list[int] = []
    order = OrderedDelivery(lambda one: told.append(one.steps))
    for index, one in ((2, seen(2)), (0, seen(0)), (1, last)):
        order.take(index, one)
    assert told == [0]
    assert order.delivered == 1


def test_two_workers_tell_every_answer_they_give_also_of_one_that_ended(tmp_path: Path) -> None:
    source = "import os\n\n\ndef half(number):\n    if number == 7:\n        os._exit(3)\n    return number / 2\n"
    trials = [trial(f"half({number})") for number in range(20)]

    async def run() -> tuple[list[ObservedTrial], dict[int, ObservedTrial]]:
        heard: dict[int, ObservedTrial] = {}
        async with (
            prepared(tmp_path, files(source)) as target,
            open_observer_pair(target, facts_of(target)) as observer,
        ):
            answers = await observer.watch(trials, on_answer=heard.__setitem__)
        return answers, heard

    answers, heard = asyncio.run(run())
    assert [heard[index] for index in range(20)] == answers
    assert answers[7].observation.outcome == "crashed"
    assert answers[8].observation.outcome == "returned"
