"""Readings of a list of what others make: it has members once a user follows who made them."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from typing import cast

import pytest

from testwright.engine.api.document.auth import Credential
from testwright.engine.api.document.operations import api_from_document
from testwright.engine.api.model.model import HttpAnswer, Json, Proposal
from testwright.engine.api.probe.baselines import BaselineFinder
from testwright.engine.api.probe.lists.feeds import feed_proposals
from testwright.engine.api.probe.resource_model import BaselineRequest, ResourceModel
from testwright.engine.api.values.data import SampleValues

pytestmark = pytest.mark.feature("T-20")
NAME = {"name": "name", "in": "path", "required": True, "schema": {"type": "string"}}
LIMIT = {"name": "limit", "in": "query", "schema": {"type": "integer"}}
FOLLOW = {"operationId": "follow", "parameters": [NAME], "responses": {}}
PATHS = {
    "/news": {"post": {"operationId": "publish", "responses": {}}},
    "/people/{name}/follow": {"post": FOLLOW, "delete": {**FOLLOW, "operationId": "unfollow"}},
    "/feed": {"get": {"operationId": "feed", "parameters": [LIMIT], "responses": {}}},
}


class Feed:
    """Shows each user the news of those whom they follow; all news, where it is not `private`."""

    def __init__(self, *, private: bool = True) -> None:
        self.private, self.sent = private, 0

    async def send(self, requests: Sequence[Json], *, again: bool = False) -> tuple[HttpAnswer, ...]:
        self.sent += 1
        news: list[str] = []
        follows = False
        for one in requests[:-1]:
            news += [one["auth"]] if one["path"] == "/news" else []
            is_user = one["path"].endswith("/follow") and one["auth"] == "user"
            follows = one["method"] == "POST" if is_user else follows
        shown = [who for who in news if not self.private or (follows and who == "other_user")]
        answer = HttpAnswer(200, {}, json.dumps({"news": shown}))
        return (*(HttpAnswer(201, {}, "{}") for _ in requests[1:]), answer)


def world() -> ResourceModel:
    api = api_from_document({"openapi": "3.1.0", "paths": PATHS}, path="openapi.json")
    found = ResourceModel(
        api, SampleValues({}), users={name: Credential(name, "bearer", "TOKEN") for name in ("user", "other_user")}
    )
    for operation in api.operations:
        request: Json = {"method": operation.method, "path": operation.path, "auth": "user"}
        if operation.path_parameters:
            request["path_parameters"] = {"name": "{{OTHER_NAME}}"}
        text = '{"news": []}' if operation.method == "GET" else "{}"
        found.baselines[operation.name] = BaselineRequest(operation, request, (), HttpAnswer(200, {}, text))
    return found


async def _found(feed: Feed, known: ResourceModel, filled: Sequence[str] = ()) -> dict[str, Proposal]:
    publish = known.baselines["publish"]
    second = {"publish": replace(publish, request={**publish.request, "headers": {"x": "2"}})}
    third = {"publish": replace(publish, request={**publish.request, "headers": {"x": "3"}})}
    found = await feed_proposals(cast(BaselineFinder, feed), known, second, third, 99, None, filled)
    return {one.name: one for one in found}


async def test_a_feed_is_read_after_a_user_follows_who_made_its_members_beside_what_the_user_made() -> None:
    feed = Feed()
    found = await _found(feed, world())
    assert set(found) == {"lists_theirs_after_follow", "after_unfollow", "filled_by_limit_1"}
    theirs = found["lists_theirs_after_follow"]
    assert [(step["path"], step["auth"]) for step in theirs.setup] == [
        ("/news", "other_user"),
        ("/news", "other_user"),
        ("/news", "user"),
        ("/people/{name}/follow", "other_user"),
        ("/people/{name}/follow", "user"),
    ]
    assert [step["path_parameters"]["name"] for step in theirs.setup[3:]] == ["{{USER_NAME}}", "{{OTHER_NAME}}"]
    answers = {name: await feed.send((*one.setup, one.request)) for name, one in found.items()}
    shown = {name: json.loads(one[-1].text)["news"] for name, one in answers.items()}
    assert shown["lists_theirs_after_follow"] == ["other_user", "other_user"]
    assert shown["after_unfollow"] == []
    assert found["filled_by_limit_1"].request["query"] == {"limit": 1}


async def test_of_several_empty_lists_each_has_its_turn() -> None:
    known = world()
    feed = known.baselines["feed"]
    other = replace(feed.operation, name="bell", path="/bell")
    known.baselines = {"bell": replace(feed, operation=other, request={**feed.request, "path": "/bell"})} | {
        **known.baselines,
        "later": replace(known.baselines["publish"], operation=replace(feed.operation, name="later", method="GET")),
    }
    assert "lists_theirs_after_follow" in await _found(Feed(), known)


async def test_a_list_that_shows_everything_is_no_feed() -> None:
    assert await _found(Feed(private=False), world()) == {}


async def test_a_list_that_other_tests_fill_is_not_tried_again() -> None:
    feed = Feed()
    assert await _found(feed, world(), ["feed"]) == {}
    assert feed.sent == 0


async def test_a_feed_is_cut_only_as_its_document_allows() -> None:
    known = world()
    feed = known.baselines["feed"]
    [limit] = feed.operation.parameters
    wide = replace(feed.operation, parameters=(replace(limit, schema={"type": "integer", "minimum": 5}),))
    known.baselines["feed"] = replace(feed, operation=wide)
    assert set(await _found(Feed(), known)) == {"lists_theirs_after_follow", "after_unfollow"}


async def test_what_the_deed_itself_puts_into_a_list_is_not_what_another_user_made() -> None:
    class Sent(Feed):
        """A list of what the user has done."""

        async def send(self, requests: Sequence[Json], *, again: bool = False) -> tuple[HttpAnswer, ...]:
            done = [one["path"] for one in requests[:-1] if one["path"].endswith("/follow")]
            return (*(HttpAnswer(201, {}, "{}") for _ in requests[1:]), HttpAnswer(200, {}, json.dumps(done)))

    assert await _found(Sent(), world()) == {}


async def test_where_a_user_may_make_nothing_beside_it_the_other_ones_thing_is_listed_alone() -> None:
    class Own(Feed):
        """Only the other user may publish."""

        async def send(self, requests: Sequence[Json], *, again: bool = False) -> tuple[HttpAnswer, ...]:
            answers = await super().send(requests, again=again)
            mine = [one["path"] == "/news" and one["auth"] == "user" for one in requests]
            return tuple(HttpAnswer(403) if is_mine else one for one, is_mine in zip(answers, mine, strict=True))

    found = await _found(Own(), world())
    assert set(found) == {"lists_theirs_after_follow", "after_unfollow"}
    assert [step["auth"] for step in found["lists_theirs_after_follow"].setup] == ["other_user", "user"]


async def test_a_list_of_values_in_a_path_names_nobody() -> None:
    known = world()
    follow = known.baselines["follow"]
    known.baselines["follow"] = replace(follow, request={**follow.request, "path_parameters": {"name": ["a", "b"]}})
    assert await _found(Feed(), known) == {}


async def test_without_another_user_nobody_is_followed() -> None:
    alone = world()
    del alone.users["other_user"]
    assert await _found(Feed(), alone) == {}
