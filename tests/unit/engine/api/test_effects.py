"""Totals over several things, who has made what, and sessions beside each other."""

from __future__ import annotations

import base64
import json
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, cast

import pytest

from testwright.engine.api.model.model import HttpAnswer, Json, ObservedProposal
from testwright.engine.api.probe.baselines import BaselineFinder
from testwright.engine.api.probe.distinct import _THIRD_FORMATS, other_value, third_value
from testwright.engine.api.probe.effects.conditions import conditional_proposals, heeding_conditions
from testwright.engine.api.probe.effects.makers import maker_proposals
from testwright.engine.api.probe.effects.totals import total_proposals
from testwright.engine.api.probe.lists.columns import SORTED
from testwright.engine.api.probe.lists.filled import FLAGS, filled_lists
from testwright.engine.api.probe.lists.query_effects import with_effect
from testwright.engine.api.probe.propose_relations import _opposite, relation_proposals
from testwright.engine.api.probe.resource_model import ResourceModel
from testwright.engine.api.probe.second_values import second_things, third_things
from testwright.engine.api.probe.sign_in.letter_case import letter_case_proposals
from testwright.engine.api.probe.sign_in.tokens import malformed_tokens, second_sessions
from testwright.engine.api.values.data import FORMATS, SampleValues
from testwright.engine.api.write.compose import _worth_a_case
from testwright.tests.support.engine.parts_store import TEXT, by_name

pytestmark = pytest.mark.feature("T-20")


async def test_a_total_is_read_of_several_things_of_which_two_are_of_one_kind(
    finder: BaselineFinder, world: ResourceModel
) -> None:
    second = await second_things(finder, world)
    third = await third_things(finder, world, second)
    [proposal] = [one for one in await total_proposals(finder, world, second, third, 99) if "move" in one.name]
    answers = await finder.send((*proposal.setup, proposal.request))
    amount = second["move"].request["body"]["content"]["pieces"]
    assert json.loads(answers[-1].text) == {"tool": 1 + amount + amount, "food": amount}


async def test_what_another_user_adds_is_told_of_by_a_reading_for_everybody(
    finder: BaselineFinder, world: ResourceModel
) -> None:
    reading = world.baselines["read"]
    request = {key: entry for key, entry in reading.request.items() if key != "auth"}
    world.baselines["read"] = replace(reading, request=request)
    found = by_name(await maker_proposals(finder, world, 99))
    proposal = found["read after_add_by_another_user"]
    assert "auth" not in proposal.request
    assert [step["auth"] for step in proposal.setup] == ["other_user"]


async def test_what_varies_by_itself_such_as_a_time_is_no_total(finder: BaselineFinder, world: ResourceModel) -> None:
    second = await second_things(finder, world)
    found = await total_proposals(finder, world, second, await third_things(finder, world, second), 99)
    assert {one.operation.name for one in found} == {"stock"}


async def test_a_list_is_sorted_with_a_third_member_that_is_like_the_first_but_for_its_name(
    finder: BaselineFinder, world: ResourceModel
) -> None:
    second = await second_things(finder, world)
    third = await third_things(finder, world, second)
    lists = by_name(list(filled_lists(world, second, third=third)))
    bodies = [step["body"]["content"] for step in lists["list filled_by_sort_title"].setup]
    assert [body["kind"] for body in bodies] == ["tool", "food", "tool"]
    assert bodies[0]["price"] == bodies[2]["price"]
    titles = [body["title"] for body in bodies]
    assert len(set(titles)) == 3
    assert titles not in (sorted(titles), sorted(titles, reverse=True))
    assert len(lists["list lists_what_was_made"].setup) == 3


@pytest.mark.parametrize(("first", "second"), [("Ada", "Grace"), ("title", "other title"), ("a-1", "b-2")])
def test_a_third_text_is_beyond_neither_in_an_alphabet_with_or_without_capitals(first: str, second: str) -> None:
    texts = [first, second, third_value(TEXT, first, second, SampleValues({}))]
    for key in (str, str.lower):
        assert texts not in (sorted(texts, key=key), sorted(texts, key=key, reverse=True))


@pytest.mark.parametrize("kind", _THIRD_FORMATS)
def test_a_third_text_has_the_format_of_the_first_one_and_stands_between_it_and_the_second(kind: str) -> None:
    samples, schema = SampleValues({}), {"type": "string", "format": kind}
    second = other_value(schema, FORMATS[kind], samples)
    third = third_value(schema, FORMATS[kind], second, samples)
    assert FORMATS[kind] < third < second
    # An example may be the third value itself.
    assert third_value(schema, third, second, samples) == FORMATS[kind]


