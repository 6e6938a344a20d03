"""A served document that says nothing of bodies is completed by what handlers read; it promises nothing of it."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import Any, cast

import pytest

from testwright.engine.api.document.application import AppObserver
from testwright.engine.api.document.operations import api_from_document
from testwright.engine.api.document.read_bodies import with_read_bodies
from testwright.engine.api.model.model import HttpAnswer, ObservedProposal, Proposal
from testwright.engine.api.probe.judge import find_violation
from testwright.engine.api.probe.resource_model import ResourceModel
from testwright.engine.api.probe.sign_in.prepare import CredentialSources, find_credentials
from testwright.engine.api.probe.sign_in.shapes import sign_ups, with_sign_up_fields
from testwright.engine.api.values.data import SampleValues
from testwright.tests.support.engine.answering import AnsweringApplication

pytestmark = [pytest.mark.feature("T-20"), pytest.mark.feature("B-05")]

LOGIN = {"type": "object", "properties": {"email": {"type": "string"}, "password": {"type": "string"}}}


def taking(schema: Any, **more: Any) -> dict[str, Any]:
    return {"requestBody": {"required": True, "content": {"application/json": {"schema": schema}}}, **more}


def completed(served: dict[str, Any], read: dict[str, Any]) -> dict[str, Any]:
    path = {"openapi": "3.0.3", "paths": {"/login/": {"post": served}}}
    return with_read_bodies(path, {"openapi": "3.1.0", "paths": {"/login": {"post": read}}})["paths"]["/login/"]["post"]


def test_a_body_and_queries_that_the_document_lacks_come_from_the_code() -> None:
    page = {"name": "page", "in": "query", "required": True, "schema": {"type": "integer"}}
    made = completed({"responses": {}}, taking(LOGIN, parameters=[page]))
    assert made["requestBody"]["content"]["application/json"]["schema"] == LOGIN
    assert made["parameters"] == [{**page, "required": False}]


def test_what_the_document_says_stays() -> None:
    own = {"type": "object", "properties": {"name": {"type": "string"}}}
    page = {"name": "page", "in": "query", "schema": {"type": "string"}}
    served = taking(own, parameters=[page])
    assert completed(served, taking(LOGIN, parameters=[{**page, "schema": {"type": "integer"}}])) == served


def test_a_parameter_that_the_document_refers_to_stays() -> None:
    page = {"name": "page", "in": "query", "schema": {"type": "integer", "minimum": 1}}
    served = {"parameters": [{"$ref": "#/components/parameters/Page"}], "responses": {}}
    document = {"paths": {"/a": {"get": served}}, "components": {"parameters": {"Page": page}}}
    read = {"paths": {"/a": {"get": {"parameters": [{**page, "schema": {}}]}}}}
    assert with_read_bodies(document, read) == document


@pytest.mark.parametrize("own", [None, {"schemas": {"Note": {"type": "string"}}}])
def test_a_model_of_the_code_is_another_one_than_the_component_of_its_name(own: Any) -> None:
    reference = {"$ref": "#/components/schemas/Note"}
    document = {"paths": {"/a": {"post": {"responses": {}}}}, "components": own}
    told = {"Note": {"type": "object", "properties": {"next": reference}}}
    read = {"paths": {"/a": {"post": taking({"$ref": "#/components/schemas/Note"})}}, "components": {"schemas": told}}
    made = api_from_document(with_read_bodies(document, read), path="openapi.json")
    body = made.operations[0].body
    assert body is not None
    inner = SampleValues(made.components).merged(body.schema)["properties"]["next"]
    assert SampleValues(made.components).merged(inner)["type"] == "object"
    assert made.components.get("Note") == (own["schemas"]["Note"] if own else told["Note"])


def test_that_there_is_a_body_comes_from_the_code_too() -> None:
    made = completed({"responses": {}}, taking({"type": "object"}))
    assert made["requestBody"]["content"]["application/json"]["schema"] == {"type": "object"}


def api_of(**posts: dict[str, Any]) -> Any:
    document = {
        "openapi": "3.0.3",
        "paths": {f"/{name}": {"post": {"responses": {}, **one}} for name, one in posts.items()},
    }
    return api_from_document(document, path="openapi.json")


def test_a_sign_up_that_says_nothing_takes_what_the_login_takes() -> None:
    api = api_of(login=taking(LOGIN), register={}, notes={})
    made = with_sign_up_fields(api, SampleValues(api.components))
    assert [one.path for one in sign_ups(made, SampleValues({}))] == ["/register"]
    assert {one.path: one.body and one.body.read for one in made.operations} == {
        "/login": False,
        "/register": True,
        "/notes": None,
    }


@pytest.mark.parametrize("names", [("accounts", "rooms_join", "sign_up"), ("sign_up", "accounts")])
def test_only_the_likeliest_sign_up_is_given_what_the_login_takes(names: tuple[str, ...]) -> None:
    api = api_of(login=taking(LOGIN), **{name: {} for name in names})
    made = with_sign_up_fields(api, SampleValues(api.components))
    assert [one.path for one in made.operations if one.body] == ["/login", "/sign_up"]


def test_what_nobody_signs_up_by_takes_what_it_took_before() -> None:
    closed = AnsweringApplication(lambda _: HttpAnswer(403), signs_in=False)
    api = api_of(login=taking(LOGIN), accounts={})
    world = ResourceModel(api, SampleValues(api.components))
    asyncio.run(find_credentials(cast(AppObserver, closed), world, CredentialSources()))
    assert [one.path for one in world.api.operations if one.body] == ["/login"]


def test_what_the_code_tells_of_a_sign_up_is_taken_besides() -> None:
    part = {"type": "object", "properties": {"password": {"type": "string"}, "age": {"type": "integer"}}}
    api = api_of(login=taking(LOGIN), register={"requestBody": {**taking(part)["requestBody"], "x-read-in-code": True}})
    made = with_sign_up_fields(api, SampleValues(api.components))
    body = made.operations[1].body
    assert body is not None
    assert list(body.schema["properties"]) == ["email", "password", "age"]
    assert body.schema["required"] == ["email", "password"]


def test_another_sign_up_that_is_known_is_enough() -> None:
    api = api_of(login=taking(LOGIN), users=taking(LOGIN), register={})
    assert with_sign_up_fields(api, SampleValues({})) == api


@pytest.mark.parametrize(("read", "suspected"), [(False, "not_enforced"), (True, None)])
def test_what_the_code_tells_of_a_body_is_no_promise(read: bool, suspected: str | None) -> None:
    api = api_of(login=taking(LOGIN, responses={"200": {"description": ""}}))
    [login] = api.operations
    assert login.body is not None
    login = replace(login, body=replace(login.body, read=read))
    request = {"method": "POST", "path": "/login", "body": {"media_type": "application/json", "content": {"email": 1}}}
    proposal = Proposal(login, "type", "refuses 1", "validation", request, wants="refusal", breaks="a number as email")
    seen = ObservedProposal(proposal, (HttpAnswer(200, {"content-type": "application/json"}, "{}"),))
    verdict = find_violation(seen, api, SampleValues({}))
    assert (verdict and verdict.kind) == suspected
    of_query = replace(seen, proposal=replace(proposal, group="broken_query"))
    documented = find_violation(of_query, api, SampleValues({}))
    assert documented is not None
    assert documented.kind == "not_enforced"
