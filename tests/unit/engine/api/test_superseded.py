"""What another test shows as well, and more, is no test of its own."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest

from testwright.engine.api.model.model import ApiParameter, HttpAnswer, ObservedProposal, Operation, Proposal
from testwright.engine.api.probe.lists.filled import FILLED
from testwright.engine.api.write.superseded import without_superseded

pytestmark = pytest.mark.feature("T-20")
ITEM, PART = "/store/{id}", "/store/{id}/part"
GONE = {"error": "no such thing"}


def seen(
    method: str,
    name: str,
    body: Any,
    status: int = 200,
    group: str = "",
    path: str = "/store",
    content: Any = None,
    **more: Any,
) -> ObservedProposal:
    made = f"{method.lower()}_{path.strip('/').replace('/{id}', '_one').replace('/', '_')}"
    operation = Operation("", made, method, path)
    request = {"method": method, "path": path, "body": {"content": content}, **more}
    proposal = Proposal(operation, name, "", "success", request, group=group)
    return ObservedProposal(proposal, (HttpAnswer(status, {}, json.dumps(body)),))


def replace_path_parameters(one: ObservedProposal, *names: str) -> ObservedProposal:
    parameters = tuple(ApiParameter(name, "path", True, True) for name in names)
    operation = replace(one.proposal.operation, parameters=parameters)
    return replace(one, proposal=replace(one.proposal, operation=operation))


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
        ({"data": {"items": []}, "next": None}, False),
        ({"name": "ada", "tags": []}, True),
        ([{"id": 1}], True),
        ({"items": [1]}, True),
        ({"total": 0}, True),
    ],
)
def test_an_empty_list_goes_where_a_filled_one_is_shown(body: Any, stays: bool) -> None:
    assert ("succeeds" in kept(seen("GET", "succeeds", body), seen("GET", FILLED, [1]))) is stays
    assert kept(seen("GET", "succeeds", body)) == ["succeeds"]


def test_one_thing_without_parts_is_no_empty_list() -> None:
    after = seen("GET", "after_post_part", {"parts": [1]}, path=ITEM)
    after = replace(after, proposal=replace(after.proposal, setup=({"method": "POST", "path": PART},)))
    assert "succeeds" in kept(seen("GET", "succeeds", {"parts": []}, path=ITEM), after)


def test_a_body_of_another_kind_goes_where_it_is_answered_as_none_at_all() -> None:
    missing = seen("POST", "no_body", {"error": "needed"}, 422)
    assert kept(missing, seen("POST", "wrong_media_type", {"error": "needed"}, 422)) == ["no_body"]
    assert kept(missing, seen("POST", "wrong_media_type", {"error": "media"}, 415)) == ["no_body", "wrong_media_type"]


def test_no_body_goes_where_an_empty_one_is_refused_at_the_same_place() -> None:
    def refused(name: str, loc: list[str]) -> ObservedProposal:
        return seen("POST", name, {"detail": [{"loc": loc, "input": name}]}, 422, group="broken_body")

    assert kept(refused("name_missing", ["body", "name"]), refused("no_body", ["body", "name"])) == ["name_missing"]
    assert kept(refused("name_missing", ["body", "name"]), refused("no_body", ["body"])) == ["name_missing", "no_body"]


def test_what_a_validator_says_of_a_value_in_a_path_is_shown_of_one_method_of_it() -> None:
    found = [
        seen(method, "id_of_the_wrong_type", {"error": "none"}, 400, "broken_path") for method in ("GET", "DELETE")
    ]
    assert kept(*found) == ["id_of_the_wrong_type"]


def test_a_value_that_no_route_takes_is_an_address_that_nobody_knows() -> None:
    assert kept(seen("GET", "id_of_the_wrong_type", {"error": "none"}, 404, "broken_path")) == []


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
        seen("POST", "with_a_name_in_another_case", {}),
        seen("POST", "with_a_name_that_differs_in_case_only", GONE, 409),
    )
    assert kept(seen("POST", "succeeds", {}), spelt, after) == ["succeeds", "with_a_name_that_differs_in_case_only"]
    assert kept(spelt) == ["with_a_name_in_another_case"]
    assert kept(after, seen("POST", "beside_another", {})) == ["with_a_name_that_differs_in_case_only"]


def test_a_token_after_another_word_goes_where_it_is_refused_like_one_after_none() -> None:
    bare = seen("GET", "with_a_token_without_bearer_before_it", GONE, 401)
    assert kept(bare, seen("GET", "with_token_before_its_token", GONE, 401)) == [
        "with_a_token_without_bearer_before_it"
    ]
    assert len(kept(bare, seen("GET", "with_token_before_its_token", {"error": "other"}, 401))) == 2


def test_a_second_removal_goes_where_it_is_refused_as_what_never_was_there_and_a_reading_shows_the_first() -> None:
    unknown, twice = seen("DELETE", "unknown_id", GONE, 404, path=ITEM), seen("DELETE", "twice", GONE, 404, path=ITEM)
    after = seen("GET", "after_delete_store_one", GONE, 404, path=ITEM)
    assert kept(unknown, twice, after) == ["unknown_id", "after_delete_store_one"]
    assert kept(unknown, twice) == ["unknown_id", "twice"]
    assert kept(unknown, seen("DELETE", "twice", {}, 410, path=ITEM), after)[1] == "twice"


def test_what_credentials_or_a_field_are_for_is_no_step_that_was_left_out() -> None:
    refused = [seen("DELETE", name, GONE, 401, path=ITEM) for name in ("unknown_id", "without_credentials")]
    lacking = [seen("POST", name, GONE, 400) for name in ("twice", "without_currency")]
    after = seen("GET", "after_delete_store_one", GONE, 404, path=ITEM)
    assert len(kept(*refused, *lacking, after)) == 5


def test_a_removal_that_was_never_needed_goes_beside_the_same_one_twice() -> None:
    twice, without = seen("DELETE", "twice", {"on": False}), seen("DELETE", "without_post_store", {"on": False})
    assert kept(twice, without) == ["twice"]
    assert kept(twice, seen("DELETE", "without_post_store", {"on": True})) == ["twice", "without_post_store"]


def test_what_a_router_answers_to_another_method_is_no_rule_of_the_application() -> None:
    other = seen("GET", "method_patch", {}, 405, "methods")
    assert kept(other) == []
    declared = replace(
        other, proposal=replace(other.proposal, operation=replace(other.proposal.operation, responses={"405": None}))
    )
    assert kept(declared) == ["method_patch"]


def test_bodies_that_do_not_parse_make_one_table() -> None:
    found = [
        seen("POST", "malformed_json", {}, 422, "malformed", "/a", auth="user"),
        seen("POST", "malformed_json", {}, 422, "malformed", "/b", auth="user"),
        seen("POST", "malformed_json", {}, 422, "malformed", "/c"),
        seen("POST", "malformed_json", {}, 400, "malformed", "/d"),
    ]
    assert [one.proposal.operation.path for one in without_superseded(found)] == ["/a", "/b", "/d"]


def test_a_second_thing_goes_where_a_list_shows_several() -> None:
    beside = seen("POST", "beside_another", {"id": 2})
    assert kept(beside, seen("GET", FILLED, [1, 2])) == [FILLED]
    assert kept(beside, seen("GET", FILLED, [1, 2], path="/shelf")) == ["beside_another", FILLED]


def test_one_name_that_is_taken_goes_where_the_whole_request_sent_twice_is_refused_for_it() -> None:
    twice = seen("POST", "twice", {"error": "taken"}, 409)
    name, email = (seen("POST", f"with_a_taken_{one}", {"error": "taken"}, 409) for one in ("name", "email"))
    assert kept(twice, name) == ["twice"]
    assert kept(twice, name, email) == ["with_a_taken_name", "with_a_taken_email"]
    assert len(kept(twice, seen("POST", "with_a_taken_email", {"error": "email taken"}, 409))) == 2


def test_names_that_differ_in_their_case_are_one_by_a_rule_and_two_by_none() -> None:
    sign_up, login = "with_a_name_that_differs_in_case_only", "with_the_name_in_another_case"
    assert kept(seen("POST", sign_up, {}), seen("POST", login, GONE, 401)) == []
    assert kept(seen("POST", sign_up, GONE, 409), seen("POST", login, {})) == [sign_up, login]


def test_a_list_of_what_another_user_made_goes_where_the_thing_is_read_and_so_does_its_making() -> None:
    after = "after_post_store_by_another_user"
    listed, item = seen("GET", after, [1]), seen("GET", after, {"by": "other"}, path=ITEM)
    made = seen("POST", "by_another_user", {"by": "other"})
    assert [one.proposal.operation.path for one in without_superseded([made, listed, item])] == [ITEM]
    assert kept(made) == ["by_another_user"]


def test_a_thing_is_read_by_its_new_id_where_the_old_one_finds_it_no_more() -> None:
    old, new = "after_put_store_with_other_values", "after_put_store_with_other_values_by_its_new_slug"
    assert kept(seen("GET", old, GONE, 404), seen("GET", new, {"a": 2})) == [old, new]
    assert kept(seen("GET", old, {"a": 2}), seen("GET", new, {"a": 2})) == [old]


def test_a_reading_after_one_field_goes_where_the_update_tells_it_and_another_reading_all() -> None:
    whole = seen("GET", "after_put_store_with_other_values", {"a": 2, "b": 2})
    single = seen("GET", "after_put_store_with_another_a", {"a": 2, "b": 1})

    def update(answer: Any) -> ObservedProposal:
        return seen("PUT", "with_another_a", answer, group="updates", content={"store": {"a": 2}})

    assert kept(whole, single, update({"a": 2, "b": 1})) == ["after_put_store_with_other_values", "with_another_a"]
    assert len(kept(whole, single, update({}))) == 3
    assert len(kept(single, update({"a": 2}))) == 2
    by_new = seen("GET", "after_put_store_with_other_values_by_its_new_slug", {"a": 2, "b": 2})
    lost = seen("GET", "after_put_store_with_other_values", GONE, 404)
    assert "after_put_store_with_another_a" not in kept(lost, by_new, single, update({"a": 2}))


def test_what_is_not_found_below_a_removed_thing_goes_where_that_thing_is_not_found_either() -> None:
    removal = replace_path_parameters(seen("DELETE", "succeeds", {}, path=ITEM), "id")
    below = [
        replace_path_parameters(seen("GET", name, GONE, 404, path=PART), "id")
        for name in ("unknown_id", "after_delete_store_one")
    ]
    item = seen("GET", "after_delete_store_one", GONE, 404, path=ITEM)
    assert [one.proposal.operation.path for one in without_superseded([removal, *below, item])] == [ITEM, PART, ITEM]
    assert len(without_superseded([removal, *below])) == 3


def test_what_may_have_gone_with_the_thing_above_it_is_shown() -> None:
    path = f"{PART}/{{part}}"
    removal = replace_path_parameters(seen("DELETE", "succeeds", {}, path=ITEM), "id")
    item = seen("GET", "after_delete_store_one", GONE, 404, path=ITEM)
    below = [
        replace_path_parameters(seen("GET", name, {"error": text}, 404, path=path), "id", "part")
        for name, text in (("unknown_id", "store"), ("unknown_part", "part"), ("after_delete_store_one", "part"))
    ]
    assert len(without_superseded([removal, item, *below])) == 5


def test_a_list_after_a_removal_below_a_member_goes_where_the_member_is_read() -> None:
    removal = seen("DELETE", "succeeds", {}, path=PART)
    after = "after_delete_store_one_part"
    listed, member = seen("GET", after, [{"parts": []}]), seen("GET", after, {"parts": []}, path=ITEM)
    assert [one.proposal.operation.path for one in without_superseded([removal, listed, member])] == [PART, ITEM]
    assert len(without_superseded([removal, listed])) == 2


def by(group: str, name: str, body: Any, **query: Any) -> ObservedProposal:
    return seen("GET", name, body, group=group, query=query)


def test_of_filters_that_find_nothing_one_stays_and_what_a_member_has_does_in_any_case() -> None:
    filters = [by("filters", "a", [], tag="x"), by("filters", "b", [], tag="y"), by("filters", "c", [], author="x")]
    assert kept(*filters, by("filters", "d", [1], tag="z")) == ["a", "c", "d"]
    made = ({"method": "POST", "path": "/store", "body": {"content": {"tag": "y"}}},)
    hidden = replace(filters[1], proposal=replace(filters[1].proposal, setup=made))
    assert kept(filters[0], hidden) == ["b"]


def test_of_pages_those_stay_that_show_other_members() -> None:
    whole = seen("GET", FILLED, [{"id": 1}, {"id": 2}])
    pages = [
        by("pages", "one", [{"id": 1}], limit=1),
        by("pages", "all", [{"id": 1}, {"id": 2}], limit=9),
        by("pages", "again", [{"id": 1}], page=1),
    ]
    assert kept(whole, *pages) == [FILLED, "one"]
    # Of members that are others each time nobody knows whether two pages show the same ones.
    unknown = [replace(one, unstable=frozenset({"/0"})) for one in (pages[0], pages[2])]
    assert kept(*unknown) == ["one", "again"]


@pytest.mark.parametrize(("asked", "left"), [(None, "one"), ("user", "another")])
def test_of_lists_by_two_users_one_stays_that_is_not_of_who_asks(asked: str | None, left: str) -> None:
    found = [
        seen("GET", f"by_author_lists_what_is_of_{who}_user", [1], group="by_users", auth=asked)
        for who in ("one", "another")
    ]
    assert kept(*found) == [f"by_author_lists_what_is_of_{left}_user"]
    assert kept(found[1]) == ["by_author_lists_what_is_of_another_user"]


def test_an_update_that_sends_nothing_is_refused_after_a_removal_for_what_it_lacks() -> None:
    removal = seen("DELETE", "succeeds", {}, path=ITEM)
    unknown = seen("PUT", "unknown_id", {"id": 7}, 201, "put_unknown", path=ITEM, content={"name": "a"})
    empty = seen("PUT", "after_delete_store_one", GONE, 409, path=ITEM, content={})
    tombstone = seen("PUT", "after_delete_store_one", GONE, 410, path=ITEM, content={"name": "a"})
    assert len(kept(removal, unknown, empty)) == 2
    assert len(kept(removal, unknown, tombstone)) == 3
