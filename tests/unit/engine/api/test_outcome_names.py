"""Tests are named by what came of their requests."""

from __future__ import annotations

import json
from typing import Any

import pytest

from testwright.engine.api.model.model import ApiParameter, HttpAnswer, ObservedProposal, Operation, Proposal
from testwright.engine.api.probe.propose import PUT_UNKNOWN
from testwright.engine.api.write.outcome_names import named_by_outcome

pytestmark = pytest.mark.feature("T-20")


def named(method: str, name: str, group: str, body: Any, status: int = 200, **request: Any) -> Proposal:
    operation = Operation("", "store", method, "/store/{id}", (ApiParameter("id", "path", True, True),))
    title, asked = f"{method} /store/{{id}} {name}", {"method": method, **request}
    proposal = Proposal(operation, name, title, "not_found", asked, group=group)
    seen = ObservedProposal(proposal, (HttpAnswer(status, {}, json.dumps(body)),))
    return named_by_outcome(seen, {("store", "after_change_with_another_title_by_its_new_id")}).proposal


def test_an_update_by_an_unknown_id_that_makes_the_thing_is_a_success() -> None:
    made = named("PUT", "unknown_id", PUT_UNKNOWN, {"id": 7}, 201)
    assert (made.name, made.category, made.group) == ("makes_what_was_not_there", "success", "")
    assert made.title == "PUT /store/{id} makes what was not there"


def test_one_that_is_refused_knows_no_such_id() -> None:
    refused = named("PUT", "unknown_id", PUT_UNKNOWN, {}, 404)
    assert (refused.name, refused.category, refused.group) == ("unknown_id", "not_found", "")


@pytest.mark.parametrize(
    ("body", "status", "group"),
    [
        ([1], 200, "filters"),
        ({"data": {"rows": [1]}}, 200, "filters"),
        ({"total": 3}, 200, "filters"),
        ([], 200, "finds_nothing"),
        ({}, 404, "unknown_filters"),
        ({}, 422, "unfit_queries"),
    ],
)
def test_filters_that_find_nothing_or_are_refused_have_tables_of_their_own(body: Any, status: int, group: str) -> None:
    assert named("GET", "filled_by_tag_x", "filters", body, status).group == group


def test_a_page_is_named_by_how_much_it_shows() -> None:
    page = named("GET", "filled_by_limit_1", "pages", {"rows": [1, 2]}, query={"limit": 2, "offset": 1, "tag": "x"})
    assert page.name == "shows_2_with_limit_2_and_offset_1"
    assert page.title == "GET /store/{id} shows 2 with limit 2 and offset 1"
    columns = named("GET", "filled_by_limit_1", "pages", {"rows": [1], "columns": ["a", "b"]}, query={"limit": 1})
    assert columns.name == "with_limit_1"


def test_what_an_update_gives_another_id_is_gone_from_its_old_one() -> None:
    gone = named("GET", "after_change_with_another_title", "", {}, 404)
    assert gone.name == "is_gone_from_its_old_id_after_change_with_another_title"
    assert named("GET", "after_change_with_another_title", "", {"title": "b"}).name == "after_change_with_another_title"
    assert named("GET", "after_remove", "", {}, 404).name == "after_remove"
    # What is no longer shown under another title may just be hidden.
    assert named("GET", "after_change_with_another_flag", "", {}, 404).name == "after_change_with_another_flag"
