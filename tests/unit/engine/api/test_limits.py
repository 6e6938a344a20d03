"""Limits of a state, and several parts in one body."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, cast

import pytest

from testwright.engine.api.model.model import HttpAnswer, Json
from testwright.engine.api.probe.baselines import BaselineFinder
from testwright.engine.api.probe.effects.limits import limit_proposals
from testwright.engine.api.probe.effects.parts import part_proposals
from testwright.engine.api.probe.resource_model import ResourceModel
from testwright.engine.api.probe.second_values import second_things
from testwright.tests.support.engine.parts_store import Counted, by_name

pytestmark = pytest.mark.feature("T-20")


async def test_the_last_piece_is_taken_out_and_one_more_is_not(finder: BaselineFinder, world: ResourceModel) -> None:
    second = await second_things(finder, world)
    found = by_name(await limit_proposals(finder, world, second, 999))
    last, over = found["move with_the_lowest_pieces"], found["move below_the_lowest_pieces"]
    put_in = second["move"].request["body"]["content"]["pieces"]
    assert last.setup[-1]["body"]["content"] == {"pieces": put_in}
    assert last.request["body"]["content"] == {"pieces": -put_in}
    assert over.request["body"]["content"] == {"pieces": -put_in - 1}
    assert [(await finder.send((*one.setup, one.request)))[-1].status for one in (last, over)] == [200, 409]
    assert set(found) == {"move with_the_lowest_pieces", "move below_the_lowest_pieces"}


def _bounded(world: ResourceModel, **bounds: Any) -> None:
    """Let the document say more of the pieces that are moved."""
    move = world.baselines["move"]
    assert move.operation.body is not None
    schema = {"type": "object", "properties": {"pieces": {"type": "integer", **bounds}}}
    body = replace(move.operation.body, schema=schema)
    world.baselines["move"] = replace(move, operation=replace(move.operation, body=body))


@pytest.mark.parametrize("bounds", [{"minimum": -(2**63), "maximum": 2**63}, {"minimum": -1e308}])
async def test_a_limit_is_searched_for_near_zero_however_far_the_document_lets_numbers_go(
    bounds: Json, finder: BaselineFinder, world: ResourceModel
) -> None:
    second = await second_things(finder, world)
    _bounded(world, **bounds)
    sent = Counted(finder)
    found = by_name(await limit_proposals(cast(Any, sent), world, second, 999))
    assert "move below_the_lowest_pieces" in found
    assert sent.times < 50


async def test_no_more_numbers_are_sent_than_are_left(finder: BaselineFinder, world: ResourceModel) -> None:
    second, sent = await second_things(finder, world), Counted(finder)
    assert await limit_proposals(cast(Any, sent), world, second, 7) == []
    assert sent.times == 7


@pytest.mark.parametrize("bounds", [{"multipleOf": 1}, {"minimum": 0.5, "type": "number"}, {"enum": [1, -99]}])
async def test_a_number_that_the_document_refuses_is_beyond_no_limit_of_a_state(
    bounds: Json, finder: BaselineFinder, world: ResourceModel
) -> None:
    second = await second_things(finder, world)
    _bounded(world, **bounds)
    assert not [one for one in await limit_proposals(finder, world, second, 999) if one.operation.name == "move"]


async def test_of_what_is_nearly_all_booked_a_little_more_is_asked_for(
    finder: BaselineFinder, world: ResourceModel
) -> None:
    sent = finder.send

    async def bounded(requests: Sequence[Json], *, again: bool = False) -> tuple[HttpAnswer, ...]:
        answers = await sent(requests, again=again)
        contents = [(one.get("body") or {}).get("content", {}).get("pieces", 0) for one in requests]
        return answers if sum(contents) < 10 else (*answers[:-1], HttpAnswer(409))

    cast(Any, finder).send = bounded
    assert (await second_things(finder, world))["move"].request["body"]["content"] == {"pieces": 2}


async def test_several_parts_are_sent_and_read_back_in_an_order_of_their_own(
    finder: BaselineFinder, world: ResourceModel
) -> None:
    found = by_name(await part_proposals(finder, world, 99))
    assert "add with_several_codes" not in found, "what is read only is not sent"
    tags = found["add with_several_tags"].request["body"]["content"]["tags"]
    assert len(set(tags)) == 3
    assert tags not in (sorted(tags), sorted(tags, reverse=True))
    read = found["read after_add_with_several_tags"]
    assert json.loads((await finder.send((*read.setup, read.request)))[-1].text)["tags"] == tags


async def test_what_nobody_asks_for_takes_no_place_among_the_parts_that_are_tried(
    finder: BaselineFinder, world: ResourceModel
) -> None:
    assert not await part_proposals(finder, world, 99, {"stock"})
    assert set(by_name(await part_proposals(finder, world, 1, {"read"}))) == {"read after_add_with_several_tags"}
