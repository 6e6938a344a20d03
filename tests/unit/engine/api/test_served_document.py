"""A document that an application serves below a prefix is found by where its redirections lead."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager
from typing import Any, cast

import pytest

from testwright.engine.api.document import app_document
from testwright.engine.api.document.app_document import fetch_document
from testwright.engine.api.document.application import AppLaunch
from testwright.engine.api.model.model import ApiDescription, DocumentReader, HttpAnswer, Json

pytestmark = pytest.mark.feature("T-20")


class Documents:
    paths = ("/openapi.json", "/__api__")

    def read(self, path: str, content: bytes) -> ApiDescription | None:
        return ApiDescription({"paths": {}}) if content == b"{}" else None


class Prefixed:
    """Sends every path on to one below /v1, as Pyramid services do, and serves its document there.

    Args:
        location: where it sends a path on to.
    """

    def __init__(self, location: str) -> None:
        self._location = location

    async def answers(self, requests: Sequence[Json], **_: Any) -> tuple[HttpAnswer, ...]:
        [request] = requests
        if not request["path"].startswith("/v1"):
            return (HttpAnswer(307, {"location": self._location.format(request["path"])}),)
        if request.get("query", {"form": ["json"]}) != {"form": ["json"]}:
            return (HttpAnswer(0, failure="nobody answers"),)
        return (HttpAnswer(200, {}, "{}") if request["path"] == "/v1/__api__" else HttpAnswer(404),)


async def served_at(monkeypatch: pytest.MonkeyPatch, location: str) -> str:
    @asynccontextmanager
    async def opened(*_: Any) -> AsyncGenerator[Prefixed]:
        yield Prefixed(location)

    monkeypatch.setattr(app_document, "open_application", opened)
    found = await fetch_document(cast(Any, None), AppLaunch("shop:app"), cast(DocumentReader, Documents()))
    return found.served_at if found is not None else ""


@pytest.mark.parametrize("location", ["http://127.0.0.1/v1{}", "v1{}", "/v1{}?form=json"])
async def test_a_document_below_a_prefix_is_read_where_the_redirection_leads(
    monkeypatch: pytest.MonkeyPatch, location: str
) -> None:
    assert await served_at(monkeypatch, location) == "/v1/__api__"


async def test_another_host_is_not_asked_for_a_document(monkeypatch: pytest.MonkeyPatch) -> None:
    assert await served_at(monkeypatch, "https://elsewhere.example/v1{}") == ""
