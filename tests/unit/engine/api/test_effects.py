"""Limits of a state, totals over several things, who has made what, and sessions beside each other."""

from __future__ import annotations

import base64
import json
import re
from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any, cast

import pytest

from testwright.engine.api.document.auth import Credential, SignIn
from testwright.engine.api.document.operations import api_from_document
from testwright.engine.api.model.model import HttpAnswer, Json, Proposal
from testwright.engine.api.probe.baselines import BaselineFinder
from testwright.engine.api.probe.distinct import third_value
from testwright.engine.api.probe.effects.conditions import conditional_proposals
from testwright.engine.api.probe.effects.limits import limit_proposals
from testwright.engine.api.probe.effects.lists import filled_lists
from testwright.engine.api.probe.effects.makers import maker_proposals
from testwright.engine.api.probe.effects.parts import part_proposals
from testwright.engine.api.probe.effects.totals import total_proposals
from testwright.engine.api.probe.flag_effects import with_effect
from testwright.engine.api.probe.propose_relations import relation_proposals
from testwright.engine.api.probe.resource_model import BaselineRequest, ResourceModel, build_request
from testwright.engine.api.probe.second_values import second_things, third_things
from testwright.engine.api.probe.sign_in.letter_case import letter_case_proposals
from testwright.engine.api.probe.sign_in.tokens import malformed_tokens, second_sessions
from testwright.engine.api.values.data import SampleValues

pytestmark = pytest.mark.feature("T-20")

TEXT, NUMBER = {"type": "string"}, {"type": "integer"}
KIND = {"enum": ["tool", "food"], "default": "tool"}
ONE = {"name": "part_id", "in": "path", "required": True, "schema": NUMBER}
TAGS = {"type": "array", "items": TEXT}
SORT = {"name": "sort", "in": "query", "schema": {"type": "string"}}


def _body(required: list[str], **properties: Any) -> Json:
    schema = {"type": "object", "properties": properties, "required": required}
    return {"required": True, "content": {"application/json": {"schema": schema}}}


USER = _body(["email", "password"], email=TEXT, password=TEXT)
DOCUMENT = {
    "openapi": "3.1.0",
    "paths": {
        "/users": {"post": {"operationId": "sign_up", "requestBody": USER, "responses": {}}},
        "/login": {"post": {"operationId": "log_in", "requestBody": USER, "responses": {}}},
        "/logout": {"post": {"operationId": "log_out", "responses": {}}},
        "/me": {"get": {"operationId": "me", "responses": {}}},
        "/parts": {
            "post": {
                "operationId": "add",
                "requestBody": _body(["title", "kind", "price"], title=TEXT, kind=KIND, price=NUMBER, tags=TAGS),
                "responses": {},
            },
            "get": {"operationId": "list", "parameters": [SORT], "responses": {}},
        },
        "/parts/{part_id}": {
            "parameters": [ONE],
            "get": {"operationId": "read", "responses": {}},
            "patch": {"operationId": "change", "requestBody": _body([], title=TEXT, price=NUMBER), "responses": {}},
            "delete": {"operationId": "remove", "responses": {}},
        },
        "/parts/{part_id}/moves": {
            "parameters": [ONE],
            "post": {"operationId": "move", "requestBody": _body(["pieces"], pieces=NUMBER), "responses": {}},
            "get": {"operationId": "moves", "responses": {}},
        },
        "/stock": {"get": {"operationId": "stock", "responses": {}}},
    },
}


