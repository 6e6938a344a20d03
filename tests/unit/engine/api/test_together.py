"""Readings of a list that no single change of a user fills."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from typing import cast

import pytest

from testwright.engine.api.document.auth import Credential
from testwright.engine.api.document.operations import api_from_document
from testwright.engine.api.model.model import ApiParameter, HttpAnswer, Json, Operation, Proposal
from testwright.engine.api.probe.baselines import BaselineFinder
from testwright.engine.api.probe.distinct import NO_OTHERS, Others
from testwright.engine.api.probe.effects.together import together_proposals
from testwright.engine.api.probe.resource_model import BaselineRequest, ResourceModel
from testwright.engine.api.values.data import SampleValues

pytestmark = pytest.mark.feature("T-20")
PATHS = {"/news": "post", "/follow": "post", "/ping": "post", "/feed": "get"}
STEPS = [{"method": "POST", "path": path, "auth": "user"} for path in ("/ping", "/news", "/follow")]


class Feed:
    """A feed that holds what there is, for who follows; `further`: other changes that an application knows."""

    def __init__(self, *, private: bool = True, further: int = 0) -> None:
        self.private, self.further = private, further

    async def everything(self, _: Operation) -> list[Json]:
        return [*STEPS, *({**STEPS[0], "path": f"/ping/{number}"} for number in range(self.further))]

    async def send(self, requests: Sequence[Json]) -> tuple[HttpAnswer, ...]:
        made = [(one["path"], one["auth"]) for one in requests]
        follows = any(path == "/follow" and (who == made[-1][1] or not self.private) for path, who in made)
        shown = [path for path, _ in made if path == "/news" and follows]
        return (*(HttpAnswer(201) for _ in made[1:]), HttpAnswer(200, {}, json.dumps({"news": shown})))


def world(answer: str = '{"news": []}') -> ResourceModel:
    paths = {path: {method: {"operationId": path[1:], "responses": {}}} for path, method in PATHS.items()}
    api = api_from_document({"openapi": "3.1.0", "paths": paths}, path="openapi.json")
    users = {name: Credential(name, "bearer", "TOKEN") for name in ("user", "other_user")}
    found = ResourceModel(api, SampleValues({}), users=users)
    [feed] = [one for one in api.operations if one.method == "GET"]
    request: Json = {"method": "GET", "path": "/feed", "auth": "user"}
    found.baselines[feed.name] = BaselineRequest(feed, request, (), HttpAnswer(200, {}, answer))
    return found


async def _found(
    feed: Feed, known: ResourceModel, changed: Sequence[Proposal] = (), most: int = 99, second: Others = NO_OTHERS
) -> list[Proposal]:
    return await together_proposals(cast(BaselineFinder, feed), known, changed, second, most)


async def test_a_list_that_several_changes_fill_together_is_read_after_those_alone_and_by_another_user() -> None:
    found = await _found(Feed(), world())
    assert [one.request["auth"] for one in found] == ["user", "other_user"]
    for one in found:
        assert [step["path"] for step in one.setup] == ["/news", "/follow"]


async def test_another_user_who_is_shown_the_same_is_not_asked() -> None:
    assert [one.request["auth"] for one in await _found(Feed(private=False), world())] == ["user"]


async def test_a_list_with_members_or_one_that_a_single_change_fills_is_looked_at_elsewhere() -> None:
    known = world()
    [feed] = [one.operation for one in known.baselines.values()]
    changed = Proposal(feed, "after_news", "after news", "state", {"method": "GET", "path": "/feed"})
    assert await _found(Feed(), known, [changed]) == []
    assert await _found(Feed(), world('{"news": [1]}')) == []


@pytest.mark.parametrize(("further", "is_read"), [(10, True), (60, False)])
async def test_of_very_many_changes_nobody_tries_which_are_needed(further: int, is_read: bool) -> None:
    assert bool(await _found(Feed(further=further), world())) is is_read


async def test_such_a_list_is_cut_short_where_a_second_thing_is_a_second_member() -> None:
    known = world()
    [baseline] = known.baselines.values()
    sizes = tuple(ApiParameter(name, "query", False, {"type": "integer"}) for name in ("limit", "offset", "author"))
    known.baselines["feed"] = replace(baseline, operation=replace(baseline.operation, parameters=sizes))
    news = next(one for one in known.api.operations if one.path == "/news")
    again = BaselineRequest(news, {"method": "POST", "path": "/news", "auth": "user"}, (), HttpAnswer(201))
    found = await _found(Feed(), known, second={news.name: again})
    cut = [one for one in found if one.name.startswith("filled_by")]
    assert [one.request["query"] for one in cut] == [{"limit": 1}, {"offset": 1}]
    [both] = [one for one in found if one.name == "lists_both"]
    assert both.setup == cut[0].setup
    assert "query" not in both.request
    made = [step["auth"] for step in cut[0].setup if step["path"] == "/news"]
    assert len(made) == 2
    assert made[0] == made[1]
    assert not [one for one in await _found(Feed(), known) if one.name.startswith("filled_by")]


async def test_a_list_is_cut_short_only_as_the_document_allows() -> None:
    known = world()
    [baseline] = known.baselines.values()
    schemas = {
        "limit": {"type": "integer", "minimum": 10},
        "per_page": {"enum": [10, 20]},
        "offset": {"type": "string"},
    }
    sizes = tuple(ApiParameter(name, "query", False, schema) for name, schema in schemas.items())
    known.baselines["feed"] = replace(baseline, operation=replace(baseline.operation, parameters=sizes))
    news = next(one for one in known.api.operations if one.path == "/news")
    again = BaselineRequest(news, {"method": "POST", "path": "/news", "auth": "user"}, (), HttpAnswer(201))
    found = await _found(Feed(), known, second={news.name: again})
    [cut] = [one for one in found if one.name.startswith("filled_by")]
    assert (cut.request["query"], cut.wants) == ({"offset": "1"}, "success")


async def test_a_list_of_which_there_is_no_room_to_try_what_fills_it_is_not_read() -> None:
    assert await _found(Feed(), world(), most=2) == []


async def test_a_list_that_one_change_fills_is_read_elsewhere() -> None:
    class Filled(Feed):
        async def send(self, requests: Sequence[Json]) -> tuple[HttpAnswer, ...]:
            made = [one["path"] for one in requests if one["path"] == "/news"]
            return (*(HttpAnswer(201) for _ in requests[1:]), HttpAnswer(200, {}, json.dumps({"news": made})))

    assert await _found(Filled(), world()) == []
