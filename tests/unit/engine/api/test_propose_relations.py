"""Whose a thing is, what it is below, what was there before it, and the same stories with other values."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, cast

import pytest

from testwright.engine.api.document.auth import Credential, SignIn
from testwright.engine.api.document.operations import api_from_document
from testwright.engine.api.model.model import HttpAnswer, Json, ObservedProposal, Proposal
from testwright.engine.api.probe.baselines import BaselineFinder
from testwright.engine.api.probe.lists.filled import filled_lists
from testwright.engine.api.probe.lists.query_effects import with_effect
from testwright.engine.api.probe.propose import readings_after_change
from testwright.engine.api.probe.propose_relations import relation_proposals, untouched_readings
from testwright.engine.api.probe.propose_updates import update_proposals
from testwright.engine.api.probe.resource_model import BaselineRequest, ResourceModel, build_request
from testwright.engine.api.probe.second_values import second_things, varied_stories, with_other_choices
from testwright.engine.api.probe.sign_in.others import changed_by_the_first
from testwright.engine.api.values.data import SampleValues

pytestmark = pytest.mark.feature("T-20")

TEXT, NUMBER, FLAG = {"type": "string"}, {"type": "integer"}, {"type": "boolean", "default": False}


def _body(required: list[str], **properties: Any) -> Json:
    schema = {"type": "object", "properties": properties, "required": required}
    return {"content": {"application/json": {"schema": schema}}}


def _named(name: str) -> Json:
    return {"name": name, "in": "path", "required": True, "schema": NUMBER}


KIND = {"enum": ["short", "long"], "default": "short"}
NOTE = _body(["code", "stars", "price"], code=TEXT, stars=NUMBER, price=NUMBER, public=FLAG, kind=KIND)
MINE = {"name": "mine", "in": "query", "schema": {"type": "boolean", "default": False}}
DOCUMENT = {
    "openapi": "3.1.0",
    "paths": {
        "/notes": {
            "post": {"operationId": "add", "requestBody": NOTE, "responses": {}},
            "get": {"operationId": "list", "parameters": [MINE], "responses": {}},
        },
        "/notes/{note_id}": {
            "parameters": [_named("note_id")],
            "get": {"operationId": "read", "responses": {}},
            "patch": {"operationId": "change", "requestBody": _body(["code"], code=TEXT), "responses": {}},
            "delete": {"operationId": "remove", "responses": {}},
        },
        "/notes/{note_id}/tags": {
            "parameters": [_named("note_id")],
            "post": {"operationId": "tag", "requestBody": _body(["word"], word=TEXT), "responses": {}},
            "get": {"operationId": "tags", "responses": {}},
        },
        "/notes/{note_id}/tags/{tag_id}": {
            "parameters": [_named("note_id"), _named("tag_id")],
            "delete": {"operationId": "untag", "responses": {}},
        },
        "/notes/{note_id}/loan": {
            "parameters": [_named("note_id")],
            "post": {"operationId": "lend", "requestBody": _body(["days"], days=NUMBER), "responses": {}},
        },
        "/spent": {"get": {"operationId": "spent", "responses": {}}},
        "/count": {"get": {"operationId": "count", "responses": {}}},
    },
}


class Notes:
    """A service for two users, in memory: notes are their owner's, public ones are read by all; each is lent once.

    A code is a code. The first user may change the notes of all, and count them. Numbers of removed notes are given
    again.
    """

    async def send(self, requests: Sequence[Json], *, again: bool = False) -> tuple[HttpAnswer, ...]:
        self.notes: dict[int, Json] = {}
        saved: dict[str, Any] = {}
        answers: list[HttpAnswer] = []
        for request in requests:
            text = json.dumps(request)
            for name in re.findall(r"\{\{(\w+)\}\}", text):
                text = text.replace(f"{{{{{name}}}}}", str(saved.get(name, 0)))
            answers.append(self._answer(json.loads(text)))
            if request.get("save"):
                saved |= dict.fromkeys(request["save"], json.loads(answers[-1].text or "{}").get("id"))
        return tuple(answers)

    def _answer(self, request: Json) -> HttpAnswer:
        user, method = request["auth"], request["method"]
        content: Any = (request.get("body") or {}).get("content")
        place = {name: int(value) for name, value in (request.get("path_parameters") or {}).items()}
        if request["path"] == "/count":
            return self._told(len(self.notes)) if user == "user" else HttpAnswer(403)
        if request["path"] == "/spent":
            return self._told(sum(note["price"] for note in self.notes.values() if note["owner"] == user))
        if request["path"] == "/notes" and method == "POST":
            if not content["code"].isalnum():
                return HttpAnswer(400)
            made: Json = {"public": False, **content, "id": max(self.notes, default=0) + 1, "owner": user, "tags": {}}
            self.notes[made["id"]] = made
            return self._told(made)
        if request["path"] == "/notes":
            shared = not (request.get("query") or {}).get("mine")
            every = self.notes.values()
            return self._told([note for note in every if note["owner"] == user or (shared and note["public"])])
        note = self.notes.get(place["note_id"], {})
        if user not in ("user", note.get("owner")) and not note.get("public"):
            return HttpAnswer(404)
        if user not in ("user", note["owner"]) and method != "GET":
            return HttpAnswer(403)
        return self._of(note, method, place, content, request["path"])

    def _of(self, note: Json, method: str, place: dict[str, int], content: Any, path: str) -> HttpAnswer:
        if "tag_id" in place:
            return HttpAnswer(204) if note["tags"].pop(place["tag_id"], None) else HttpAnswer(404)
        if path.endswith("/loan"):
            lent = note.setdefault("lent", content["days"])
            return self._told({}) if lent == content["days"] else HttpAnswer(409)
        if path.endswith("/tags") and method == "POST":
            made = 1 + sum(len(other["tags"]) for other in self.notes.values())
            note["tags"][made] = content["word"]
            return self._told({"id": made})
        if method == "DELETE":
            del self.notes[note["id"]]
            return HttpAnswer(204)
        note |= content or {}
        return self._told(list(note["tags"].values()) if path.endswith("/tags") else note)

    def _told(self, value: Any) -> HttpAnswer:
        return HttpAnswer(200, {}, json.dumps(value))


@pytest.fixture
def finder() -> BaselineFinder:
    return cast(BaselineFinder, Notes())


@pytest.fixture
async def world(finder: BaselineFinder) -> ResourceModel:
    api = api_from_document(DOCUMENT, path="openapi.json")
    sign_in = SignIn(({"method": "POST", "path": "/login"},), "/token")
    users = {name: Credential(name, "bearer", "PASSWORD", sign_in=sign_in) for name in ("user", "other_user")}
    found = ResourceModel(api, SampleValues(api.components), users=users, guarded={"count"})
    found.roles = {operation.name: "user" for operation in api.operations}
    saves = {"add": {"note_id": "/id"}, "tag": {"tag_id": "/id"}}
    for operation in sorted(api.operations, key=lambda known: (known.method != "POST", known.path)):
        made = build_request(found, operation)
        assert made is not None
        answers = await finder.send((*made[1], made[0]))
        assert answers[-1].ok
        known = saves.get(operation.name, {})
        found.baselines[operation.name] = BaselineRequest(operation, *made, answers[-1], known)
    return found


async def _relations(finder: BaselineFinder, world: ResourceModel) -> dict[str, Proposal]:
    second = await second_things(finder, world)
    found = await relation_proposals(finder, world, second, 99)
    return {f"{one.operation.name} {one.name}": one for one in found}


async def test_a_second_thing_has_a_code_of_letters_where_words_are_refused_and_amounts_that_differ(
    finder: BaselineFinder, world: ResourceModel
) -> None:
    content = (await second_things(finder, world))["add"].request["body"]["content"]
    assert content == {"code": "othercode", "stars": 12, "price": 14, "public": True, "kind": "long"}


async def test_a_story_is_told_with_other_values_under_the_same_saved_names(
    finder: BaselineFinder, world: ResourceModel
) -> None:
    second = await second_things(finder, world)
    varied = await varied_stories(finder, world, second, 99)
    [made] = varied["read"].setup
    assert made["body"] == second["add"].request["body"]
    assert made["save"] == {"note_id": "/id"}
    assert varied["read"].request == world.baselines["read"].request
    assert "count" not in varied


async def test_what_is_done_only_once_is_done_with_other_amounts_in_place_of_the_first(
    finder: BaselineFinder, world: ResourceModel
) -> None:
    second = await second_things(finder, world)
    assert "lend" not in second
    assert (await varied_stories(finder, world, second, 99))["lend"].request["body"]["content"] == {"days": 12}
    assert "lend" not in await varied_stories(finder, world, second, 0)


async def test_stories_of_what_is_shared_differ_in_their_flags_only(
    finder: BaselineFinder, world: ResourceModel
) -> None:
    choices = with_other_choices(world, await second_things(finder, world))
    shared = await varied_stories(finder, world, choices, 99, alone=False)
    assert shared["lend"].request == world.baselines["lend"].request
    made = world.baselines["add"].request["body"]["content"]
    assert shared["lend"].setup[0]["body"]["content"] == {**made, "public": True}


async def test_what_is_made_is_read_with_other_values_and_updated_from_them(
    finder: BaselineFinder, world: ResourceModel
) -> None:
    varied = await varied_stories(finder, world, await second_things(finder, world), 99)
    after = {
        f"{reading.operation.name} {proposal.name}": proposal
        for _, reading, _, proposal in readings_after_change(world, varied)
    }
    assert after["list after_add"].setup[-1]["body"]["content"]["price"] == 14
    read = {one.name: one for one in update_proposals(world, varied)}["after_change_with_other_values"]
    [made, changed] = [step["body"]["content"] for step in read.setup]
    assert made["code"] == "othercode"
    assert changed["code"] == world.baselines["add"].request["body"]["content"]["code"]


async def test_another_user_asks_for_what_is_shared_and_for_what_is_nobodys(
    finder: BaselineFinder, world: ResourceModel
) -> None:
    found = await _relations(finder, world)
    shared = found["change as_another_user_with_public_true"]
    assert shared.request["auth"] == "other_user"
    made = world.baselines["add"].request["body"]["content"]
    assert shared.setup[0]["body"]["content"] == {**made, "public": True}
    assert shared.category == "authorization"
    assert found["read as_another_user_with_public_true"].category == "success"
    assert found["count as_another_user"].request["auth"] == "other_user"
    assert "list as_another_user" not in found


async def test_one_user_may_do_what_is_refused_to_the_other(finder: BaselineFinder, world: ResourceModel) -> None:
    mine = (await _relations(finder, world))["remove of_another_user"]
    assert [step["auth"] for step in mine.setup] == ["other_user"]
    assert mine.request["auth"] == "user"
    made = HttpAnswer(201, {}, '{"id": 1}')
    removed, kept = (ObservedProposal(mine, (made, HttpAnswer(status))) for status in (204, 404))
    [question] = changed_by_the_first([removed, removed])
    assert "by DELETE /notes/{note_id}; is the first one meant to be allowed to?" in question
    assert changed_by_the_first([kept]) == []


async def test_what_exists_is_asked_for_below_another_parent(finder: BaselineFinder, world: ResourceModel) -> None:
    below = (await _relations(finder, world))["untag below_another_parent"]
    assert below.request["path_parameters"] == {"note_id": "{{other_note_id}}", "tag_id": "{{tag_id}}"}


async def test_a_list_is_read_below_what_was_removed_and_made_again_under_its_number(
    finder: BaselineFinder, world: ResourceModel
) -> None:
    again = (await _relations(finder, world))["tags after_the_note_was_made_again"]
    assert [step["method"] for step in again.setup] == ["POST", "POST", "DELETE", "POST"]


async def test_what_a_user_reads_of_their_own_is_left_alone_by_what_another_user_does(
    finder: BaselineFinder, world: ResourceModel
) -> None:
    after = [proposal for _, _, _, proposal in readings_after_change(world) if proposal.name == "after_add"]
    [spent] = await untouched_readings(finder, world, after, 99)
    assert (spent.operation.name, spent.name) == ("spent", "after_add_of_another_user")
    assert [step["auth"] for step in (*spent.setup, spent.request)] == ["other_user", "user"]
    assert await untouched_readings(finder, world, after, 0) == []


async def test_flags_are_tried_on_lists_of_two_users_and_where_something_was_done_to_one(
    finder: BaselineFinder, world: ResourceModel
) -> None:
    found = {one.name: one for one in filled_lists(world, await second_things(finder, world))}
    owners = [step["auth"] for step in found["filled_by_mine_true_of_two_users"].setup]
    assert sorted(owners) == ["other_user", "user"]
    assert found["filled_by_mine_true_after_tag"].setup[-1]["path"] == "/notes/{note_id}/tags"


async def test_a_flag_that_picks_out_nothing_of_a_list_that_is_filled_for_it_becomes_no_test(
    finder: BaselineFinder, world: ResourceModel
) -> None:
    lists = list(filled_lists(world, await second_things(finder, world)))
    kept = {one.name for one in await with_effect(finder, world, lists, 99)}
    assert {one.name for one in lists} - kept == {
        "filled_by_mine_false_of_two_users",
        "filled_by_mine_false_after_tag",
        "filled_by_mine_true_after_tag",
        "filled_by_mine_false_after_lend",
        "filled_by_mine_true_after_lend",
    }
    assert "filled_by_mine_true_of_two_users" in kept
    ends = ("_of_two_users", "_after_tag", "_after_lend", "_for_another_user")
    flags = {one.name for one in lists if one.name.endswith(ends)}
    assert {one.name for one in await with_effect(finder, world, lists, 0)} == {one.name for one in lists} - flags


async def test_a_filter_by_which_another_user_sees_less_than_its_owner_becomes_a_test(
    finder: BaselineFinder, world: ResourceModel
) -> None:
    lists = list(filled_lists(world, await second_things(finder, world)))
    found = {one.name: one for one in await with_effect(finder, world, lists, 99) if one.group == "for_others"}
    assert set(found) == {"filled_by_mine_true_for_another_user", "filled_by_mine_false_for_another_user"}
    assert {one.request["auth"] for one in found.values()} == {"other_user"}


class Shops:
    """Needs a shop in each query, heeds no flag, and gives new ids each time."""

    def __init__(self) -> None:
        self.asked = 0

    async def send(self, requests: Sequence[Json], *, again: bool = False) -> tuple[HttpAnswer, ...]:
        self.asked += 1
        if "shop" not in requests[-1].get("query", {}):
            return (HttpAnswer(422),)
        return (HttpAnswer(200, {}, json.dumps([{"id": self.asked, "price": 3}])),)


async def test_a_flag_is_compared_with_the_same_request_without_it_and_not_by_what_varies_anyway(
    finder: BaselineFinder, world: ResourceModel
) -> None:
    lists = list(filled_lists(world, await second_things(finder, world)))
    [flag] = [one for one in lists if one.name == "filled_by_mine_true_of_two_users"]
    plain = world.baselines["list"]
    world.baselines["list"] = replace(plain, request={**plain.request, "query": {"shop": 1}})
    asked = replace(flag, request={**flag.request, "query": {"shop": 1, "mine": True}})
    assert await with_effect(cast(BaselineFinder, Shops()), world, [asked], 99) == []