class Store:
    """A store for two users and an administrator, in memory: parts and what moves in and out of it.

    What is there may go out and no more; a part that has pieces stays. Numbers of removed parts are given again.
    """

    def __init__(self) -> None:
        self.token: Callable[[int], str] = "another {}".format

    async def send(self, requests: Sequence[Json], *, again: bool = False) -> tuple[HttpAnswer, ...]:
        self.logins = 0
        self.parts: dict[int, Json] = {}
        self.ended: set[str] = set()
        saved: dict[str, Any] = {}
        answers: list[HttpAnswer] = []
        for request in requests:
            text = re.sub(r"\{\{(\w+)\}\}", lambda found: str(saved.get(found[1], 0)), json.dumps(request))
            answers.append(self._answer(json.loads(text)))
            for name, pointer in (request.get("save") or {}).items():
                saved[name] = json.loads(answers[-1].text).get(pointer[1:])
        return tuple(answers)

    def _answer(self, request: Json) -> HttpAnswer:
        user, method, path = request.get("auth", ""), request["method"], request["path"]
        content: Any = (request.get("body") or {}).get("content")
        if path == "/users":
            return _told({"email": content["email"]})
        if path == "/login":
            self.logins += 1
            return _told({"token": self.token(self.logins)})
        if path == "/logout":
            self.ended.add(user)
            return HttpAnswer(204)
        if user in self.ended:
            return HttpAnswer(401)
        if path == "/me":
            return _told({"name": user})
        if path == "/stock":
            pieces: Counter[str] = Counter()
            for part in self.parts.values():
                pieces[part["kind"]] += sum(part["moves"])
            return _told(pieces)
        if path == "/parts" and method == "POST":
            made = {**content, "id": max(self.parts, default=0) + 1, "by": user, "moves": []}
            self.parts[made["id"]] = made
            return _told(made)
        if path == "/parts":
            order = (request.get("query") or {}).get("sort", "id")
            if order.lstrip("-") not in ("id", "title", "kind", "price"):
                return HttpAnswer(400)
            rows = sorted(self.parts.values(), key=lambda part: part[order.lstrip("-")])
            return _told(rows[::-1] if order.startswith("-") else rows)
        return self._of(self.parts[int(request["path_parameters"]["part_id"])], method, path, content)

    def _of(self, part: Json, method: str, path: str, content: Any) -> HttpAnswer:
        if path.endswith("/moves") and method == "POST":
            if sum(part["moves"]) + content["pieces"] < 0:
                return HttpAnswer(409)
            part["moves"].append(content["pieces"])
            return _told({"there": sum(part["moves"])})
        if path.endswith("/moves"):
            return _told(part["moves"])
        if method == "DELETE":
            if sum(part["moves"]):
                return HttpAnswer(409)
            del self.parts[part["id"]]
            return HttpAnswer(204)
        part |= content or {}
        return HttpAnswer(200, {"etag": '"1"'}, json.dumps(part))


def _told(value: Any) -> HttpAnswer:
    return HttpAnswer(200, {}, json.dumps(value))


@pytest.fixture
def finder() -> BaselineFinder:
    return cast(BaselineFinder, Store())


@pytest.fixture
async def world(finder: BaselineFinder) -> ResourceModel:
    api = api_from_document(DOCUMENT, path="openapi.json")
    login = {"method": "POST", "path": "/login", "body": {"content": {"email": "{{email}}"}}}
    sign_in = SignIn(({"method": "POST", "path": "/users"}, login), "/token")
    users = {name: Credential(name, "bearer", "PASSWORD", sign_in=sign_in) for name in ("user", "other_user", "admin")}
    found = ResourceModel(api, SampleValues(api.components), users=users, guarded={"me"})
    found.logins["log_in"] = {"email": "{{USER_EMAIL}}", "password": "{{USER_PASSWORD}}"}
    found.roles = {one.name: "user" for one in api.operations if one.name not in ("sign_up", "log_in")}
    for operation in sorted(api.operations, key=lambda known: (known.method != "POST", known.path)):
        made = build_request(found, operation)
        assert made is not None
        request = made[0]
        if operation.name == "change":
            request = {**request, "body": {"media_type": "application/json", "content": {"title": "new"}}}
        answers = await finder.send((*made[1], request)) if operation.name != "sign_up" else (_told({"email": "ada"}),)
        assert answers[-1].ok
        saves = {"part_id": "/id"} if operation.name == "add" else {}
        found.baselines[operation.name] = BaselineRequest(operation, request, made[1], answers[-1], saves)
    return found


def _by_name(found: Sequence[Proposal]) -> dict[str, Proposal]:
    return {f"{one.operation.name} {one.name}": one for one in found}


async def test_the_last_piece_is_taken_out_and_one_more_is_not(finder: BaselineFinder, world: ResourceModel) -> None:
    second = await second_things(finder, world)
    found = _by_name(await limit_proposals(finder, world, second))
    last, over = found["move with_the_lowest_pieces"], found["move below_the_lowest_pieces"]
    put_in = second["move"].request["body"]["content"]["pieces"]
    assert last.setup[-1]["body"]["content"] == {"pieces": put_in}
    assert last.request["body"]["content"] == {"pieces": -put_in}
    assert over.request["body"]["content"] == {"pieces": -put_in - 1}
    assert [(await finder.send((*one.setup, one.request)))[-1].status for one in (last, over)] == [200, 409]
    assert set(found) == {"move with_the_lowest_pieces", "move below_the_lowest_pieces"}


