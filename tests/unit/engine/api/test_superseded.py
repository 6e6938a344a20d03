"""What another test shows as well, and more, is no test of its own."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest

from testwright.engine.api.model.model import HttpAnswer, ObservedProposal, Operation, Proposal
from testwright.engine.api.probe.effects.lists import FILLED
from testwright.engine.api.write.superseded import without_superseded

pytestmark = pytest.mark.feature("T-20")


def seen(method: str, name: str, body: Any, status: int = 200, group: str = "") -> ObservedProposal:
    operation = Operation("", f"{method.lower()}_store", method, "/store")
    proposal = Proposal(operation, name, "", "success", {"method": method, "path": "/store"}, group=group)
    return ObservedProposal(proposal, (HttpAnswer(status, {}, json.dumps(body)),))


def kept(*found: ObservedProposal) -> list[str]:
    return [one.proposal.name for one in without_superseded(found)]


def test_an_update_with_the_values_of_before_goes_where_another_one_changes_something() -> None:
    same, whole = seen("PUT", "succeeds", {"name": "a"}), seen("PUT", "with_everything", {"name": "a"})
    other = seen("PUT", "put_store_with_other_values", {"name": "b"}, group="updates")
    refused = seen("PUT", "put_store_with_other_values", {"error": "taken"}, 409, group="updates")
    assert kept(same, whole, other) == ["put_store_with_other_values"]
    assert kept(same, refused) == ["succeeds", "put_store_with_other_values"]
    assert kept(seen("POST", "succeeds", {}), other) == ["succeeds", "put_store_with_other_values"]


@pytest.mark.parametrize(
    ("body", "stays"),
    [
        ([], False),
        ({"items": [], "total": 0}, False),
        ([{"id": 1}], True),
        ({"items": [1]}, True),
        ({"total": 0}, True),
    ],
)
def test_an_empty_list_goes_where_a_filled_one_is_shown(body: Any, stays: bool) -> None:
    assert ("succeeds" in kept(seen("GET", "succeeds", body), seen("GET", FILLED, [1]))) is stays
    assert kept(seen("GET", "succeeds", body)) == ["succeeds"]


def test_a_body_of_another_kind_goes_where_it_is_answered_as_none_at_all() -> None:
    missing = seen("POST", "no_body", {"error": "needed"}, 422)
    assert kept(missing, seen("POST", "wrong_media_type", {"error": "needed"}, 422)) == ["no_body"]
    assert kept(missing, seen("POST", "wrong_media_type", {"error": "media"}, 415)) == ["no_body", "wrong_media_type"]


def test_no_body_goes_where_an_empty_one_is_refused_at_the_same_place() -> None:
    def refused(name: str, loc: list[str]) -> ObservedProposal:
        return seen("POST", name, {"detail": [{"loc": loc, "input": name}]}, 422, group="broken_body")

    assert kept(refused("name_missing", ["body", "name"]), refused("no_body", ["body", "name"])) == ["name_missing"]
    assert kept(refused("name_missing", ["body", "name"]), refused("no_body", ["body"])) == ["name_missing", "no_body"]


def test_what_a_route_does_not_take_is_shown_of_one_method_of_it() -> None:
    found = [
        seen(method, "id_of_the_wrong_type", {"error": "none"}, 404, "broken_path") for method in ("GET", "DELETE")
    ]
    assert kept(*found) == ["id_of_the_wrong_type"]


def test_a_status_that_the_document_declares_is_shown_of_each_operation() -> None:
    found = [
        seen(method, "id_of_the_wrong_type", {"error": "none"}, 422, "broken_path") for method in ("GET", "DELETE")
    ]
    declaring = [
        replace(one, proposal=replace(one.proposal, operation=replace(one.proposal.operation, responses={"422": None})))
        for one in found
    ]
    assert len(without_superseded(declaring)) == 2


def test_a_reading_after_an_update_that_changes_nothing_goes_beside_one_that_does() -> None:
    empty, whole = seen("GET", "after_put_store", {}), seen("GET", "after_put_store_with_other_values", {})
    assert kept(empty, whole) == ["after_put_store_with_other_values"]
    assert kept(empty) == ["after_put_store"]


def test_a_sign_up_under_another_spelling_shows_nothing_beside_the_usual_one() -> None:
    spelt, after = (
        seen("POST", "with_a_capital_letter", {}),
        seen("POST", "with_a_capital_letter_after_a_small_one", {}),
    )
    assert kept(seen("POST", "succeeds", {}), spelt, after) == ["succeeds", "with_a_capital_letter_after_a_small_one"]
    assert kept(spelt) == ["with_a_capital_letter"]
    assert kept(after, seen("POST", "beside_another", {})) == ["with_a_capital_letter_after_a_small_one"]
