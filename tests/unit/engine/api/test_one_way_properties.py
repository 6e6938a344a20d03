"""What only answers have is not sent, and what only requests have is not missed in answers."""

from __future__ import annotations

from typing import Any

import pytest

from testwright.engine.api.document.operations import api_from_document
from testwright.engine.api.model.model import HttpAnswer, ObservedProposal, Proposal
from testwright.engine.api.probe.judge import find_violation
from testwright.engine.api.probe.sign_in.shapes import user_body
from testwright.engine.api.values.data import SampleValues
from testwright.engine.api.values.negative_requests import body_variants

pytestmark = [pytest.mark.feature("T-20"), pytest.mark.feature("B-02")]

USER = {
    "type": "object",
    "properties": {
        "user_id": {"type": "integer", "readOnly": True},
        "username": {"type": "string"},
        "password": {"type": "string", "writeOnly": True},
    },
    "required": ["user_id", "username", "password"],
}
REFERENCE = {"$ref": "#/components/schemas/User"}
CONTENT = {"application/json": {"schema": REFERENCE}}
ANSWER = {
    "200": {"description": "", "content": {"application/json": {"schema": {"type": "array", "items": REFERENCE}}}}
}
DOCUMENT = {
    "openapi": "3.0.3",
    "components": {"schemas": {"User": USER}},
    "paths": {"/register": {"post": {"requestBody": {"content": CONTENT}, "responses": ANSWER}}},
}
API = api_from_document(DOCUMENT, path="openapi.json")
SAMPLES = SampleValues(API.components)


def violation(text: str) -> str | None:
    proposal = Proposal(
        API.operations[0], "succeeds", "it succeeds", "success", {"method": "POST", "path": "/register"}
    )
    seen = ObservedProposal(proposal, (HttpAnswer(200, {"content-type": "application/json"}, text),))
    verdict = find_violation(seen, API, SAMPLES)
    return verdict.title if verdict else None


@pytest.mark.parametrize("full", [False, True])
def test_a_property_that_only_answers_have_is_not_sent_though_it_is_required(full: bool) -> None:
    assert set(SAMPLES.value(REFERENCE, full=full)) == {"username", "password"}
    assert SAMPLES.problem({"username": "ada", "password": "p"}, REFERENCE) is None


def test_a_sign_up_does_not_send_the_id_of_the_user_who_is_made() -> None:
    assert user_body(API.operations[0], SAMPLES, {}) == {"username": "{{name}}", "password": "{{password}}"}


def test_what_is_missing_or_wrong_is_tried_of_what_is_sent_only() -> None:
    body = {"username": "ada", "password": "p"}
    tried = {part for variant in body_variants(REFERENCE, body, SAMPLES) for part in variant.place}
    assert tried == {"username", "password"}


def test_a_property_that_only_requests_have_is_not_missed_in_answers() -> None:
    assert violation('[{"user_id": 1, "username": "ada"}]') is None


def test_any_other_property_is_missed_in_answers() -> None:
    assert "'user_id' is a required property" in str(violation('[{"username": "ada"}]'))


def test_inline_bodies_leave_out_what_only_answers_have() -> None:
    inline: dict[str, Any] = {"application/json": {"schema": USER}}
    document = {"openapi": "3.0.3", "paths": {"/a": {"post": {"requestBody": {"content": inline}, "responses": {}}}}}
    [operation] = api_from_document(document, path="openapi.json").operations
    assert operation.body is not None
    assert operation.body.schema["required"] == ["username", "password"]


ID = {"type": "integer", "readOnly": True}
OWNER = {"type": "object", "properties": {"id": {"type": "integer"}}, "required": ["id"]}
READ_OWNER = {"allOf": [{"$ref": "#/components/schemas/Owner"}], "readOnly": True, "nullable": True}
BASE = {"type": "object", "properties": {"id": ID, "name": {"type": "string"}}}
SECRET = {"type": "object", "properties": {"password": {"type": "string", "writeOnly": True}}}


def posting(schema: Any, **components: Any) -> tuple[Any, SampleValues]:
    content = {"application/json": {"schema": schema}}
    document = {
        "paths": {"/a": {"post": {"requestBody": {"content": content}, "responses": {}}}},
        "components": {"schemas": components},
    }
    api = api_from_document(document, path="openapi.json")
    assert api.operations[0].body is not None
    return api.operations[0].body.schema, SampleValues(api.components)


@pytest.mark.parametrize(
    ("schema", "components"),
    [
        ({"properties": {"owner": READ_OWNER}}, {"Owner": OWNER}),
        ({"properties": {"id": {"$ref": "#/components/schemas/Id"}}, "required": ["id"]}, {"Id": ID}),
        ({"allOf": [{"$ref": "#/components/schemas/Base"}], "required": ["id", "name"]}, {"Base": BASE}),
        ({"allOf": [{"$ref": "#/components/schemas/Base"}, {"required": ["id"]}]}, {"Base": BASE}),
    ],
)
def test_what_only_answers_have_is_known_in_every_form_of_a_schema(schema: Any, components: Any) -> None:
    inline = {"type": "object", **schema}
    for body, samples in (
        posting(inline, **components),
        posting({"$ref": "#/components/schemas/Whole"}, Whole=inline, **components),
    ):
        sent = samples.value(body, full=True)
        tried = {part for variant in body_variants(body, sent, samples) for part in variant.place}
        assert not {"id", "owner"} & {*sent, *tried}


@pytest.mark.parametrize(
    ("value", "schema", "components", "problem"),
    [
        ({}, {"allOf": [{"$ref": "#/components/schemas/S"}], "required": ["password"]}, {"S": SECRET}, None),
        ("y", {"$ref": "#/components/schemas/B/properties/id"}, {"B": BASE}, "not of type 'integer'"),
        ({}, {"$ref": "#/components/schemas/a~1b"}, {"a/b": OWNER}, "'id' is a required property"),
        ({}, {"$ref": "#/components/schemas/Page%5BUser%5D"}, {"Page[User]": OWNER}, "'id' is a required property"),
        ({}, {"properties": {"a": {}}, "required": [["a"]]}, {}, None),
    ],
)
def test_answers_are_judged_whatever_form_a_reference_has(value, schema, components, problem) -> None:
    told = SampleValues(components).answer_problem(value, schema)
    assert told is None if problem is None else problem in str(told)
