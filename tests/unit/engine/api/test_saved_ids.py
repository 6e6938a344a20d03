"""The id of what a request creates is found in its answer, and no other value of it."""

from __future__ import annotations

import json
from typing import Any

import pytest

from testwright.engine.api.document.operations import api_from_document
from testwright.engine.api.model.model import HttpAnswer
from testwright.engine.api.probe.resource_model import ResourceModel
from testwright.engine.api.probe.saved_ids import find_saved_ids, makers_first
from testwright.engine.api.values.data import SampleValues

pytestmark = pytest.mark.feature("T-20")


def _saved(answer: dict[str, Any], schema: dict[str, Any]) -> dict[str, str]:
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
