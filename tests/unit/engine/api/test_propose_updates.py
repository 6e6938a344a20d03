"""Updates use other values than the creation, lists are paged and sorted, conditions are tried where there are tags."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from testwright.engine.api.document.operations import api_from_document
from testwright.engine.api.model.model import HttpAnswer, Operation
from testwright.engine.api.probe.curl import curl_lines
from testwright.engine.api.probe.effects.conditions import conditional_proposals
from testwright.engine.api.probe.lists.filled import filled_lists
from testwright.engine.api.probe.propose_updates import update_proposals
from testwright.engine.api.probe.resource_model import ResourceModel, readings_of
from testwright.engine.api.values.data import SampleValues
from testwright.engine.api.write.render_checks import SetupFunctions
from testwright.tests.support.engine.baselines import add_baselines

pytestmark = pytest.mark.feature("T-20")

BOOK = {
    "type": "object",
    "properties": {"title": {"type": "string"}, "pages": {"type": "integer"}, "password": {"type": "string"}},
    "required": ["title"],
}
BODY = {"content": {"application/json": {"schema": BOOK}}}
ONE = {"name": "id", "in": "path", "required": True, "schema": {"type": "integer"}}
QUERIES = [
    {"name": "limit", "in": "query", "schema": {"type": "integer", "default": 100}},
    {"name": "sort", "in": "query", "schema": {"type": "string"}},
]
DOCUMENT = {
    "openapi": "3.1.0",
    "paths": {
        "/books": {
            "post": {"operationId": "add", "requestBody": BODY, "responses": {}},
            "get": {"operationId": "list", "parameters": QUERIES, "responses": {}},
        },
        "/books/{id}": {
            "parameters": [ONE],
            "get": {"operationId": "read", "responses": {}},
            "put": {"operationId": "change", "requestBody": BODY, "responses": {}},
        },
    },
}


@pytest.fixture
def world() -> ResourceModel:
    return _known(DOCUMENT)


def _known(document: dict[str, Any]) -> ResourceModel:
    api = api_from_document(document, path="openapi.json")
    found = ResourceModel(api, SampleValues(api.components))
    add_baselines(found, _answered)
    return found


def _answered(operation: Operation) -> tuple[HttpAnswer, dict[str, str]]:
    answer = HttpAnswer(200, {"etag": '"v1"'} if operation.name == "read" else {}, '{"id": 1}')
    return answer, {"book_id": "/id"} if operation.method == "POST" else {}


def test_what_is_made_is_read_in_its_list_and_alone_and_what_is_changed_alone(world: ResourceModel) -> None:
    read = {
        name: {known.operation.name for known in readings_of(world, world.baselines[name].operation)}
        for name in ("add", "change")
    }
    assert read == {"add": {"list", "read"}, "change": {"read"}}


def test_an_update_has_other_values_and_is_read_back(world: ResourceModel) -> None:
    found = {(proposal.operation.name, proposal.name): proposal for proposal in update_proposals(world)}
    update = found["change", "with_other_values"].request["body"]["content"]
    made = world.baselines["add"].request["body"]["content"]
    assert update["title"] != made["title"]
    assert "password" not in update
    reading = found["read", "after_change_with_other_values"]
    assert reading.setup[-1]["body"]["content"] == update


def test_a_single_field_is_changed_while_the_others_stay(world: ResourceModel) -> None:
    found = {proposal.name: proposal for proposal in update_proposals(world) if proposal.operation.name == "change"}
    assert set(found["with_another_pages"].request["body"]["content"]) == {"title", "pages"}


def _wrapping(item: dict[str, Any]) -> dict[str, Any]:
    """An operation whose body has everything in one field."""
    schema = {"type": "object", "properties": {"book": BOOK}, "required": ["book"]}
    return {**item, "requestBody": {"content": {"application/json": {"schema": schema}}}}


def test_fields_in_an_object_of_their_own_are_changed_like_others() -> None:
    paths: dict[str, Any] = DOCUMENT["paths"]
    wrapped = {
        "/books": {**paths["/books"], "post": _wrapping(paths["/books"]["post"])},
        "/books/{id}": {**paths["/books/{id}"], "put": _wrapping(paths["/books/{id}"]["put"])},
    }
    world = _known({**DOCUMENT, "paths": wrapped})
    found = {(proposal.operation.name, proposal.name): proposal for proposal in update_proposals(world)}
    made = world.baselines["add"].request["body"]["content"]["book"]
    update = found["change", "with_another_pages"].request["body"]["content"]
    assert update["book"]["title"] == made["title"]
    assert set(update["book"]) == {"title", "pages"}
    assert found["read", "after_change_with_another_pages"].setup[-1]["body"]["content"] == update


def test_a_condition_is_tried_where_an_answer_has_an_entity_tag(world: ResourceModel) -> None:
    found = {proposal.name: proposal for proposal in conditional_proposals(world)}
    assert found["not_modified"].request["headers"] == {"If-None-Match": "{{entity_tag}}"}
    assert found["not_modified"].statuses == (304,)
    assert found["precondition_failed"].operation.name == "change"
    assert found["precondition_failed"].statuses == (412,)


def test_a_list_is_cut_short_and_sorted_both_ways(world: ResourceModel) -> None:
    queries = [proposal.request.get("query") for proposal in filled_lists(world, {})]
    assert {"limit": 1} in queries
    assert {"sort": "title"} in queries
    assert {"sort": "-title"} in queries


def test_what_changes_a_member_that_was_made_before_makes_no_other_one(world: ResourceModel) -> None:
    steps = [step for proposal in filled_lists(world, {}) for step in proposal.setup]
    assert {step["method"] for step in steps} == {"POST"}


def test_a_tag_is_read_anew_before_it_is_used(world: ResourceModel) -> None:
    [unchanged] = [one for one in conditional_proposals(world) if one.name == "not_modified"]
    assert unchanged.setup[-1]["save"] == {"entity_tag": "/@headers/etag"}
    assert unchanged.request["headers"] == {"If-None-Match": "{{entity_tag}}"}


def test_a_change_that_needs_a_tag_is_tried_without_it(world: ResourceModel) -> None:
    change = world.baselines["change"]
    tagged = {**change.request, "headers": {"If-Match": "{{entity_tag}}"}}
    world.baselines["change"] = replace(change, request=tagged)
    found = {one.name: one for one in conditional_proposals(world) if one.operation.name == "change"}
    assert found["precondition_required"].request["headers"] == {}
    assert found["precondition_required"].statuses == (428,)


def test_a_header_is_saved_by_tests_and_by_the_lines_of_a_reproduction() -> None:
    reading = {"method": "GET", "path": "/books/1", "save": {"entity_tag": "/@headers/etag"}}
    change = {"method": "PUT", "path": "/books/1", "headers": {"If-Match": "{{entity_tag}}"}}
    [step] = SetupFunctions({}, [reading]).of([reading])
    assert step.lines == ('return api.get("/books/1").succeeded().headers["etag"]',)
    saving, using = curl_lines([reading, change], {}).splitlines()
    assert saving.startswith("ENTITY_TAG=$(curl -s -i ")
    assert "-H 'If-Match: '" in using
    assert "${ENTITY_TAG}" in using
