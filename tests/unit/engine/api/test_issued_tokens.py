"""What a login gives is sent under its name, and a further login has the name and the password of the user."""

from __future__ import annotations

import json
from typing import Any, cast

import pytest

from testwright.engine.api.document.application import AppObserver
from testwright.engine.api.document.auth import Credential, SignIn
from testwright.engine.api.document.operations import api_from_document
from testwright.engine.api.model.model import HttpAnswer, Json, ObservedProposal, Operation, Proposal
from testwright.engine.api.probe.execute import drop_setup
from testwright.engine.api.probe.resource_model import BaselineRequest, ResourceModel
from testwright.engine.api.probe.sign_in.issued import further_logins, with_issued_tokens
from testwright.engine.api.values.data import SampleValues

pytestmark = pytest.mark.feature("T-20")
TEXT = {"type": "string"}


def _takes(name: str, *fields: str) -> Json:
    schema = {"type": "object", "properties": dict.fromkeys(fields, TEXT), "required": list(fields)}
    return {
        "operationId": name,
        "requestBody": {"content": {"application/json": {"schema": schema}}},
        "responses": {},
    }


PATHS = {
    "/login": {"post": _takes("logIn", "username", "password")},
    "/auth/login": {"post": _takes("authLogin", "email", "password")},
    "/auth/register": {"post": _takes("authRegister", "username", "email", "password")},
    "/auth/refresh": {"post": _takes("refresh", "refreshToken")},
    "/check": {"get": _takes("check", "refreshToken")},
}


def world(answer: Any) -> ResourceModel:
    api = api_from_document({"openapi": "3.1.0", "paths": PATHS}, path="openapi.json")
    sign_in = SignIn(({"method": "POST", "path": "/login"},), "/token")
    found = ResourceModel(api, SampleValues({}), users={"user": Credential("user", "bearer", "T", sign_in=sign_in)})
    login = next(one for one in api.operations if one.path == "/login")
    found.logins[login.name] = {"username": "{{USER_NAME}}", "password": "{{USER_PASSWORD}}"}
    request = {"method": "POST", "path": "/login", "body": {"content": found.logins[login.name]}}
    found.baselines[login.name] = BaselineRequest(login, request, (), HttpAnswer(200, {}, json.dumps(answer)))
    return found


def stories(known: ResourceModel, path: str, kind: Any) -> list[Any]:
    operation = next(one for one in known.api.operations if one.path == path)
    return [(request["body"]["content"], setup) for request, setup in kind(known, operation)]


def test_a_token_is_saved_of_the_first_place_that_has_it() -> None:
    known = world({"refresh_token": "abc", "user": {"refresh_token": "other"}})
    [(content, [login])] = stories(known, "/auth/refresh", with_issued_tokens)
    assert content == {"refreshToken": "{{issued_refresh_token}}"}
    assert login["save"] == {"issued_refresh_token": "/refresh_token"}


@pytest.mark.parametrize("answer", [{"refresh_token": None}, {"refresh_token": ""}, {}, [], 7])
def test_a_login_that_gives_no_token_gives_none(answer: Any) -> None:
    assert stories(world(answer), "/auth/refresh", with_issued_tokens) == []


def test_a_reading_has_no_body_to_send_a_token_in() -> None:
    assert stories(world({"refresh_token": "abc"}), "/check", with_issued_tokens) == []


def test_a_further_login_is_tried_once_for_each_body_and_a_sign_up_is_none() -> None:
    tried = [content for content, _ in stories(world({}), "/auth/login", further_logins)]
    assert tried == [
        {"email": "{{USER_EMAIL}}", "password": "{{USER_PASSWORD}}"},
        {"email": "{{USER_NAME}}", "password": "{{USER_PASSWORD}}"},
    ]
    assert stories(world({}), "/auth/register", further_logins) == []
    assert stories(world({}), "/login", further_logins) == []


async def test_a_token_that_was_recorded_is_written_into_no_test() -> None:
    class Untouched:
        """Nothing is to be sent: the setup that gives the token stays."""

        async def answers(self, *_: Any, **__: Any) -> Any:
            raise AssertionError

    login: Json = {"method": "POST", "path": "/login", "save": {"issued_refresh_token": "/refresh_token"}}
    request: Json = {"method": "POST", "path": "/refresh", "body": {"content": {"t": "{{issued_refresh_token}}"}}}
    proposal = Proposal(Operation("", "refresh", "POST", "/refresh"), "x", "x", "authentication", request, (login,))
    seen = ObservedProposal(proposal, (HttpAnswer(200, {}, '{"refresh_token": "q8Zp"}'), HttpAnswer(401, {}, "{}")))
    assert await drop_setup(cast(AppObserver, Untouched()), [seen], {}) == [seen]
