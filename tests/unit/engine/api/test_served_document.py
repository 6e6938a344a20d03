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
    """Sends every path on to one below /v1, as Pyramid services do, and serves its document there."""

    async def answers(self, requests: Sequence[Json], **_: Any) -> tuple[HttpAnswer, ...]:
        [request] = requests
        if not request["path"].startswith("/v1"):
            return (HttpAnswer(307, {"location": f"http://127.0.0.1/v1{request['path']}"}),)
        return (HttpAnswer(200, {}, "{}") if request["path"] == "/v1/__api__" else HttpAnswer(404),)


async def test_a_document_below_a_prefix_is_read_where_the_redirection_leads(monkeypatch: pytest.MonkeyPatch) -> None:
    @asynccontextmanager
    async def opened(*_: Any) -> AsyncGenerator[Prefixed]:
        yield Prefixed()

    monkeypatch.setattr(app_document, "open_application", opened)
    found = await fetch_document(cast(Any, None), AppLaunch("shop:app"), cast(DocumentReader, Documents()))
    assert found is not None
    assert found.served_at == "/v1/__api__"
