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
    return verdict and verdict.title


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
