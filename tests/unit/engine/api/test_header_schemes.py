"""A header that the code compares signs in, whatever the document calls it, and the source may hold what it takes."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

import pytest

from testwright.engine.api.document.application import AppObserver
from testwright.engine.api.document.auth import candidate_credentials, header_scheme
from testwright.engine.api.document.operations import api_from_document
from testwright.engine.api.document.source_secrets import find_headers_read, find_source_secrets
from testwright.engine.api.model.model import Api, HttpAnswer, Json
from testwright.engine.api.probe.resource_model import ResourceModel
from testwright.engine.api.probe.sign_in.failure import MissingCredential
from testwright.engine.api.probe.sign_in.header_schemes import with_header_schemes
from testwright.engine.api.probe.sign_in.prepare import CredentialSources, find_credentials
from testwright.engine.api.values.data import SampleValues
from testwright.engine.python.project.layout import ModulePlace
from testwright.tests.support.engine.answering import AnsweringApplication

pytestmark = pytest.mark.feature("T-20")

TOKEN = "desk-token-of-the-workshop"
Answering = Callable[[Json, Mapping[str, str]], int]


def _operation(header: str, *, required: bool) -> Json:
    parameter = {"name": header, "in": "header", "required": required, "schema": {"type": "string"}}
    return {"parameters": [parameter], "responses": {"200": {"description": "ok"}}}


def _api(header: str = "authorization", *, required: bool = True) -> Api:
    paths = {f"/{name}": {"get": _operation(header, required=required)} for name in ("bikes", "jobs")}
    return api_from_document(
        {"openapi": "3.1.0", "paths": {**paths, "/health": {"get": {"responses": {}}}}}, path="a.py"
    )


def _service(answering: Answering) -> AppObserver:
    def answer(request: Json) -> HttpAnswer:
        given = {name.lower(): value for name, value in (request.get("headers") or {}).items()}
        return HttpAnswer(answering(request, given))

    return cast(AppObserver, AnsweringApplication(answer))


def _found(api: Api, answering: Answering, **known: Any) -> tuple[ResourceModel, dict[str, str]]:
    world = ResourceModel(api, SampleValues(api.components))
    credentials = asyncio.run(find_credentials(_service(answering), world, CredentialSources(**known), users=False))
    return world, {name: f"{one.kind} {one.parameter} {one.variable}" for name, one in credentials.items()}


def _taking(expected: str, header: str = "authorization") -> Answering:
    def answered(request: Json, headers: Mapping[str, str]) -> int:
        if request["path"] == "/health":
            return 200
        return 422 if header not in headers else 200 if headers[header] == expected else 401

    return answered


def test_a_required_header_with_the_token_of_the_source_signs_in() -> None:
    world, found = _found(_api(), _taking(f"Bearer {TOKEN}"), literals={"API_TOKEN": TOKEN})
    assert found == {"authorization": "bearer  API_TOKEN"}
    [bikes, jobs, health] = world.api.operations
    assert bikes.security == jobs.security == (("authorization",),)
    assert bikes.parameters == ()
    assert health.security == ()
    assert world.missing is None


@pytest.mark.parametrize(
    ("header", "sent", "form"),
    [
        ("authorization", TOKEN, "api_key_header Authorization API_TOKEN"),
        ("x-api-key", TOKEN, "api_key_header x-api-key API_TOKEN"),
    ],
)
def test_a_header_that_takes_the_token_without_a_word_before_it_is_given_that(
    header: str, sent: str, form: str
) -> None:
    _, found = _found(_api(header), _taking(sent, header), secrets=["API_TOKEN"], values={"API_TOKEN": TOKEN})
    assert list(found.values()) == [form]


def test_a_header_whose_value_does_not_matter_stays_a_parameter() -> None:
    api = _api("x-request-token")
    world, found = _found(api, lambda _, headers: 200 if "x-request-token" in headers else 422)
    assert (world.api, found, world.missing) == (api, {}, None)


def test_operations_that_let_everybody_in_without_the_header_stay_open() -> None:
    def answered(request: Json, headers: Mapping[str, str]) -> int:
        if "authorization" in headers:
            return 200 if headers["authorization"] == f"Bearer {TOKEN}" else 401
        return 200 if request["path"] == "/bikes" else 401

    world, _ = _found(_api(required=False), answered, literals={"API_TOKEN": TOKEN})
    assert {known.path: known.security for known in world.api.operations} == {
        "/bikes": (),
        "/jobs": (("authorization",),),
        "/health": (),
    }


def test_a_header_whose_value_nobody_knows_stays_a_parameter_and_the_report_says_how_to_give_one() -> None:
    api = _api("x-api-key")
    world, found = _found(api, _taking(TOKEN, "x-api-key"), secrets=["MAIL_PASSWORD"])
    assert (world.api, found) == (api, {})
    missing = MissingCredential(("GET /bikes", "GET /jobs"), ("the header x-api-key",), ("MAIL_PASSWORD",))
    assert world.missing == missing
    note = missing.note(str)
    assert "2 operations ask for the header x-api-key" in note
    assert 'env = { API_TOKEN = "${API_TOKEN}" }' in note


@pytest.mark.parametrize(
    "name", ["authorization", "X-API-Key", "x-token", "X-Auth-Token", "apikey", "X-OAuth", "PartnerKey"]
)
def test_headers_are_known_by_their_names(name: str) -> None:
    assert header_scheme(name) is not None


@pytest.mark.parametrize(
    "name",
    [
        *("Idempotency-Key", "X-CSRF-Token", "X-Page-Token", "X-Request-Id", "If-Match"),
        *("X-Monkey", "Surrogate-Key", "Sec-WebSocket-Key", "X-Request-Key"),
    ],
)
def test_headers_that_sign_nobody_in_are_not(name: str) -> None:
    assert header_scheme(name) is None


SOURCE = """
import hmac
from pydantic_settings import BaseSettings

