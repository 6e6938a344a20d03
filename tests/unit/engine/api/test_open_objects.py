"""Readings by fields of answers, updates of parts of objects that may hold anything, and ids of others in bodies."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, cast

import pytest

from testwright.engine.api.document.operations import api_from_document
from testwright.engine.api.model.model import HttpAnswer, Json, ObservedProposal, Operation
from testwright.engine.api.probe.baselines import BaselineFinder
from testwright.engine.api.probe.distinct import distinct_request
from testwright.engine.api.probe.effects.other_ids import other_id_proposals
from testwright.engine.api.probe.judge import expectations
from testwright.engine.api.probe.lists.columns import picked_fields, told_fields
from testwright.engine.api.probe.lists.filled import FILLED, filled_lists
from testwright.engine.api.probe.lists.query_effects import with_effect
from testwright.engine.api.probe.propose_updates import update_proposals
from testwright.engine.api.probe.propose_values import body_proposals
from testwright.engine.api.probe.resource_model import ResourceModel
from testwright.engine.api.probe.second_values import second_creations, second_things
from testwright.engine.api.values.data import SampleValues, SecretFilter
from testwright.tests.support.engine.baselines import add_baselines

pytestmark = pytest.mark.feature("T-20")

TEXTS = {"type": "array", "items": {"type": "string"}}
ANY = {"type": "object", "additionalProperties": True}
NOTE = {"type": "object", "properties": {"data": ANY, "readers": TEXTS}}
BODY = {"required": True, "content": {"application/json": {"schema": NOTE}}}
QUERIES = [{"name": name, "in": "query", "schema": TEXTS} for name in ("_sort", "_fields")]
ONE = {"name": "id", "in": "path", "required": True, "schema": {"type": "string"}}
DOCUMENT = {
    "openapi": "3.1.0",
    "paths": {
        "/notes": {
            "post": {"operationId": "add", "requestBody": BODY, "responses": {}},
            "get": {"operationId": "list", "parameters": QUERIES, "responses": {}},
        },
        "/notes/{id}": {
            "parameters": [ONE],
            "get": {"operationId": "read", "responses": {}},
            "patch": {"operationId": "change", "requestBody": BODY, "responses": {}},
        },
    },
}


@pytest.fixture
def world() -> ResourceModel:
    api = api_from_document(DOCUMENT, path="openapi.json")
    found = ResourceModel(api, SampleValues(api.components))
    told = HttpAnswer(200, {}, '{"data": {"id": "a1", "modified": 7}, "readers": []}')

    def answered(operation: Operation) -> tuple[HttpAnswer, dict[str, str]]:
        listed = HttpAnswer(200, {}, '{"data": []}')
        saves = {"note_id": "/data/id"} if operation.name == "add" else {}
        return (listed if operation.name == "list" else told), saves

    add_baselines(found, answered)
    for name in ("add", "change"):
        known = found.baselines[name]
        request = {**known.request, "body": {**known.request["body"], "content": {"data": {}, "readers": []}}}
        found.baselines[name] = replace(known, request=request)
    made = found.baselines["add"].saving
    for name in ("read", "change"):
        found.baselines[name] = replace(found.baselines[name], setup=(made,))
    return found


def _varied(world: ResourceModel) -> dict[str, Any]:
    """The baselines with the values of a second thing."""
    adding = world.baselines["add"]
    second = distinct_request(adding, world)
    assert second is not None
    made = {**copied(second[0]), "save": dict(adding.saves)}
    rest = {name: replace(world.baselines[name], setup=(made,)) for name in ("read", "change")}
    return {"add": replace(adding, request=copied(second[0])), **rest}


def copied(request: Json) -> Json:
    return {key: entry for key, entry in request.items() if key != "save"}


def test_an_object_that_may_hold_anything_has_two_members_where_everything_is_sent(world: ResourceModel) -> None:
    assert world.samples.value(NOTE, full=True)["data"] == {"name": "Ada", "note": "note"}
    assert world.samples.value({"type": "object", "properties": {"data": ANY}}) == {}
    counts = {"type": "object", "additionalProperties": {"type": "integer"}, "maxProperties": 1}
    assert world.samples.value({"type": "object", "properties": {"data": counts}}, full=True) == {"data": {"name": 1}}
    counts["maxProperties"] = cast(Any, 1.0)
    assert world.samples.value({"type": "object", "properties": {"data": counts}}, full=True) == {"data": {"name": 1}}
    closed = {"type": "object", "additionalProperties": False}
    assert world.samples.value({"type": "object", "properties": {"data": closed}}, full=True) == {"data": {}}


def test_a_second_thing_holds_something_else(world: ResourceModel) -> None:
    second = distinct_request(world.baselines["add"], world)
    assert second is not None
    data = second[0]["body"]["content"]["data"]
    assert set(data) == {"name", "note"}
    assert "Ada" not in data.values()


def test_one_member_of_an_object_is_changed_while_the_other_one_stays(world: ResourceModel) -> None:
    found = {(one.operation.name, one.name): one for one in update_proposals(world, _varied(world))}
    changed = found["change", "with_another_name_in_data"].request["body"]["content"]
    [made, change] = found["read", "after_change_with_another_name_in_data"].setup
    assert set(changed["data"]) == {"name"}
    assert change["body"]["content"] == changed
    assert made["body"]["content"]["data"]["name"] != changed["data"]["name"]
    assert "note" in made["body"]["content"]["data"]


def test_a_list_is_sorted_by_the_fields_that_answers_wrap(world: ResourceModel) -> None:
    asked = [one.request.get("query") for one in filled_lists(world, {})]
    assert {"_sort": ["modified"]} in asked
    assert {"_sort": ["-modified"]} in asked
    assert {"_sort": ["-name"]} not in asked
    second = _with_another(world)
    second["add"] = replace(second["add"], answer=HttpAnswer(201, {}, '{"data": {"id": "b1", "name": "Grace"}}'))
    assert {"_sort": ["-name"]} in [one.request.get("query") for one in filled_lists(world, second)]


def test_a_list_is_not_sorted_by_ids_that_the_application_draws(world: ResourceModel) -> None:
    adding = world.baselines["add"]
    assert {"_sort": ["id"]} not in [one.request.get("query") for one in filled_lists(world, {})]
    chosen = {**adding.request, "body": {**adding.request["body"], "content": {"data": {"id": "a1"}}}}
    world.baselines["add"] = replace(adding, request=chosen)
    assert {"_sort": ["id"]} in [one.request.get("query") for one in filled_lists(world, {})]


async def test_a_choice_of_fields_is_told_where_it_leaves_some_out(world: ResourceModel) -> None:
    class Picking:
        async def send(self, requests: Sequence[Json], *, again: bool = False) -> tuple[HttpAnswer, ...]:
            names = (requests[-1].get("query") or {}).get("_fields") or ["id", "modified"]
            told = {name: value for name, value in {"id": "a1", "modified": 7}.items() if name in names}
            return (*(HttpAnswer(201) for _ in requests[1:]), HttpAnswer(200, {}, json.dumps({"data": [told]})))

    class Ignoring(Picking):
        async def send(self, requests: Sequence[Json], *, again: bool = False) -> tuple[HttpAnswer, ...]:
            return await super().send([*requests[:-1], {}])

    filled = [one for one in filled_lists(world, {}) if one.name == FILLED]
    picked = list(picked_fields(world, filled))
    assert [one.request["query"] for one in picked] == [{"_fields": ["id"]}, {"_fields": ["modified"]}]
    assert all(one.setup == filled[0].setup for one in picked)
    assert await with_effect(cast(BaselineFinder, Picking()), world, picked, 9) == picked
    assert await with_effect(cast(BaselineFinder, Ignoring()), world, picked, 9) == []


def test_of_a_choice_of_fields_it_is_told_that_nothing_else_is_there(world: ResourceModel) -> None:
    [picked, _] = picked_fields(world, [one for one in filled_lists(world, {}) if one.name == FILLED])
    answer = HttpAnswer(200, {}, '{"data": [{"id": "a1"}, {"id": "a2"}]}')
    seen = ObservedProposal(replace(picked, setup=()), (answer,), unstable=frozenset({"/data/0/id", "/data/1/id"}))
    told = list(expectations(seen, world.api, SecretFilter({}), shows=False))
    counted = [(one["pointer"], one["value"]) for one in told if one.get("operator") == "has_length"]
    assert counted[:2] == [("/data/0", 1), ("/data/1", 1)]


@pytest.mark.parametrize(
    ("members", "more", "counted"),
    [
        ('[{"id": "a1"}, {"id": "a2"}]', {"unstable": frozenset({"/data"})}, []),
        ('[{"id": "a1"}, {"id": "a2"}]', {"unstable": frozenset({""})}, []),
        ('[{"id": "a1"}, {"id": "a2"}]', {"unstable": frozenset({"/data/1"})}, ["/data/0"]),
        ('[{"id": "a1"}, {"id": "a2", "n": 1}]', {"unordered": frozenset({"/data"})}, []),
        ('[{"id": "a1"}, {"id": "a2"}]', {"unordered": frozenset({"/data"})}, ["/data/0", "/data/1"]),
    ],
)
def test_fields_are_counted_only_where_their_number_is_the_same_each_time(
    world: ResourceModel, members: str, more: dict[str, Any], counted: list[str]
) -> None:
    [picked, _] = picked_fields(world, [one for one in filled_lists(world, {}) if one.name == FILLED])
    seen = ObservedProposal(replace(picked, setup=()), (HttpAnswer(200, {}, f'{{"data": {members}}}'),), **more)
    told = list(expectations(seen, world.api, SecretFilter({}), shows=False))
    found = [one["pointer"] for one in told if one.get("operator") == "has_length"]
    assert [one for one in found if one.startswith("/data/")] == counted


@pytest.mark.parametrize(
    ("answer", "names"),
    [
        ({"id": 1, "tags": []}, ["id"]),
        ([{"title": "a"}], ["title"]),
        ({"items": [{"title": "a"}], "meta": {}}, ["title"]),
        ({"count": 2, "next": None, "results": [{"title": "a"}]}, ["title"]),
        ({"id": 1, "name": "a", "comments": [{"text": "b"}]}, ["id", "name"]),
        ({"status": "ok", "data": {"title": "a"}}, ["title"]),
        ({"status": "open", "address": {"city": "a"}}, ["status"]),
        ({"count": 0, "results": []}, ["count"]),
        ([], []),
        (None, []),
    ],
)
def test_fields_are_those_of_the_thing_that_is_told(answer: Any, names: list[str]) -> None:
    assert told_fields(answer) == names


class Answering:
    """An application that answers in one way to an update with an id in its body, and in one to any other."""

    def __init__(self, status: int, usual: int = 200) -> None:
        self._status, self._usual = status, usual

    async def send(self, requests: Sequence[Json], *, again: bool = False) -> tuple[HttpAnswer, ...]:
        named = "id" in requests[-1]["body"]["content"]["data"]
        return (*(HttpAnswer(201) for _ in requests[1:]), HttpAnswer(self._status if named else self._usual))


def _with_another(world: ResourceModel) -> dict[str, Any]:
    adding = world.baselines["add"]
    second = distinct_request(adding, world)
    assert second is not None
    return {"add": replace(adding, request=second[0], saves=second[1], setup=(adding.saving,))}


async def test_an_update_that_is_refused_for_the_id_of_another_is_told(world: ResourceModel) -> None:
    finder = cast(BaselineFinder, Answering(400))
    [found] = await other_id_proposals(finder, world, _with_another(world), 9)
    assert found.request["body"]["content"]["data"]["id"] == "{{other_note_id}}"
    assert [step["save"] for step in found.setup] == [{"note_id": "/data/id"}, {"other_note_id": "/data/id"}]


async def test_an_update_that_is_refused_without_the_id_as_well_is_not_told(world: ResourceModel) -> None:
    finder = cast(BaselineFinder, Answering(409, usual=409))
    assert await other_id_proposals(finder, world, _with_another(world), 9) == []


async def test_an_id_that_is_refused_like_any_property_that_nobody_knows_is_not_told(world: ResourceModel) -> None:
    class Closed(Answering):
        """An application that takes no properties but its own."""

        async def send(self, requests: Sequence[Json], *, again: bool = False) -> tuple[HttpAnswer, ...]:
            known = requests[-1]["body"]["content"]["data"].keys() <= {"title", "text"}
            return (*(HttpAnswer(201) for _ in requests[1:]), HttpAnswer(200 if known else 422))

    assert await other_id_proposals(cast(BaselineFinder, Closed(422)), world, _with_another(world), 9) == []


async def test_an_id_that_the_document_does_not_know_and_the_application_takes_is_not_told(
    world: ResourceModel,
) -> None:
    assert await other_id_proposals(cast(BaselineFinder, Answering(200)), world, _with_another(world), 9) == []


def test_a_second_thing_is_made_beside_the_first_one_with_values_of_its_own(world: ResourceModel) -> None:
    [found] = second_creations(world, _with_another(world))
    assert found.operation.name == "add"
    [first] = found.setup
    assert first["body"]["content"] != found.request["body"]["content"]


class NumbersOnly:
    """An application that takes only numbers for the names of members."""

    async def send(self, requests: Sequence[Json], *, again: bool = False) -> tuple[HttpAnswer, ...]:
        names = [name for one in requests for name in one["body"]["content"].get("data") or ()]
        return (*(HttpAnswer(201) for _ in requests[1:]), HttpAnswer(422 if names else 201))


async def test_a_second_thing_has_nothing_in_an_object_that_takes_no_invented_names(world: ResourceModel) -> None:
    adding = world.baselines["add"]
    assert adding.operation.body is not None
    schema = {"type": "object", "properties": {"data": ANY, "title": {"type": "string"}}}
    operation = replace(adding.operation, body=replace(adding.operation.body, schema=schema))
    request = {**adding.request, "body": {**adding.request["body"], "content": {"data": {}, "title": "title"}}}
    world.baselines = {"add": replace(adding, operation=operation, request=request)}
    found = await second_things(cast(BaselineFinder, NumbersOnly()), world)
    content = found["add"].request["body"]["content"]
    assert content["data"] == {}
    assert content["title"] != "title"


def test_names_that_nobody_told_are_sent_in_requests_of_their_own(world: ResourceModel) -> None:
    adding = world.baselines["add"]
    request = {**adding.request, "body": {**adding.request["body"], "content": {}}}
    found = body_proposals(world, replace(adding, request=request))
    sent = {one.name: one.request["body"]["content"] for one in found if "body" in one.request}
    assert set(sent["with_any_names"]["data"]) == {"name", "note"}
    assert sent["with_everything"] == {**sent["with_any_names"], "data": {}}


def test_an_update_with_other_values_has_no_names_that_nothing_was_made_with(world: ResourceModel) -> None:
    updates = {one.name: one.request for one in update_proposals(world)}
    assert "with_other_values" not in updates
    assert set(updates["with_another_data"]["body"]["content"]["data"]) == {"name", "note"}
    varied = {one.name: one.request for one in update_proposals(world, _varied(world))}
    assert set(varied["with_other_values"]["body"]["content"]["data"]) == {"name", "note"}