def test_a_text_of_a_format_without_a_third_value_stays_as_it_is() -> None:
    assert third_value({"type": "string", "format": "ipv6"}, "::1", "::2", SampleValues({})) == "::1"


async def test_a_list_is_sorted_by_what_its_members_are_answered_with_where_that_has_an_effect(
    finder: BaselineFinder, world: ResourceModel
) -> None:
    second = await second_things(finder, world)
    lists = list(filled_lists(world, second, third=await third_things(finder, world, second)))
    tried = {one.request["query"]["sort"] for one in lists if one.group == "sorted"}
    assert {"id", "-id", "kind", "-kind", "by", "-by"} <= tried
    kept = [one for one in await with_effect(finder, world, lists, 99) if one.group == "sorted"]
    # There is no order by who made them, and that by number is the usual one.
    found = {one.request["query"]["sort"] for one in kept}
    assert found == {"title", "-title", "kind", "-kind", "price", "-price", "-id"}


async def test_an_order_that_the_application_fails_at_is_kept_and_a_refused_one_is_not(
    finder: BaselineFinder, world: ResourceModel
) -> None:
    sent = finder.send

    async def failing(requests: Sequence[Json], *, again: bool = False) -> tuple[HttpAnswer, ...]:
        answers = await sent(requests, again=again)
        by_kind = (requests[-1].get("query") or {}).get("sort") == "kind"
        return (*answers[:-1], HttpAnswer(500)) if by_kind else answers

    cast(Any, finder).send = failing
    lists = list(filled_lists(world, await second_things(finder, world)))
    kept = {one.request["query"]["sort"] for one in await with_effect(finder, world, lists, 99) if one.group == SORTED}
    assert "kind" in kept
    assert "by" not in kept


async def test_orders_take_no_place_of_flags(finder: BaselineFinder, world: ResourceModel) -> None:
    orders = [one for one in filled_lists(world, await second_things(finder, world)) if one.group == SORTED]
    # Any reading that differs from the usual one does for what a flag picks out.
    found = await with_effect(finder, world, [*orders, replace(orders[0], group=f"{FLAGS}done")], len(orders))
    assert found[-1].group == f"{FLAGS}done"


async def test_what_tells_who_has_made_it_is_read_where_another_user_has(
    finder: BaselineFinder, world: ResourceModel
) -> None:
    found = by_name(await maker_proposals(finder, world, 99))
    made = found["add by_another_user"]
    assert (made.request["auth"], made.category) == ("other_user", "success")
    read = found["read after_add_by_another_user"]
    assert [step["auth"] for step in (*read.setup, read.request)] == ["other_user", "user"]
    assert found["me as_an_administrator"].request["auth"] == "admin"
    # Moves do not tell whose they are, and stock is the same for everybody.
    assert not [name for name in found if name.startswith(("moves", "move ", "stock"))]


async def test_what_holds_something_is_emptied_before_it_is_removed_and_made_again(
    finder: BaselineFinder, world: ResourceModel
) -> None:
    again = by_name(await relation_proposals(finder, world, await second_things(finder, world), 99))[
        "moves after_the_part_was_made_again"
    ]
    assert [step["body"]["content"]["pieces"] for step in again.setup if step["path"].endswith("/moves")] == [1, -1]


@pytest.mark.parametrize(
    ("content", "schema", "expected"),
    [
        ({"pieces": 2, "part_id": 7, "year": 2024}, {}, {"pieces": -2, "part_id": 7, "year": 2024}),
        ({"pieces": 2}, {"minimum": 1}, None),
        ({"partId": 7, "urgent": True}, {}, None),
    ],
    ids=["amounts_only", "none_below_zero", "no_amount"],
)
def test_what_was_put_in_is_taken_out_by_amounts_below_zero_where_the_document_allows_them(
    content: Json, schema: Json, expected: Json | None, world: ResourceModel
) -> None:
    move = world.baselines["move"]
    assert move.operation.body is not None
    body = replace(move.operation.body, schema={"type": "object", "properties": {"pieces": schema}})
    changed = replace(
        move, operation=replace(move.operation, body=body), request={**move.request, "body": {"content": content}}
    )
    opposite = _opposite(world, changed)
    assert (opposite and opposite["body"]["content"]) == expected


