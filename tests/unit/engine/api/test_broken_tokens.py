"""A token that the application breaks on has let nobody in: the next way to sign in is tried."""

from __future__ import annotations

import asyncio
import base64
from typing import cast

import pytest

from testwright.engine.api.document.application import AppObserver
from testwright.engine.api.document.auth import Credential, SignIn, candidate_credentials
from testwright.engine.api.document.operations import api_from_document
from testwright.engine.api.model.model import HttpAnswer, Json
from testwright.engine.api.probe.baselines import find_working_credentials
from testwright.engine.api.probe.resource_model import ResourceModel
from testwright.engine.api.probe.sign_in.try_out import SeededUser, find_users
from testwright.engine.api.probe.sign_in.users import worker_users
from testwright.engine.api.values.data import SampleValues
from testwright.sandbox.worker.http.spec_requests import signing_in
from testwright.tests.support.engine.answering import AnsweringApplication

pytestmark = pytest.mark.feature("T-20")

ACCOUNT = {
    "type": "object",
    "properties": {"email": {"type": "string"}, "password": {"type": "string"}},
    "required": ["email", "password"],
}
SIGN_UP = {"requestBody": {"content": {"application/json": {"schema": ACCOUNT}}}, "responses": {"201": {}}}
DOCUMENT: Json = {
    "openapi": "3.1.0",
    "paths": {
        "/signup": {"post": SIGN_UP},
        "/notes": {"get": {"security": [{"bearer": []}], "responses": {"200": {}}}},
    },
    "components": {"securitySchemes": {"bearer": {"type": "http", "scheme": "bearer"}}},
}


def _application(to_any_token: int, to_its_own: int = 200) -> AppObserver:
    """Answers 401 without a token, and to one with what it is told."""

    def answer(request: Json) -> HttpAnswer:
        if request["path"] == "/signup":
            return HttpAnswer(201, {}, '{"token": "0a1b2c3d4e5f"}')
        if request.get("user"):
            return HttpAnswer(to_its_own, {}, "[]")
        return HttpAnswer(to_any_token if request.get("headers") else 401)

    return cast(AppObserver, AnsweringApplication(answer))


def _world() -> ResourceModel:
    api = api_from_document(DOCUMENT, path="notes.py")
    return ResourceModel(api, SampleValues(api.components))


@pytest.mark.parametrize(("status", "opened"), [(500, set()), (401, set()), (200, {"bearer"}), (404, {"bearer"})])
def test_a_made_up_token_opens_nothing_where_the_application_breaks_on_it(status, opened):
    world = _world()
    observer = _application(status)
    offered = candidate_credentials(world.api, ["NOTES_TOKEN"])
    assert set(asyncio.run(find_working_credentials(observer, world, offered))) == opened


@pytest.mark.parametrize(("status", "users"), [(500, set()), (200, {"user", "other_user"})])
def test_a_user_has_signed_in_where_nothing_breaks_on_the_token(status, users):
    assert set(asyncio.run(find_users(_application(500, status), _world()))) == users


def _challenge(request: Json) -> HttpAnswer:
    """Names no way to sign in, and asks for a name and a password by its refusal."""
    if request.get("user"):
        return HttpAnswer(200, {}, "[]")
    return HttpAnswer(401, {"WWW-Authenticate": 'Basic realm="notes"'})


def test_a_user_who_is_named_signs_in_by_the_pair_that_a_refusal_asks_for():
    api = api_from_document({"openapi": "3.1.0", "paths": {"/notes": {"get": {"responses": {}}}}}, path="notes.py")
    observer = cast(AppObserver, AnsweringApplication(_challenge))
    seeded = [SeededUser("bob", "BOB_PASSWORD", "correct-horse")]
    users = asyncio.run(find_users(observer, ResourceModel(api, SampleValues(api.components)), seeded))
    assert users["user"].kind == "basic"


def test_a_user_who_signs_in_by_a_pair_sends_their_name_and_password():
    known = SignIn((), "name", "bob", "correct-horse")
    users = worker_users({"user": Credential("user", "basic", "BOB_PASSWORD", sign_in=known)})
    header = signing_in(users)(None)["user"]["Authorization"]
    assert base64.b64decode(header.removeprefix("Basic ")) == b"bob:correct-horse"