API_TOKEN = "desk-token-of-the-workshop"
PARTNER_KEYS = {"partner-one": "Ada", "partner-two": "Grace"}
PROVIDER_API_KEY = "sk-live0123456789abcdef0123"


class Settings(BaseSettings):
    webhook_secret: str = "changed-by-nobody"


def desk(authorization):
    scheme, _, token = authorization.partition(" ")
    if scheme.lower() != "bearer" or authorization != f"Bearer {API_TOKEN}":
        raise PermissionError


def kiosk(request):
    return hmac.compare_digest(request.headers["X-Kiosk-Key"], b"kiosk-at-the-door")


def greet(name):
    return name == "ada"
"""


def test_the_source_tells_the_credentials_that_it_compares_those_first(tmp_path: Path) -> None:
    (tmp_path / "shop.py").write_text(SOURCE, encoding="utf-8")
    found = find_source_secrets(tmp_path, [ModulePlace("shop.py", "shop", ".")])
    assert [(known.variable, known.value) for known in found] == [
        ("API_TOKEN", f"Bearer {TOKEN}"),
        ("X_KIOSK_KEY", "kiosk-at-the-door"),
        ("SECOND_API_TOKEN", TOKEN),
        ("PARTNER_KEYS", "partner-one"),
        ("SECOND_PARTNER_KEYS", "partner-two"),
        ("THIRD_PARTNER_KEYS", "Ada"),
        ("FOURTH_PARTNER_KEYS", "Grace"),
        ("WEBHOOK_SECRET", "changed-by-nobody"),
    ]


PAIRS = """
import secrets

USERS = {"ada": "lovelace", "grace": "hopper"}


def check(credentials):
    right_name = secrets.compare_digest(credentials.username.encode(), b"porter")
    return right_name and secrets.compare_digest(credentials.password.encode(), b"swordfish")
"""


def test_names_with_their_passwords_open_the_basic_scheme(tmp_path: Path) -> None:
    (tmp_path / "shop.py").write_text(PAIRS, encoding="utf-8")
    found = {
        known.variable: known.value for known in find_source_secrets(tmp_path, [ModulePlace("shop.py", "shop", ".")])
    }
    pairs = {
        "USERS_PASSWORD": "ada:lovelace",
        "SECOND_USERS_PASSWORD": "grace:hopper",
        "SECOND_PASSWORD": "porter:swordfish",
    }
    assert found.items() >= pairs.items()
    declared = {"securitySchemes": {"basic": {"type": "http", "scheme": "basic"}}}
    api = api_from_document({"openapi": "3.1.0", "paths": {}, "components": declared}, path="a.py")
    offered = candidate_credentials(api, [], {}, found)
    assert sorted(one.value for one in offered["basic"]) == ["ada:lovelace", "grace:hopper", "porter:swordfish"]


def _secrets(folder: Path, source: str) -> dict[str, str]:
    (folder / "shop.py").write_text(source, encoding="utf-8")
    return {known.value: known.variable for known in find_source_secrets(folder, [ModulePlace("shop.py", "shop", ".")])}


@pytest.mark.parametrize(
    "body",
    [
        'if user == "root":\n        return 1\n    return user == "ann" and password == "annpw1"',
        'return (user == "ann" and password == "annpw1") or user == "root"',
        'if user == "ann":\n        return password == "annpw1"\n\ndef other(user):\n    return user == "root"',
        'return user == "ann" and password == "annpw1"\n\ndef a(user):\n    return user == "root"\n\n'
        'def b(password):\n    return password == "rootpw1"',
    ],
)
def test_a_name_and_a_password_of_one_condition_or_one_function_belong_together(tmp_path: Path, body: str) -> None:
    found = _secrets(tmp_path, f"def check(user, password):\n    {body}\n")
    assert [value for value in found if ":" in value] == ["ann:annpw1"]


def test_words_of_a_language_crowd_out_no_key_that_is_compared_with_a_header(tmp_path: Path) -> None:
    words = ", ".join(f'"word{chr(97 + at)}"' for at in range(20))
    marks = ", ".join(f'"<{at}>"' for at in range(20))
    found = _secrets(
        tmp_path,
        f"def lex(token):\n    return token in ({words}) or token in ({marks}) or 'token' in ('one-1', 'two-2')\n\n\n"
        'def guard(request):\n    return request.headers.get("X-API-Key") == "desk-key-1"\n',
    )
    assert next(iter(found.items())) == ("desk-key-1", "X_API_KEY")
    assert not {"worda", "one-1"} & set(found)
    assert (len(found), found["<10>"]) == (12, "TOKEN_11")


GUARD = """
import httpx
from flask import request

