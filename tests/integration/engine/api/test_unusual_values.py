"""Unusual values, sent to small applications that are really served."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest

from testwright.engine.api.document.application import AppLaunch
from testwright.engine.api.document.operations import api_from_document
from testwright.engine.api.probe.explore import explore_api
from testwright.engine.api.write.compose import compose_spec
from testwright.tests.support.engine.targets import prepared

pytestmark = pytest.mark.feature("T-20")
APP = """
import json

NOTES = {}


def app(environ, start_response):
    body = environ["wsgi.input"].read(int(environ.get("CONTENT_LENGTH") or 0))
    method, path = environ["REQUEST_METHOD"], environ["PATH_INFO"]
    status, answer = "404 Not Found", {"detail": "no such note"}
    if (method, path) == ("POST", "/notes"):
        status, answer = add(body)
    elif method == "GET" and path[7:] in NOTES:
        status, answer = "200 OK", NOTES[path[7:]]
    start_response(status, [("content-type", "application/json")])
    return [json.dumps(answer).encode()]


def add(body):
    try:
        text = json.loads(body)["text"]
    except (ValueError, KeyError, TypeError):
        text = None
    if type(text) is not str:
        return "422 Invalid", {"detail": "no text"}
    key = str(len(NOTES) + 1)
    NOTES[key] = {"key": key, "first": text[0], "text": text}
    return "201 Created", NOTES[key]
"""
TEXT = {"type": "object", "required": ["text"], "properties": {"text": {"type": "string"}}}
NOTE = {"type": "object", "properties": {"key": {"type": "string"}, "text": {"type": "string"}}}
SHOWN = {"description": "a note", "content": {"application/json": {"schema": NOTE}}}
DOCUMENT: dict[str, Any] = {
    "openapi": "3.0.3",
    "info": {"title": "Notes", "version": "1"},
    "paths": {
        "/notes": {
            "post": {
                "operationId": "add",
                "requestBody": {"required": True, "content": {"application/json": {"schema": TEXT}}},
                "responses": {"201": SHOWN, "422": {"description": "invalid"}},
            }
        },
        "/notes/{key}": {
            "get": {
                "operationId": "read",
                "parameters": [{"name": "key", "in": "path", "required": True, "schema": {"type": "string"}}],
                "responses": {"200": SHOWN, "404": {"description": "no such note"}},
            }
        },
    },
}


async def _defects(root: Path) -> list[dict[str, Any]]:
    api, launch = api_from_document(DOCUMENT, path="src/web.py"), AppLaunch("web:app", import_roots=("src",))
    async with prepared(root, {"src/web.py": APP}) as target:
        exploration = await explore_api(target, api, launch)
    spec = compose_spec(exploration, framework="pytest", target={"name": "web"}, launch=launch, start="by hand:")
    return spec["suspected_defects"]


def test_a_creation_that_an_unusual_value_breaks_is_told_although_its_answer_has_no_id(tmp_path: Path) -> None:
    [defect] = asyncio.run(_defects(tmp_path))
    assert defect["title"] == "POST /notes answers 500: with nothing in it for text"
    assert "IndexError" in defect["observed"]
