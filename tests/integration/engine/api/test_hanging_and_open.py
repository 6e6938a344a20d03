"""What hangs, drips for ever or lets everybody in, against what its description says; everything is really run."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest

from testwright.engine.api.document.application import AppConditions, AppLaunch
from testwright.engine.api.document.operations import api_from_document
from testwright.engine.api.probe.explore import explore_api
from testwright.engine.api.probe.sign_in.prepare import CredentialSources
from testwright.engine.api.write.compose import compose_spec
from testwright.tests.support.engine.targets import prepared

pytestmark = [pytest.mark.feature("T-20"), pytest.mark.waits]
APP = """
import os, threading

FOREVER = threading.Event()


def drops():
    while not FOREVER.wait(0.05):
        yield b"data: 1\\n\\n"


def app(environ, start_response):
    path = environ["PATH_INFO"]
    if path == "/stuck":
        FOREVER.wait()
    if path == "/closed" and environ.get("HTTP_AUTHORIZATION") != "Bearer " + os.environ["WEB_TOKEN"]:
        start_response("401 Unauthorized", [("content-type", "application/json")])
        return [b'{"detail": "who are you?"}']
    kind = "text/event-stream" if path == "/events" else "application/json"
    start_response("200 OK", [("content-type", kind)])
    return drops() if path in ("/drip", "/events") else [b'{"greeting": "hello"}']
"""
SECURED = ("/open", "/closed")
PATHS = {
    path: {
        "get": {
            "operationId": path[1:],
            "responses": {"200": {"description": "it works"}, "401": {"description": "who are you?"}},
            **({"security": [{"token": []}]} if path in SECURED else {}),
        }
    }
    for path in ("/stuck", "/drip", "/events", *SECURED)
}
DOCUMENT = {
    "openapi": "3.1.0",
    "info": {"title": "Odd", "version": "1"},
    "paths": PATHS,
    "components": {"securitySchemes": {"token": {"type": "http", "scheme": "bearer"}}},
}
LAUNCH = AppLaunch("web:app", import_roots=("src",), environment={"WEB_TOKEN": "test-web-token"})


@pytest.fixture(scope="module")
def spec(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    async def explored() -> dict[str, Any]:
        async with prepared(tmp_path_factory.mktemp("odd"), {"src/web.py": APP}) as target:
            api = api_from_document(DOCUMENT, path="src/web.py")
            conditions = AppConditions(answer_seconds=3.0)
            found = await explore_api(
                target, api, LAUNCH, sources=CredentialSources(["WEB_TOKEN"]), surroundings=conditions
            )
        return compose_spec(found, framework="pytest", target={"name": "Odd"}, launch=LAUNCH, start="start it")

    return asyncio.run(explored())


def defects(spec: dict[str, Any]) -> dict[str, dict[str, Any]]:
    return {defect["subject"]: defect for defect in spec["suspected_defects"] if "method" not in defect["id"]}


@pytest.mark.parametrize("path", ["/stuck", "/drip"])
def test_what_never_ends_is_suspected_with_its_limit_and_how_to_see_it(spec: dict[str, Any], path: str) -> None:
    defect = defects(spec)[f"GET {path}"]
    assert defect["observed"] == f"GET {path} was not answered in 3 s"
    assert f'--max-time 15 "${{API_BASE_URL:-http://127.0.0.1:8000}}{path}"' in defect["reproduce"]


def test_a_stream_of_events_is_no_defect(spec: dict[str, Any]) -> None:
    assert "GET /events" not in defects(spec)
    assert {"GET /events"} <= {one["subject"] for one in spec["not_reached"]}


def test_what_lets_everybody_in_is_suspected_and_gets_no_test_of_a_refusal(spec: dict[str, Any]) -> None:
    assert defects(spec)["GET /open"]["title"] == "GET /open takes a call without credentials"
    refusals = {case["operation"]["path"] for case in spec["cases"] if case["category"] == "authentication"}
    assert refusals == {"/closed"}


def test_credentials_are_told_right_from_wrong_by_what_is_closed(spec: dict[str, Any]) -> None:
    [closed] = [case for case in spec["cases"] if case["id"] == "tc_closed_succeeds"]
    assert closed["act"]["request"]["auth"] == "token"
    assert closed["expect"][0]["statuses"] == [200]


NO_SIGN_UP = """
def app(environ, start_response):
    if environ["PATH_INFO"] == "/users":
        start_response("500 Internal Server Error", [("content-type", "application/json")])
        return [b'{"error": "no table users"}']
    start_response("401 Unauthorized", [("content-type", "application/json")])
    return [b'{"error": "who are you?"}']
"""
USER = {"type": "object", "properties": {"email": {"type": "string"}, "password": {"type": "string"}}}
SIGN_UP = {
    **DOCUMENT,
    "paths": {
        "/users": {
            "post": {
                "operationId": "register",
                "requestBody": {
                    "content": {"application/json": {"schema": {**USER, "required": ["email", "password"]}}}
                },
                "responses": {"201": {"description": "made"}},
            }
        },
        **{f"/{name}": {"get": {"operationId": name, "security": [{"token": []}]}} for name in ("notes", "posts")},
    },
}


async def test_a_sign_up_that_fails_is_told_first_and_once_with_what_to_do(tmp_path: Path) -> None:
    async with prepared(tmp_path, {"src/web.py": NO_SIGN_UP}) as target:
        api = api_from_document(SIGN_UP, path="src/web.py")
        found = await explore_api(target, api, AppLaunch("web:app", import_roots=("src",)))
    spec = compose_spec(found, framework="pytest", target={"name": "Web"}, launch=None, start="start it")
    [first, *others] = [row["reason"] for row in spec["not_reached"]]
    assert first.startswith('Access: nobody can sign in. POST /users answers 500 {"error": "no table users"}')
    assert "sign_in =" in first
    assert [reason for reason in others if "Access" in reason] == []
    assert len([reason for reason in others if "it needs a user" in reason]) == 2