HEADERS = {}


def guard(incoming, response):
    if incoming.headers.get("X-Desk-Key") != "desk" and request.headers["Authorization"] != "Bearer desk":
        response.headers["X-Other-Key"] = "set"
        return response.headers["X-Answer-Token"], incoming.headers.get("Accept"), HEADERS.get("X-Plain-Key")
    res, fetched = httpx.get("/"), httpx.get("/keys")
    if res.headers.get("X-Auth-Token") or fetched.headers["X-RateLimit-Key"]:
        return httpx.get("/").headers["X-Fetched-Key"]
    return httpx.get("/", headers={"X-Outgoing-Key": "sent"})
"""


def test_headers_that_the_code_reads_of_a_request_are_found(tmp_path: Path) -> None:
    (tmp_path / "guard.py").write_text(GUARD, encoding="utf-8")
    assert find_headers_read(tmp_path, [ModulePlace("guard.py", "guard", ".")]) == ["X-Desk-Key", "Authorization"]


def test_what_a_middleware_asks_for_signs_in_to_operations_that_no_document_secures() -> None:
    login = {
        "requestBody": {
            "content": {
                "application/json": {
                    "schema": {
                        "type": "object",
                        "properties": {"username": {"type": "string"}, "password": {"type": "string"}},
                        "required": ["username", "password"],
                    }
                }
            }
        },
        "responses": {},
    }
    paths = {"/bikes": {"get": {"responses": {}}}, "/health": {"get": {"responses": {}}}, "/login": {"post": login}}
    api = api_from_document({"openapi": "3.1.0", "paths": paths}, path="a.py")

    def answered(request: Json, headers: Mapping[str, str]) -> int:
        return 200 if request["path"] == "/health" or headers.get("x-desk-key") == TOKEN else 401

    read = {"headers": ["Authorization", "X-Desk-Key"], "literals": {"DESK_KEY": TOKEN}}
    world, found = _found(api, answered, **read)
    assert found == {"x_desk_key": "api_key_header X-Desk-Key DESK_KEY"}
    ways = {known.path: known.security for known in world.api.operations}
    assert ways == {"/bikes": (("authorization",), ("x-desk-key",)), "/health": (), "/login": ()}
    assert world.secured(world.api.operations[0]) == ("x_desk_key",)


def _guarded(paths: Sequence[str], method: str = "get") -> Api:
    document = {"openapi": "3.1.0", "paths": {path: {method: {"responses": {}}} for path in paths}}
    return api_from_document(document, path="a.py")


@pytest.mark.parametrize(("open_paths", "closed"), [("^$", 44), ("^/jobs/3$", 43), ("/", 0)])
def test_each_operation_is_asked_readings_first_so_that_no_open_one_counts_as_guarded(
    open_paths: str, closed: int
) -> None:
    reading, writing = _guarded([f"/things/{n}" for n in range(4)]), _guarded([f"/jobs/{n}" for n in range(40)], "post")
    api = replace(reading, operations=(*writing.operations, *reading.operations))
    asked: list[str] = []

    def answered(request: Json, headers: Mapping[str, str]) -> int:
        asked.append(request["method"])
        return 200 if re.search(open_paths, request["path"]) else 401

    world = ResourceModel(api, SampleValues(api.components))
    observer = _service(answered)
    found = asyncio.run(with_header_schemes(observer, world, ["X-Desk-Key"]))
    assert asked == ["GET"] * 4 + ["POST"] * 40
    assert sum(bool(known.security) for known in found.operations) == closed


def test_nothing_is_asked_for_headers_after_the_deadline() -> None:
    def answered(request: Json, headers: Mapping[str, str]) -> int:
        raise AssertionError("asked after the deadline")

    api = _api(required=False)
    world = ResourceModel(api, SampleValues(api.components))
    found = with_header_schemes(_service(answered), world, ["X-Desk-Key"], until=0.0)
    assert asyncio.run(found) is api


def test_what_a_person_has_set_is_tried_before_what_is_made_up() -> None:
    api = api_from_document(
        {
            "openapi": "3.1.0",
            "paths": {"/bikes": {"get": {"security": [{"key": []}], "responses": {}}}},
            "components": {"securitySchemes": {"key": {"type": "apiKey", "in": "header", "name": "X-API-Key"}}},
        },
        path="a.py",
    )
    offered = candidate_credentials(api, ["API_KEY", "DESK_TOKEN"], {"DESK_TOKEN": "mine"}, {"KIOSK_KEY": "door"})
    assert [(one.variable, one.value) for one in offered["key"]] == [
        ("DESK_TOKEN", "mine"),
        ("API_KEY", "test-api-key"),
        ("KIOSK_KEY", "door"),
    ]
