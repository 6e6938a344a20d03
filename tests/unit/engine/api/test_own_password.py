"""Changes of a user's own password, requests about a user who exists, and setups that go together."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, cast

import pytest

from testwright.engine.api.document.application import AppObserver
from testwright.engine.api.document.auth import Credential, SignIn
from testwright.engine.api.document.operations import api_from_document
from testwright.engine.api.model.model import HttpAnswer, Json, Proposal
from testwright.engine.api.probe.baselines import BaselineFinder
from testwright.engine.api.probe.propose_access import access_proposals, logins_after_change
from testwright.engine.api.probe.resource_model import BaselineRequest, ResourceModel, build_request
from testwright.engine.api.values.data import SampleValues

pytestmark = pytest.mark.feature("T-20")

LOGIN, CHANGE = "POST /login", "PATCH /me/password"


def _taking(*names: str) -> Json:
    schema = {"type": "object", "properties": {name: {"type": "string"} for name in names}, "required": list(names)}
    return {"requestBody": {"content": {"application/json": {"schema": schema}}}, "responses": {"200": {}}}


ADDRESS = {"name": "email", "in": "path", "required": True, "schema": {"type": "string"}}
SECURED = {"security": [{"bearer": []}]}
DOCUMENT: Json = {
    "openapi": "3.1.0",
    "paths": {
        "/login": {"post": _taking("email", "password")},
        "/me/password": {"patch": {**_taking("current_password", "new_password"), **SECURED}},
        "/recovery/{email}": {"post": {"parameters": [ADDRESS], "responses": {"200": {}, "404": {}}}},
        "/tags": {"post": _taking("label")},
    },
    "components": {"securitySchemes": {"bearer": {"type": "http", "scheme": "bearer"}}},
}


@pytest.fixture
def world() -> ResourceModel:
    api = api_from_document(DOCUMENT, path="members.py")
    user = Credential("user", "bearer", "USER_PASSWORD", sign_in=SignIn((), "/access_token"))
    found = ResourceModel(api, SampleValues(api.components), auth={"bearer": "user"}, users={"user": user})
    for operation in api.operations:
        if operation.label == LOGIN:
            found.logins[operation.name] = {"email": "{{USER_EMAIL}}", "password": "{{USER_PASSWORD}}"}
        made = build_request(found, operation)
        assert made is not None
        found.baselines[operation.name] = BaselineRequest(operation, *made, HttpAnswer(200, {}, "{}"))
    return found


def _of(world: ResourceModel, label: str) -> BaselineRequest:
    return next(known for known in world.baselines.values() if known.operation.label == label)


def _content(proposal: BaselineRequest | Proposal) -> Json:
    return proposal.request["body"]["content"]


def test_a_change_of_a_password_repeats_the_one_of_who_asks(world: ResourceModel) -> None:
    change = _of(world, CHANGE)
    assert change.request["auth"] == "user"
    assert _content(change)["current_password"] == "{{USER_PASSWORD}}"
    assert "{{" not in _content(change)["new_password"]


def test_a_change_of_a_password_is_refused_to_who_does_not_know_it(world: ResourceModel) -> None:
    [wrong] = [one for one in access_proposals(world, _of(world, CHANGE), world.users) if "wrong_current" in one.name]
    assert _content(wrong)["current_password"] == "{{USER_PASSWORD}}-wrong"
    assert (wrong.category, wrong.wants) == ("authentication", "refusal")


def test_after_a_change_of_a_password_the_new_one_logs_in_and_the_old_one_is_tried(world: ResourceModel) -> None:
    change = _of(world, CHANGE)
    new, old = logins_after_change(world)
    assert new.operation.label == old.operation.label == LOGIN
    assert new.setup == old.setup == change.story
    assert _content(new) == {"email": "{{USER_EMAIL}}", "password": _content(change)["new_password"]}
    assert _content(old) == {"email": "{{USER_EMAIL}}", "password": "{{USER_PASSWORD}}"}


def test_a_login_whose_request_has_no_body_is_not_tried_after_a_change_of_a_password(world: ResourceModel) -> None:
    del _of(world, LOGIN).request["body"]
    assert list(logins_after_change(world)) == []


def test_a_path_with_an_address_is_asked_with_that_of_a_user_who_exists(world: ResourceModel) -> None:
    operation = _of(world, "POST /recovery/{email}").operation
    found = BaselineFinder(cast(AppObserver, None), world, world.users)._stories(operation, 0, [])
    tried = [request["path_parameters"]["email"] for request, _ in found]
    assert tried[-1] == "{{USER_EMAIL}}"
    assert len(tried) == 2


class Observing:
    """Answers as an application in which the second of two tags has no other label than the first may have."""

    def __init__(self) -> None:
        self.sent: list[list[str]] = []

    async def answers(self, requests: Sequence[Json], **_: Any) -> tuple[HttpAnswer, ...]:
        self.sent.append([request["path"] for request in requests])
        found: list[HttpAnswer] = []
        for at, request in enumerate(requests):
            if request["path"] == "/tags" and any(other["path"] == "/tags" for other in requests[:at]):
                return (*found, HttpAnswer(failure="the answer lacks what the next request needs", broken_link=True))
            found.append(HttpAnswer(404, {}, "no such user") if "recovery" in request["path"] else HttpAnswer(200))
        return tuple(found)


async def test_requests_that_do_not_go_together_are_left_out_with_what_needs_them() -> None:
    finder = BaselineFinder(cast(AppObserver, Observing()), cast(ResourceModel, None), {})
    first: Json = {"method": "POST", "path": "/tags", "save": {"tag_id": "/id"}}
    other: Json = {**first, "save": {"other_tag_id": "/id"}}
    using: Json = {"method": "PUT", "path": "/uses", "query": {"tag": "{{other_tag_id}}"}}
    last: Json = {"method": "POST", "path": "/notes"}
    assert await finder._that_work([first, other, using, last]) == [first, last]


async def test_the_answer_of_an_application_is_told_rather_than_that_a_setup_broke(world: ResourceModel) -> None:
    operation = _of(world, "POST /recovery/{email}").operation
    del world.baselines[operation.name]
    observer: Any = Observing()
    finder = BaselineFinder(observer, world, world.users)
    await finder.find()
    assert finder.failures[operation.name].status == 404


FOLLOW = "/people/{email}/follow"


async def test_a_removal_is_tried_after_what_it_undoes_by_the_same_user() -> None:
    taking: Json = {"parameters": [ADDRESS], **SECURED, "responses": {"200": {}}}
    api = api_from_document({**DOCUMENT, "paths": {FOLLOW: {"post": taking, "delete": taking}}}, path="members.py")
    post, delete = sorted(api.operations, key=lambda known: known.method != "POST")
    world = ResourceModel(api, SampleValues(api.components), auth={"bearer": "user"})
    request: Json = {"method": "POST", "path": FOLLOW, "path_parameters": {"email": "bob@example.com"}, "auth": "admin"}
    world.baselines[post.name] = BaselineRequest(post, request, (), HttpAnswer(200, {}, "{}"))
    stories = list(BaselineFinder(cast(AppObserver, None), world, {})._stories(delete, 0, []))
    # Taken away where it was never set, a mark shows nothing: it is set first.
    assert stories[0] == ({**request, "method": "DELETE"}, (request,))


async def test_what_signs_out_is_left_out_of_what_comes_before_others(world: ResourceModel) -> None:
    api = api_from_document({**DOCUMENT, "paths": {"/logout": {"post": {"responses": {"200": {}}}}}}, path="members.py")
    [logout] = api.operations
    request: Json = {"method": "POST", "path": "/logout", "auth": "user"}
    world.baselines[logout.name] = BaselineRequest(logout, request, (), HttpAnswer(200, {}, "{}"))
    observer: Any = Observing()
    found = await BaselineFinder(observer, world, world.users).everything(_of(world, "POST /tags").operation)
    assert "/login" in [step["path"] for step in found]
    assert "/logout" not in [step["path"] for step in found]