async def test_of_what_is_nearly_all_booked_a_little_more_is_asked_for(
    finder: BaselineFinder, world: ResourceModel
) -> None:
    sent = finder.send

    async def bounded(requests: Sequence[Json], *, again: bool = False) -> tuple[HttpAnswer, ...]:
        answers = await sent(requests, again=again)
        contents = [(one.get("body") or {}).get("content", {}).get("pieces", 0) for one in requests]
        return answers if sum(contents) < 10 else (*answers[:-1], HttpAnswer(409))

    cast(Any, finder).send = bounded
    assert (await second_things(finder, world))["move"].request["body"]["content"] == {"pieces": 2}


async def test_a_total_is_read_of_several_things_of_which_two_are_of_one_kind(
    finder: BaselineFinder, world: ResourceModel
) -> None:
    second = await second_things(finder, world)
    third = await third_things(finder, world, second)
    [proposal] = [one for one in await total_proposals(finder, world, second, third, 99) if "move" in one.name]
    answers = await finder.send((*proposal.setup, proposal.request))
    amount = second["move"].request["body"]["content"]["pieces"]
    assert json.loads(answers[-1].text) == {"tool": 1 + amount + amount, "food": amount}


async def test_a_list_is_sorted_with_a_third_member_that_is_like_the_first_but_for_its_name(
    finder: BaselineFinder, world: ResourceModel
) -> None:
    second = await second_things(finder, world)
    third = await third_things(finder, world, second)
    lists = _by_name(list(filled_lists(world, second, third=third)))
    bodies = [step["body"]["content"] for step in lists["list filled_by_sort_title"].setup]
    assert [body["kind"] for body in bodies] == ["tool", "food", "tool"]
    assert bodies[0]["price"] == bodies[2]["price"]
    titles = [body["title"] for body in bodies]
    assert len(set(titles)) == 3
    assert titles not in (sorted(titles), sorted(titles, reverse=True))
    assert len(lists["list lists_what_was_made"].setup) == 3


@pytest.mark.parametrize(("first", "second"), [("Ada", "Grace"), ("title", "other title"), ("a-1", "b-2")])
def test_a_third_text_is_beyond_neither_in_an_alphabet_with_or_without_capitals(first: str, second: str) -> None:
    texts = [first, second, third_value(TEXT, first, second, SampleValues({}))]
    for key in (str, str.lower):
        assert texts not in (sorted(texts, key=key), sorted(texts, key=key, reverse=True))


async def test_a_list_is_sorted_by_what_its_members_are_answered_with_where_that_has_an_effect(
    finder: BaselineFinder, world: ResourceModel
) -> None:
    second = await second_things(finder, world)
    lists = list(filled_lists(world, second, third=await third_things(finder, world, second)))
    tried = {one.request["query"]["sort"] for one in lists if one.group == "sorted"}
    assert {"id", "-id", "kind", "-kind", "by", "-by"} <= tried
    kept = [one for one in await with_effect(finder, world, lists, 99) if one.group == "sorted"]
    # There is no order by who made them, and that by number is the usual one.
    found = {one.request["query"]["sort"] for one in kept}
    assert found == {"title", "-title", "kind", "-kind", "price", "-price", "-id"}


async def test_several_parts_are_sent_and_read_back_in_an_order_of_their_own(
    finder: BaselineFinder, world: ResourceModel
) -> None:
    found = _by_name(await part_proposals(finder, world))
    tags = found["add with_several_tags"].request["body"]["content"]["tags"]
    assert len(set(tags)) == 3
    assert tags not in (sorted(tags), sorted(tags, reverse=True))
    read = found["read after_add_with_several_tags"]
    assert json.loads((await finder.send((*read.setup, read.request)))[-1].text)["tags"] == tags


async def test_what_tells_who_has_made_it_is_read_where_another_user_has(
    finder: BaselineFinder, world: ResourceModel
) -> None:
    found = _by_name(await maker_proposals(finder, world, 99))
    made = found["add by_another_user"]
    assert (made.request["auth"], made.category) == ("other_user", "success")
    read = found["read after_add_by_another_user"]
    assert [step["auth"] for step in (*read.setup, read.request)] == ["other_user", "user"]
    assert found["me as_an_administrator"].request["auth"] == "admin"
    # Moves do not tell whose they are, and stock is the same for everybody.
    assert not [name for name in found if name.startswith(("moves", "move ", "stock"))]


