"""Which values a list is filtered by: those of its members, and what an example says besides."""

from __future__ import annotations

from typing import Any

import pytest

from testwright.engine.api.document.operations import api_from_document
from testwright.engine.api.probe.lists.filled import _separating_values
from testwright.engine.api.probe.resource_model import ResourceModel
from testwright.engine.api.values import paging
from testwright.engine.api.values.data import SampleValues

pytestmark = pytest.mark.feature("T-20")


def values(name: str, schema: dict[str, Any], member: Any) -> list[Any]:
    parameter = {"name": name, "in": "query", "schema": schema}
    operation = {"operationId": "list", "parameters": [parameter], "responses": {}}
    api = api_from_document({"openapi": "3.1.0", "paths": {"/things": {"get": operation}}}, path="openapi.json")
    world = ResourceModel(api, SampleValues(api.components))
    story = [{"method": "POST", "path": "/things", "body": {"content": {name: member}}}]
    return _separating_values(world, api.operations[0].parameters[0], story)


@pytest.mark.parametrize(
    "name", ["limit", "pageSize", "per_page", "items_per_page", "offset", "$skip", "_start", "page"]
)
def test_a_whole_word_that_counts_or_pages_is_no_property(name: str) -> None:
    assert paging.cuts(name)
    assert 500 not in values(name, {"type": "integer"}, 500)


@pytest.mark.parametrize("name", ["credit_limit", "start_date", "shoe_size", "page_title", "restart", "discount"])
def test_a_name_that_only_holds_such_a_word_is_one(name: str) -> None:
    assert not paging.cuts(name)
    assert 500 in values(name, {"type": "integer"}, 500)


@pytest.mark.parametrize(
    ("name", "sorted_by"),
    [("sort", True), ("_sort", True), ("$orderby", True), ("order_by", True), ("sorted", False), ("reorder", False)],
)
def test_a_query_sorts_by_its_name_whatever_sign_stands_before_it(name: str, sorted_by: bool) -> None:
    assert paging.sorts(name) is sorted_by


def test_choices_and_dates_are_values_of_members_whatever_they_are_called() -> None:
    assert values("size", {"enum": ["S", "M", "L"]}, "M")[:1] == ["M"]
    assert "L" in values("size", {"enum": ["S", "M", "L"]}, "M")
    assert "2026-01-05" in values("start", {"type": "string", "format": "date"}, "2026-01-05")


def test_examples_are_added_to_the_values_of_members_where_they_are_a_list() -> None:
    assert {9, 500, 501} <= set(values("price", {"type": "integer", "examples": [9]}, 500))
    assert {"open", "closed"} <= set(values("status", {"enum": ["open", "closed"], "examples": ["open"]}, "open"))
    assert {"shoes", "Ada"} <= set(values("q", {"type": "string", "examples": ["shoes"]}, "Ada"))
    for examples in ("open", 5, {"a": {"value": "open"}}):
        assert "held" in values("status", {"type": "string", "examples": examples}, "held")


def test_an_empty_object_that_stands_for_what_was_not_given_is_no_value_of_a_text() -> None:
    empty = {"type": "object", "properties": {}}
    schema = {"anyOf": [{"type": "string", "format": "email"}, {"type": "null"}, empty], "default": {}}
    assert SampleValues({}).value(schema, "email") == "ada@example.com"
    assert SampleValues({}).value({"type": "string", "default": "usual"}, "mode") == "usual"