async def test_a_tag_is_asked_with_after_each_field_and_after_what_is_put_in(
    finder: BaselineFinder, world: ResourceModel
) -> None:
    found = by_name(list(conditional_proposals(world, await second_things(finder, world))))
    for name in ("change_with_another_title", "change_with_another_price", "move"):
        proposal = found[f"read modified_by_{name}"]
        assert proposal.setup[-2]["save"] == {"entity_tag": "/@headers/etag"}
        assert proposal.request["headers"] == {"If-None-Match": "{{entity_tag}}"}
        assert proposal.statuses == (200,)
    assert found["read not_modified_among_several"].request["headers"]["If-None-Match"].endswith(", {{entity_tag}}")
    assert found["read modified"].statuses == (200,)
    assert found["change precondition_met"].statuses == (200,)
    outdated = found["change precondition_outdated"]
    assert outdated.setup[-1] == outdated.request
    anothers = found["read modified_for_the_tag_of_another"]
    assert anothers.setup[-1]["path_parameters"] == {"part_id": "{{other_part_id}}"}
    assert anothers.request["path_parameters"] == {"part_id": "{{part_id}}"}
    assert found["change precondition_of_another"].statuses == (412,)


async def test_of_who_heeds_no_conditions_no_conditional_test_is_kept_and_of_who_does_also_those_that_are_met(
    finder: BaselineFinder, world: ResourceModel
) -> None:
    asked = [one for one in conditional_proposals(world) if one.name in ("not_modified_for_any", "modified")]
    heedless = [ObservedProposal(one, await finder.send((*one.setup, one.request))) for one in asked]
    assert [one.answer.status for one in heedless] == [200, 200]
    assert not [one for one in heedless if _worth_a_case(one, heeding_conditions(heedless))]
    first = heedless[0]
    heedful = [replace(first, answers=(*first.answers[:-1], HttpAnswer(304))), heedless[1]]
    assert all(_worth_a_case(one, heeding_conditions(heedful)) for one in heedful)


async def test_a_second_session_goes_on_when_the_first_one_has_ended(
    finder: BaselineFinder, world: ResourceModel
) -> None:
    found = by_name(await second_sessions(finder, world, 99))
    later = found["me with_another_token_after_log_out"]
    assert [step["path"] for step in later.setup] == ["/login", "/logout"]
    assert later.request["headers"] == {"Authorization": "Bearer {{issued_token}}"}
    assert "auth" not in later.request
    assert "me with_its_first_token_after_a_second_login" in found


def _signed(claims: Json) -> str:
    return f"e30.{base64.urlsafe_b64encode(json.dumps(claims).encode()).decode().rstrip('=')}.{hash(str(claims))}"


@pytest.mark.parametrize(
    "token",
    [lambda _: "the same", lambda login: _signed({"sub": 1, "exp": login}), lambda login: f"second {login // 2}"],
    ids=["one_for_all", "only_its_time_is_its_own", "two_in_one_second"],
)
async def test_no_session_goes_on_with_a_token_that_may_be_the_first_one(
    token: Callable[[int], str], finder: BaselineFinder, world: ResourceModel
) -> None:
    cast(Any, finder).token = token
    assert set(by_name(await second_sessions(finder, world, 99))) == {"me with_its_first_token_after_a_second_login"}


async def test_tokens_with_an_id_of_their_own_are_told_apart_in_the_same_second(
    finder: BaselineFinder, world: ResourceModel
) -> None:
    cast(Any, finder).token = lambda login: _signed({"sub": 1, "exp": 7, "jti": login})
    assert "me with_another_token_after_log_out" in by_name(await second_sessions(finder, world, 99))


async def test_a_token_is_sent_without_the_word_before_it_and_with_another(world: ResourceModel) -> None:
    sent = {
        one.request["headers"]["Authorization"]: one for one in malformed_tokens(world.baselines["me"], world.users)
    }
    assert set(sent) == {"Bearer {{issued_token}}x", "{{issued_token}}", "Token {{issued_token}}"}
    assert sent["{{issued_token}}"].wants == "any"


@pytest.mark.parametrize(("email", "kinds"), [("ada@x.org", ("capital", "small")), ("Ada@x.org", ("small", "capital"))])
async def test_who_signs_up_with_a_small_letter_logs_in_with_a_capital_one_and_the_other_way_round(
    email: str, kinds: tuple[str, str], world: ResourceModel
) -> None:
    sign_up = world.baselines["sign_up"]
    content = {**sign_up.request["body"]["content"], "email": email}
    body = {**sign_up.request["body"], "content": content}
    world.baselines["sign_up"] = replace(sign_up, request={**sign_up.request, "body": body})
    found = by_name(list(letter_case_proposals(world)))
    start = "log_in with_the_name_in_another_case"
    other, usual = found[start], found[f"{start}_the_other_way_round"]
    assert [f"with a {kind} letter" in one.title for one, kind in zip((other, usual), kinds, strict=True)] == [True] * 2
    assert other.setup[0]["body"]["content"]["email"] == usual.request["body"]["content"]["email"] == email
    assert other.request["body"]["content"]["email"] == email[:1].swapcase() + email[1:]
    assert "{{" not in json.dumps(other.request)
    assert found["sign_up with_a_name_that_differs_in_case_only"].category == "state"
