"""Things below several parents: each test says which parent is another one, and asks for the tag of another thing."""

from __future__ import annotations

from typing import Any

import pytest

from testwright.engine.api.document.operations import api_from_document
from testwright.engine.api.model.model import HttpAnswer, Operation
from testwright.engine.api.probe.distinct import distinct_request
from testwright.engine.api.probe.effects.conditions import conditional_proposals
from testwright.engine.api.probe.lists.filled import filled_lists
from testwright.engine.api.probe.resource_model import BaselineRequest, ResourceModel
from testwright.engine.api.values.data import SampleValues
from testwright.tests.support.engine.baselines import add_baselines

pytestmark = pytest.mark.feature("T-20")

NAMED = {"type": "object", "properties": {"name": {"type": "string"}}, "required": ["name"]}
BODY = {"required": True, "content": {"application/json": {"schema": NAMED}}}
SAVES = {"add_rack": "rack_id", "add_box": "box_id", "add_note": "note_id"}


def _ids(*names: str) -> list[dict[str, Any]]:
    return [{"name": name, "in": "path", "required": True, "schema": {"type": "integer"}} for name in names]


def _posting(name: str, *ids: str) -> dict[str, Any]:
    return {"parameters": _ids(*ids), "post": {"operationId": name, "requestBody": BODY, "responses": {}}}


NOTES = "/racks/{rack_id}/boxes/{box_id}/notes"
DOCUMENT = {
    "openapi": "3.1.0",
    "paths": {
        "/racks": _posting("add_rack"),
        "/racks/{rack_id}/boxes": _posting("add_box", "rack_id"),
        NOTES: {**_posting("add_note", "rack_id", "box_id"), "get": {"operationId": "notes", "responses": {}}},
        f"{NOTES}/{{note_id}}": {
            "parameters": _ids("rack_id", "box_id", "note_id"),
            "get": {"operationId": "read", "responses": {}},
        },
    },
}


@pytest.fixture
def world() -> ResourceModel:
    api = api_from_document(DOCUMENT, path="openapi.json")
    found = ResourceModel(api, SampleValues(api.components))

    def answered(operation: Operation) -> tuple[HttpAnswer, dict[str, str]]:
        saves = {SAVES[operation.name]: "/id"} if operation.name in SAVES else {}
        return HttpAnswer(200, {"etag": '"v1"'}, '{"id": 1}'), saves

    add_baselines(found, answered)
    return found


def _others(world: ResourceModel) -> dict[str, BaselineRequest]:
    found: dict[str, BaselineRequest] = {}
    for name in SAVES:
        known = world.baselines[name]
        made = distinct_request(known, world)
        assert made is not None
        found[name] = BaselineRequest(known.operation, made[0], known.story, known.answer, made[1])
    return found


def test_a_list_below_several_parents_says_which_of_them_is_another(world: ResourceModel) -> None:
    found = [one for one in filled_lists(world, _others(world)) if one.name.startswith("lists_only")]
    assert {one.name for one in found} == {
        "lists_only_its_own_beside_another_rack",
        "lists_only_its_own_beside_another_box",
    }
    assert len(found) == 2


def test_a_tag_of_another_thing_is_that_of_one_below_the_same_parents(world: ResourceModel) -> None:
    asked = conditional_proposals(world, _others(world))
    named = [one for one in asked if one.name == "modified_for_the_tag_of_another"]
    [found] = [one for one in named if one.operation.name == "read"]
    tagged = found.setup[-1]["path_parameters"]
    assert tagged == {"rack_id": "{{rack_id}}", "box_id": "{{box_id}}", "note_id": "{{other_note_id}}"}
