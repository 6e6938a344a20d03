"""What a body wraps in one object (`{"article": {…}}`) is varied, updated and filtered by like any other."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, cast

import pytest

from testwright.engine.api.document.operations import api_from_document
from testwright.engine.api.model.model import HttpAnswer, Json
from testwright.engine.api.probe.baselines import BaselineFinder
from testwright.engine.api.probe.distinct import distinct_request, third_request
from testwright.engine.api.probe.lists.filled import filled_lists
from testwright.engine.api.probe.propose_sequences import state_dependent_proposals
from testwright.engine.api.probe.propose_updates import update_proposals
from testwright.engine.api.probe.resource_model import BaselineRequest, ResourceModel
from testwright.engine.api.values.data import SampleValues
from testwright.tests.support.engine.baselines import add_baselines

pytestmark = pytest.mark.feature("T-20")

TAGS = {"type": "array", "items": {"type": "string"}}
ARTICLE = {
    "type": "object",
    "properties": {"title": {"type": "string"}, "tagList": TAGS, "password": {"type": "string"}},
    "required": ["title"],
}
CHANGE = {**ARTICLE, "required": []}
ONE = {"name": "slug", "in": "path", "required": True, "schema": {"type": "string"}}
TAG = {"name": "tag", "in": "query", "schema": {"type": "string"}}


def wrapping(schema: Any) -> dict[str, Any]:
    body = {"type": "object", "properties": {"article": schema}, "required": ["article"]}
    return {"requestBody": {"content": {"application/json": {"schema": body}}}, "responses": {}}


DOCUMENT = {
    "openapi": "3.1.0",
    "paths": {
        "/articles": {
            "post": {"operationId": "add", **wrapping(ARTICLE)},
            "get": {"operationId": "list", "parameters": [TAG], "responses": {}},
        },
        "/articles/{slug}": {"parameters": [ONE], "put": {"operationId": "change", **wrapping(CHANGE)}},
    },
}


@pytest.fixture
def world() -> ResourceModel:
    api = api_from_document(DOCUMENT, path="openapi.json")
    found = ResourceModel(api, SampleValues(api.components))
    answer = HttpAnswer(200, {}, '{"article": {"slug": "a"}}')
    add_baselines(found, lambda one: (answer, {"article_slug": "/article/slug"} if one.method == "POST" else {}))
    return found


def test_a_second_thing_has_other_values_and_what_may_be_left_out(world: ResourceModel) -> None:
    made = distinct_request(world.baselines["add"], world)
    assert made is not None
    assert made[0]["body"]["content"]["article"]["title"] == "other title"
    assert "tagList" in made[0]["body"]["content"]["article"]


def test_an_update_changes_what_was_made_but_for_passwords(world: ResourceModel) -> None:
    [proposal] = [one for one in update_proposals(world) if one.name == "with_other_values"]
    article = proposal.request["body"]["content"]["article"]
    assert article["title"] == "other title"
    assert "password" not in article


def test_a_third_thing_has_texts_of_its_own(world: ResourceModel) -> None:
    adding = world.baselines["add"]
    second = distinct_request(adding, world)
    assert second is not None
    other = replace(adding, request=second[0])
    third = third_request(adding, other, world)
    assert third is not None
    titles = [one["body"]["content"]["article"]["title"] for one in (adding.request, second[0], third[0])]
    assert len(set(titles)) == 3


async def test_an_update_of_the_one_thing_takes_what_one_of_several_has(world: ResourceModel) -> None:
    class Taken:
        async def send(self, requests: Sequence[Json]) -> tuple[HttpAnswer, ...]:
            return (*(HttpAnswer(201) for _ in requests[1:]), HttpAnswer(409))

    change = world.baselines["change"]
    own = replace(change, operation=replace(change.operation, path="/article"))
    world.baselines["change"] = own
    second = distinct_request(world.baselines["add"], world)
    assert second is not None
    others = {"add": replace(world.baselines["add"], request=second[0])}
    found, _ = await state_dependent_proposals(cast(BaselineFinder, Taken()), world, others, 99)
    [taken] = [one for one in found if one.name == "with_a_taken_title" and one.operation.name == "change"]
    assert taken.request["body"]["content"] == {"article": {"title": "other title"}}


def test_a_list_is_filtered_by_what_its_members_hold_in_lists(world: ResourceModel) -> None:
    adding = world.baselines["add"]
    content = {"article": {"title": "title", "tagList": ["python"]}}
    request = {**adding.request, "body": {**adding.request["body"], "content": content}}
    world.baselines["add"] = BaselineRequest(adding.operation, request, (), adding.answer, adding.saves)
    asked = [one.request.get("query") for one in filled_lists(world, {})]
    assert {"tag": "python"} in asked
    assert {"tag": "PYTHON"} in asked
    assert {"tag": "unknown"} in asked