async def test_what_holds_something_is_emptied_before_it_is_removed_and_made_again(
    finder: BaselineFinder, world: ResourceModel
) -> None:
    again = _by_name(await relation_proposals(finder, world, await second_things(finder, world), 99))[
        "moves after_it_was_made_again"
    ]
    assert [step["body"]["content"]["pieces"] for step in again.setup if step["path"].endswith("/moves")] == [1, -1]


async def test_a_tag_is_asked_with_after_each_field_and_after_what_is_put_in(
    finder: BaselineFinder, world: ResourceModel
) -> None:
    found = _by_name(list(conditional_proposals(world, await second_things(finder, world))))
    for name in ("change_with_another_title", "change_with_another_price", "move"):
        proposal = found[f"read modified_by_{name}"]
        assert proposal.setup[-2]["save"] == {"entity_tag": "/@headers/etag"}
        assert proposal.request["headers"] == {"If-None-Match": "{{entity_tag}}"}
        assert proposal.statuses == (200,)
    assert found["read not_modified_among_several"].request["headers"]["If-None-Match"].endswith(", {{entity_tag}}")
    assert found["read modified"].statuses == (200,)
    assert found["change precondition_met"].statuses == (200,)
    outdated = found["change precondition_outdated"]
    assert outdated.setup[-1] == outdated.request
    anothers = found["read modified_for_the_tag_of_another"]
    assert anothers.setup[-1]["path_parameters"] == {"part_id": "{{other_part_id}}"}
    assert anothers.request["path_parameters"] == {"part_id": "{{part_id}}"}
    assert found["change precondition_of_another"].statuses == (412,)


async def test_a_second_session_goes_on_when_the_first_one_has_ended(
    finder: BaselineFinder, world: ResourceModel
) -> None:
    found = _by_name(await second_sessions(finder, world, 99))
    later = found["me with_another_token_after_log_out"]
    assert [step["path"] for step in later.setup] == ["/login", "/logout"]
    assert later.request["headers"] == {"Authorization": "Bearer {{issued_token}}"}
    assert "auth" not in later.request
    assert "me after_a_second_login" in found


def _signed(claims: Json) -> str:
    return f"e30.{base64.urlsafe_b64encode(json.dumps(claims).encode()).decode().rstrip('=')}.{hash(str(claims))}"


@pytest.mark.parametrize(
    "token",
    [lambda _: "the same", lambda login: _signed({"sub": 1, "exp": login}), lambda login: f"second {login // 2}"],
    ids=["one_for_all", "only_its_time_is_its_own", "two_in_one_second"],
)
async def test_no_session_goes_on_with_a_token_that_may_be_the_first_one(
    token: Callable[[int], str], finder: BaselineFinder, world: ResourceModel
) -> None:
    cast(Any, finder).token = token
    assert set(_by_name(await second_sessions(finder, world, 99))) == {"me after_a_second_login"}


async def test_tokens_with_an_id_of_their_own_are_told_apart_in_the_same_second(
    finder: BaselineFinder, world: ResourceModel
) -> None:
    cast(Any, finder).token = lambda login: _signed({"sub": 1, "exp": 7, "jti": login})
    assert "me with_another_token_after_log_out" in _by_name(await second_sessions(finder, world, 99))


async def test_a_token_is_sent_without_the_word_before_it_and_with_another(world: ResourceModel) -> None:
    sent = {
        one.request["headers"]["Authorization"]: one for one in malformed_tokens(world.baselines["me"], world.users)
    }
    assert set(sent) == {"Bearer {{issued_token}}x", "{{issued_token}}", "Token {{issued_token}}"}
    assert sent["{{issued_token}}"].wants == "any"


async def test_who_signs_up_in_small_letters_logs_in_with_capitals_and_the_other_way_round(
    world: ResourceModel,
) -> None:
    found = _by_name(list(letter_case_proposals(world)))
    small, capital = (found[f"log_in in_{how}_after_a_sign_up_in_others"] for how in ("small_letters", "capitals"))
    email = world.baselines["sign_up"].request["body"]["content"]["email"]
    assert capital.setup[0]["body"]["content"]["email"] == small.request["body"]["content"]["email"] == email
    assert capital.request["body"]["content"]["email"] == email[:1].upper() + email[1:] != email
    assert "{{" not in json.dumps(capital.request)
    assert found["sign_up in_capitals_after_small_letters"].category == "state"
