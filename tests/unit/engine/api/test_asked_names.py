"""The application's own refusal tells the name of what a body wraps where its document has another."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from typing import Any, cast

import pytest

from testwright.engine.api.document.application import AppObserver
from testwright.engine.api.document.asked_names import name_asked_for, with_wrapper, wrapper_of
from testwright.engine.api.document.operations import api_from_document
from testwright.engine.api.model.model import Api, HttpAnswer, Json
from testwright.engine.api.probe.resource_model import ResourceModel
from testwright.engine.api.probe.sign_in.prepare import CredentialSources, find_credentials
from testwright.engine.api.values.data import SampleValues
from testwright.tests.support.engine.answering import AnsweringApplication

pytestmark = pytest.mark.feature("T-20")

PERSON = {"type": "object", "properties": {"email": {"type": "string"}}, "required": ["email"]}


def api_of(schema: Any, media_type: str = "application/json") -> Api:
    post = {"requestBody": {"content": {media_type: {"schema": schema}}}, "responses": {}}
    components = {"schemas": {"Person": PERSON}}
    return api_from_document(
        {"openapi": "3.1.0", "paths": {"/users": {"post": post}}, "components": components}, path="a"
    )


def wrapping(**properties: Any) -> dict[str, Any]:
    return {"type": "object", "properties": properties, "required": list(properties)}


@pytest.mark.parametrize(
    ("schema", "name"),
    [
        (wrapping(details={"$ref": "#/components/schemas/Person"}), "details"),
        (wrapping(details=PERSON, other=PERSON), ""),
        (wrapping(details={"type": "string"}), ""),
        (PERSON, ""),
    ],
)
def test_a_body_with_one_object_in_it_wraps_it(schema: Any, name: str) -> None:
    api = api_of(schema)
    assert wrapper_of(api.operations[0], api.components) == name


@pytest.mark.parametrize(
    "told",
    [
        {"detail": [{"type": "missing", "loc": ["body", "user"], "msg": "Field required"}]},
        {"detail": [{"type": "value_error.missing", "loc": ["body", "user"], "msg": "field required"}]},
        {"errors": {"json": {"user": ["Missing data for required field."], "details": ["Unknown field."]}}},
        {"user": ["This field is required."]},
    ],
)
def test_validators_of_each_framework_tell_the_name(told: Any) -> None:
    assert name_asked_for(HttpAnswer(422, {}, json.dumps(told)), "details") == "user"


@pytest.mark.parametrize(
    ("status", "told"),
    [
        (422, {"detail": [{"type": "missing", "loc": ["body", "details", "email"], "msg": "Field required"}]}),
        (422, {"detail": [{"type": "missing", "loc": ["query", "page"], "msg": "Field required"}]}),
        (422, {"detail": [{"type": "missing", "loc": ["body", name], "msg": ""} for name in ("user", "note")]}),
        (422, {"details": ["Missing data for required field."]}),
        (422, {"json": {"details": {"email": ["Missing data for required field."]}}}),
        (422, {"errors": {"query": {"page": ["Missing data for required field."]}}}),
        (401, {"user": ["This field is required."]}),
        (400, "user is required"),
    ],
)
def test_other_refusals_tell_no_name(status: int, told: Any) -> None:
    assert name_asked_for(HttpAnswer(status, {}, json.dumps(told)), "details") == ""


def test_requests_take_the_name_that_is_asked_for_and_a_note_says_so() -> None:
    api = api_of(wrapping(details={"$ref": "#/components/schemas/Person"}))
    made = with_wrapper(api, {api.operations[0].name: ("details", "user")})
    assert made.operations[0].body is not None
    assert wrapper_of(made.operations[0], made.components) == "user"
    assert made.operations[0].body.schema["required"] == ["user"]
    assert made.notes == (
        "The application asks for another property than the OpenAPI document names (user for details): POST /users.",
    )


def missing(missed: Callable[[Any], str]) -> AnsweringApplication:
    """An application that misses a name in a body."""

    def answer(request: Json) -> HttpAnswer:
        name = missed((request.get("body") or {}).get("content"))
        return HttpAnswer(422 if name else 201, {}, json.dumps({"errors": {name: ["is required"]}}))

    return AnsweringApplication(answer)


@pytest.mark.parametrize(
    ("missed", "name"),
    [
        (lambda body: "" if "user" in body else "user", "user"),
        (lambda body: "" if "phone" in body.get("details", {}) else "phone", "details"),
        (lambda body: "" if "phone" in body else "phone", "phone"),
        (lambda body: "phone" if "details" in body else "details", "details"),
    ],
)
def test_a_name_is_corrected_where_the_application_takes_the_other_one(missed: Callable[[Any], str], name: str) -> None:
    api = api_of(wrapping(details={"$ref": "#/components/schemas/Person"}))
    world = ResourceModel(api, SampleValues(api.components))
    asyncio.run(find_credentials(cast(AppObserver, missing(missed)), world, CredentialSources(), users=False))
    assert wrapper_of(world.api.operations[0], world.api.components) == name


def test_what_has_answered_is_not_asked_again_and_many_are_not_asked_at_all() -> None:
    content = {"application/json": {"schema": wrapping(details=PERSON)}}
    one = {method: {"requestBody": {"content": content}, "responses": {}} for method in ("post", "delete")}
    api = api_from_document({"paths": {f"/p{number}": one for number in range(40)}}, path="a")
    service = missing(lambda body: "")
    world = ResourceModel(api, SampleValues({}))
    asyncio.run(find_credentials(cast(AppObserver, service), world, CredentialSources(), users=False))
    assert service.asked == 24
