"""Lists that have members from the start are read by what their members hold, and by page."""

from __future__ import annotations

import json
from typing import Any

import pytest

from testwright.engine.api.document.operations import api_from_document
from testwright.engine.api.model.model import HttpAnswer
from testwright.engine.api.probe.lists.stored import queries_varied, stored_lists
from testwright.engine.api.probe.resource_model import BaselineRequest, ResourceModel
from testwright.engine.api.values.data import SampleValues

pytestmark = pytest.mark.feature("T-20")

FILMS = [{"id": 1, "year": 2018, "genre": "western"}, {"id": 2, "year": 2015, "genre": "western"}]


def lists(answer: Any, **parameters: str) -> ResourceModel:
    listed = [{"name": name, "in": "query", "schema": {"type": kind}} for name, kind in parameters.items()]
    get = {"parameters": listed, "responses": {}}
    api = api_from_document({"openapi": "3.1.0", "paths": {"/films": {"get": get}}}, path="openapi.json")
    world = ResourceModel(api, SampleValues({}))
    [operation] = api.operations
    request = {"method": "GET", "path": "/films", "query": {"lang": "en"}}
    world.baselines[operation.name] = BaselineRequest(
        operation, request, (), HttpAnswer(200, {}, json.dumps(answer)), {}
    )
    return world


def queries(answer: Any, **parameters: str) -> list[dict[str, Any]]:
    varied = [proposal.request["query"] for proposal in stored_lists(lists(answer, **parameters))]
    return [{name: value for name, value in query.items() if name != "lang"} for query in varied]


def test_a_filter_takes_values_of_the_members() -> None:
    assert queries(FILMS, year="integer") == [{"year": 2018}, {"year": 2015}]


def test_a_filter_that_is_a_text_by_the_document_takes_them_as_texts() -> None:
    assert queries(FILMS, year="string") == [{"year": "2018"}, {"year": "2015"}]


def test_what_all_members_have_in_common_is_tried_last() -> None:
    assert queries([*FILMS, {"id": 3, "year": 2018, "genre": "drama"}], genre="string")[0] == {"genre": "drama"}


def test_the_first_and_the_second_page_are_read_and_a_page_of_one() -> None:
    assert queries({"films": FILMS, "count": 2}, page="string", limit="integer") == [
        {"page": "1"},
        {"page": "2"},
        {"limit": 1},
    ]


@pytest.mark.parametrize("answer", [[], FILMS[:1], {"film": FILMS[0]}, ["a", "b"]])
def test_what_lists_fewer_than_two_things_tells_no_values(answer: Any) -> None:
    assert queries(answer, year="integer") == []


def test_a_query_that_no_member_holds_is_left_to_others() -> None:
    assert queries(FILMS, status="string") == []


def test_what_the_usual_request_holds_too_is_not_what_a_reading_varies() -> None:
    world = lists(FILMS, year="integer")
    assert {name for _, name in queries_varied(world, stored_lists(world))} == {"year"}


def test_the_rarest_values_of_a_long_list_come_first() -> None:
    many = [{"year": 2000 + number % 3} for number in range(60_000)]
    assert queries([*many, {"year": 1901}], year="integer") == [{"year": 1901}, {"year": 2000}]
