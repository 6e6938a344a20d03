"""The base path of a document holds where the application answers below it."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import Any, cast

import pytest

from testwright.engine.api.document import base_path
from testwright.engine.api.document.application import AppLaunch
from testwright.engine.api.document.base_path import base_of_routes, below, declared_bases, find_base
from testwright.engine.api.document.operations import api_from_document, named_operations
from testwright.engine.api.model.model import ApiDescription, HttpAnswer
from testwright.tests.support.engine.answering import AnsweringApplication

pytestmark = pytest.mark.feature("T-20")

DOCUMENT = {
    "openapi": "3.0.3",
    "info": {"title": "Tasks", "version": "1"},
    "servers": [{"url": "https://tasks.example/{stage}/v1", "variables": {"stage": {"default": "live"}}}],
    "paths": {"/tasks": {"get": {"responses": {}}}, "/tasks/{task_id}": {"get": {"responses": {}}}},
}


def test_bases_are_those_of_the_servers_then_none_then_that_of_the_document_itself():
    assert declared_bases(DOCUMENT) == ["/live/v1", ""]
    assert declared_bases({"paths": {}}, "/api/openapi.json") == ["", "/api"]
    assert declared_bases({"servers": [{"url": "/"}]}) == [""]


@pytest.mark.parametrize(
    ("routes", "base"),
    [
        ({("GET", "/live/v1/tasks"), ("GET", "/live/v1/tasks/{number}")}, "/live/v1"),
        ({("GET", "/tasks"), ("GET", "/tasks/{number}")}, ""),
        ({("GET", "/other")}, None),
    ],
    ids=["served below it", "stripped by a gateway", "told by no route"],
)
def test_the_routes_of_the_application_tell_whether_a_base_holds(routes: set[tuple[str, str]], base: str | None):
    assert base_of_routes(DOCUMENT, ["/live/v1", ""], routes) == base


def test_operations_are_asked_for_below_the_base_and_named_either_way():
    places = {("GET", "/tasks"): ("tasks.yaml", (3, 5))}
    found = below(ApiDescription(DOCUMENT, places=places), "/live/v1")
    api = api_from_document(found.document, path="tasks.yaml", places=found.places)
    assert [operation.label for operation in api.operations] == ["GET /live/v1/tasks", "GET /live/v1/tasks/{task_id}"]
    assert api.operations[0].lines == (3, 5)
    api = replace(api, base=found.base)
    assert named_operations(api, ["GET /tasks"]) == named_operations(api, ["GET /live/v1/tasks"])


def _moving(path: str) -> HttpAnswer:
    return HttpAnswer(200) if path.startswith("/live/v1/tasks") else HttpAnswer(307, {"Location": f"/live/v1{path}"})


def _closing(path: str) -> HttpAnswer:
    return HttpAnswer(307, {"location": f"{path}/"}) if path.startswith("/tasks") else HttpAnswer(404)


@pytest.mark.parametrize(
    ("answer", "base"),
    [(_moving, "/live/v1"), (_closing, "")],
    ids=["leads below another base", "leads to itself with a slash"],
)
async def test_a_base_holds_where_a_redirection_leads(
    monkeypatch: pytest.MonkeyPatch, answer: Callable[[str], HttpAnswer], base: str
):
    @asynccontextmanager
    async def opened(*_: Any) -> AsyncGenerator[AnsweringApplication]:
        yield AnsweringApplication(lambda request: answer(request["path"]))

    monkeypatch.setattr(base_path, "open_application", opened)
    assert await find_base(cast(Any, None), AppLaunch("tasks:app"), DOCUMENT, ["/live/v1", ""]) == base
