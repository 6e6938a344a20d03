"""The id of what a request creates is found in its answer, and no other value of it."""

from __future__ import annotations

import json
from typing import Any

import pytest

from testwright.engine.api.document.operations import api_from_document
from testwright.engine.api.model.model import HttpAnswer, Json
from testwright.engine.api.probe.resource_model import BaselineRequest, ResourceModel, build_request
from testwright.engine.api.probe.saved_ids import find_saved_ids, makers_first
from testwright.engine.api.values.data import SampleValues

pytestmark = pytest.mark.feature("T-20")


def _saved(answer: Any, schema: dict[str, Any]) -> dict[str, str]:
    item = [{"name": "item_id", "in": "path", "required": True, "schema": schema}]
    document = {
        "openapi": "3.1.0",
        "paths": {
            "/carts/{cart_id}/items": {"post": {"operationId": "add", "responses": {}}},
            "/carts/{cart_id}/items/{item_id}": {
                "delete": {"operationId": "remove", "parameters": item, "responses": {}}
            },
        },
        "components": {"schemas": {"Number": {"type": "integer"}}},
    }
    api = api_from_document(document, path="openapi.json")
    add = next(operation for operation in api.operations if operation.id == "add")
    return find_saved_ids(add, api, HttpAnswer(201, {}, json.dumps(answer)), known=[1])


@pytest.mark.parametrize(
    ("answer", "kind", "saved"),
    [
        # The first item of the first cart has the number of its cart.
        ({"name": "tea", "id": 1, "cart_id": 1}, "integer", {"item_id": "/id"}),
        ({"name": "tea", "id": 1, "cartId": 1}, "integer", {"item_id": "/id"}),
        ({"name": "tea", "id": 2, "cart_id": 1}, "integer", {"item_id": "/id"}),
        ({"item_id": 1, "cart_id": 1}, "integer", {"item_id": "/item_id"}),
        # Its own name says whose it is, where the answer tells nothing of the parent.
        ({"item_id": 1, "cart": None}, "integer", {"item_id": "/item_id"}),
        # The answer is the cart.
        ({"id": 1, "user_id": 1, "items": [{"id": 7}]}, "integer", {}),
        ({"id": 1, "user_id": 1, "item_id": 7}, "integer", {"item_id": "/item_id"}),
        ({"id": 1, "name": "ada", "item_id": 7}, "integer", {"item_id": "/item_id"}),
        ({"id": 1, "name": "ada"}, "integer", {}),
        ({"id": 1, "name": "tea"}, "string", {"item_name": "/name"}),
    ],
)
def test_an_id_is_told_from_that_of_the_parent_and_from_a_name_where_numbers_are_taken(answer, kind, saved) -> None:
    assert _saved(answer, {"type": kind}) == saved


@pytest.mark.parametrize(
    "schema", [{"$ref": "#/components/schemas/Number"}, {"anyOf": [{"type": "integer"}, {"type": "null"}]}]
)
def test_no_name_is_saved_where_a_schema_takes_numbers_in_other_words(schema) -> None:
    assert _saved({"name": "tea"}, schema) == {}


def test_what_a_body_refers_to_is_created_before_it() -> None:
    def creating(*fields: str) -> dict[str, Any]:
        schema = {"type": "object", "properties": {name: {"type": "integer"} for name in fields}, "required": [*fields]}
        return {"post": {"requestBody": {"content": {"application/json": {"schema": schema}}}, "responses": {}}}

    paths = {"/items": creating("storeId"), "/prices": creating("item_id", "store_id"), "/stores": creating("number")}
    api = api_from_document({"openapi": "3.1.0", "paths": paths}, path="openapi.json")
    ordered = makers_first(ResourceModel(api, SampleValues(api.components)))
    assert [operation.path for operation in ordered] == ["/stores", "/items", "/prices"]


@pytest.mark.parametrize(
    ("answer", "saved"),
    [
        ([{"id": 7, "name": "tea"}], {"item_id": "/0/id"}),
        ({"items": [{"id": 7, "name": "tea"}]}, {"item_id": "/items/0/id"}),
        ({"line": {"id": 7, "name": "tea"}}, {"item_id": "/line/id"}),
        ({"items": [{"id": 7, "name": "tea"}, {"id": 8, "name": "milk"}]}, {}),
    ],
)
def test_the_id_is_found_in_what_wraps_and_lists_the_one_thing(answer: Any, saved: dict[str, str]) -> None:
    assert _saved(answer, {"type": "integer"}) == saved


def test_ids_in_what_a_body_wraps_and_lists_are_those_of_created_things() -> None:
    number, text = {"type": "integer"}, {"type": "string"}
    line = {"type": "object", "required": ["article_id", "note"], "properties": {"article_id": number, "note": text}}
    order = {
        "type": "object",
        "required": ["lines", "article_ids"],
        "properties": {
            "lines": {"type": "array", "minItems": 1, "items": line},
            "article_ids": {"type": "array", "minItems": 1, "items": number},
        },
    }
    wrapped = {"type": "object", "required": ["order"], "properties": {"order": order}}
    document = {
        "openapi": "3.1.0",
        "paths": {
            "/articles": {"post": {"operationId": "make", "responses": {}}},
            "/orders": {
                "post": {
                    "operationId": "order",
                    "requestBody": {"required": True, "content": {"application/json": {"schema": wrapped}}},
                    "responses": {},
                }
            },
        },
    }
    api = api_from_document(document, path="openapi.json")
    world = ResourceModel(api, SampleValues({}))
    make, ordering = (next(one for one in api.operations if one.id == name) for name in ("make", "order"))
    request: Json = {"method": "POST", "path": "/articles"}
    answer = HttpAnswer(201, {}, '{"id": 7}')
    world.baselines["make"] = BaselineRequest(make, request, (), answer, {"article_id": "/id"})
    made = build_request(world, ordering)
    assert made is not None
    sent, setup = made
    order = sent["body"]["content"]["order"]
    assert order["lines"] == [{"article_id": "{{article_id}}", "note": "note"}]
    assert order["article_ids"] == ["{{article_id}}"]
    assert [step["path"] for step in setup] == ["/articles"]
