"""Whether an operation lets in who has not signed in is told by asking it, where its code leaves that open."""

from __future__ import annotations

import asyncio
from typing import cast

import pytest

from testwright.engine.api.document.application import AppObserver
from testwright.engine.api.document.operations import api_from_document
from testwright.engine.api.model.model import HttpAnswer, Json
from testwright.engine.api.probe.resource_model import ResourceModel
from testwright.engine.api.probe.sign_in.prepare import CredentialSources, find_credentials
from testwright.engine.api.values.data import SampleValues
from testwright.tests.support.engine.answering import AnsweringApplication

pytestmark = pytest.mark.feature("T-20")


def needs_auth(status: int, *, marked: bool) -> bool:
    def answer(request: Json) -> HttpAnswer:
        assert not request.get("auth")
        return HttpAnswer(status)

    operation = {"security": [{"bearer": []}], "responses": {}, **({"x-optional-sign-in": True} if marked else {})}
    schemes = {"bearer": {"type": "http", "scheme": "bearer"}}
    document = {"paths": {"/news": {"get": operation}}, "components": {"securitySchemes": schemes}}
    api = api_from_document(document, path="app.py")
    world = ResourceModel(api, SampleValues({}))
    asyncio.run(
        find_credentials(cast(AppObserver, AnsweringApplication(answer)), world, CredentialSources(), users=False)
    )
    return world.needs_auth(world.api.operations[0])


@pytest.mark.parametrize(("status", "needed"), [(200, False), (404, False), (401, True), (403, True), (500, True)])
def test_an_operation_that_keeps_out_who_has_not_signed_in_needs_a_sign_in(status: int, needed: bool) -> None:
    assert needs_auth(status, marked=True) is needed


def test_what_the_document_alone_says_stays() -> None:
    assert needs_auth(200, marked=False)
