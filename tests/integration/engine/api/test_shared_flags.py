"""Marks of each user's own, and acts that look like one and change a thing of another user, on an application."""

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
import secrets

USERS, SESSIONS, NOTES = {}, {}, {}


def app(environ, start_response):
    body = environ["wsgi.input"].read(int(environ.get("CONTENT_LENGTH") or 0))
    try:
        given = json.loads(body or b"{}")
    except ValueError:
        given = None
    who = SESSIONS.get(environ.get("HTTP_AUTHORIZATION", "").replace("Bearer ", ""))
    status, answer = answered(environ["REQUEST_METHOD"], environ["PATH_INFO"], given, who)
    start_response(status, [("content-type", "application/json")])
    return [json.dumps(answer).encode()]


def answered(method, path, given, who):
    if path in ("/signup", "/login"):
        return signed(path, given)
    parts = path.strip("/").split("/")
    if who is None and not (method == "GET" and len(parts) == 2):
        return "401 Unauthorized", {"detail": "sign in first"}
    if (method, path) == ("POST", "/notes"):
        if not isinstance(given, dict) or type(given.get("text")) is not str:
            return "422 Invalid", {"detail": "no text"}
        number = str(len(NOTES) + 1)
        NOTES[number] = {"id": number, "text": given["text"], "published": False, "stars": []}
        return "201 Created", shown(number, who)
    if parts[0] != "notes" or len(parts) < 2 or parts[1] not in NOTES:
        return "404 Not Found", {"detail": "no such note"}
    note = NOTES[parts[1]]
    if parts[2:] == ["star"]:
        note["stars"] = [name for name in note["stars"] if name != who] + ([who] if method == "PUT" else [])
    if parts[2:] == ["publish"]:
        note["published"] = method == "PUT"
    return "200 OK", shown(parts[1], who)


def shown(number, who):
    note = NOTES[number]
    return {**note, "stars": len(note["stars"]), "starred": who in note["stars"]}


def signed(path, given):
    texts = isinstance(given, dict) and [given.get(name) for name in ("username", "password")]
    if not texts or any(type(text) is not str or len(text) < 4 for text in texts):
        return "422 Invalid", {"detail": "no name or password"}
    name, password = texts
    if path == "/signup":
        USERS[name] = password
        return "201 Created", {"username": name}
    if USERS.get(name) != password:
        return "401 Unauthorized", {"detail": "unknown"}
    token = secrets.token_hex(16)
    SESSIONS[token] = name
    return "200 OK", {"access_token": token}
"""
TEXT = {"type": "string", "minLength": 4}


def _taking(name: str, statuses: tuple[str, ...], **properties: Any) -> dict[str, Any]:
    schema = {"type": "object", "required": list(properties), "properties": properties}
    body = {"required": True, "content": {"application/json": {"schema": schema}}}
    responses = {status: {"description": "told"} for status in statuses}
    return {"operationId": name, "requestBody": body, "responses": responses}


def _secured(name: str) -> dict[str, Any]:
    told = {status: {"description": "told"} for status in ("200", "401", "404")}
    return {"operationId": name, "security": [{"token": []}], "responses": told}


ID = [{"name": "id", "in": "path", "required": True, "schema": {"type": "string"}}]
DOCUMENT: dict[str, Any] = {
    "openapi": "3.0.3",
    "info": {"title": "Notes", "version": "1"},
    "components": {"securitySchemes": {"token": {"type": "http", "scheme": "bearer"}}},
    "paths": {
        "/signup": {"post": _taking("signup", ("201", "422"), username=TEXT, password=TEXT)},
        "/login": {"post": _taking("login", ("200", "401", "422"), username=TEXT, password=TEXT)},
        "/notes": {
            "post": {**_taking("add", ("201", "401", "422"), text={"type": "string"}), "security": [{"token": []}]}
        },
        "/notes/{id}": {"parameters": ID, "get": {**_secured("read"), "security": [{"token": []}, {}]}},
        "/notes/{id}/star": {"parameters": ID, "put": _secured("star"), "delete": _secured("unstar")},
        "/notes/{id}/publish": {"parameters": ID, "put": _secured("publish"), "delete": _secured("withdraw")},
    },
}


async def _spec(root: Path) -> dict[str, Any]:
    api, launch = api_from_document(DOCUMENT, path="src/web.py"), AppLaunch("web:app", import_roots=("src",))
    async with prepared(root, {"src/web.py": APP}) as target:
        exploration = await explore_api(target, api, launch)
    return compose_spec(exploration, framework="pytest", target={"name": "web"}, launch=launch, start="by hand:")


def test_an_act_of_another_user_that_its_owner_reads_is_no_mark_of_that_user(tmp_path: Path) -> None:
    spec = asyncio.run(_spec(tmp_path))
    told = [one["title"] for one in spec["suspected_defects"] if "lets another user" in one["title"]]
    assert sorted(told) == [
        f"{method} /notes/{{id}}/publish lets another user change what is not theirs" for method in ("DELETE", "PUT")
    ]
    assert not [case for case in spec["cases"] if "shared_flag" in case["id"]]
