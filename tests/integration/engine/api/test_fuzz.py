"""Schemathesis beside our own requests, against a small application that is really served."""

from __future__ import annotations

import asyncio
import subprocess
import sys
import tomllib
from collections.abc import Iterable
from dataclasses import replace
from importlib.metadata import distribution, distributions
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from testwright.core.errors import ToolMissing
from testwright.engine.api.document.application import AppLaunch
from testwright.engine.api.document.fuzz_program import find_schemathesis, schemathesis_of
from testwright.engine.api.document.operations import api_from_document
from testwright.engine.api.probe.effects.fuzzing import FuzzOptions, fuzz_api
from testwright.engine.api.probe.explore import ApiExploration, explore_api
from testwright.engine.api.values.data import SampleValues
from testwright.engine.api.write.compose import compose_spec
from testwright.tests.support.engine.targets import prepared
from testwright.tests.support.projects.files import ROOT

APP = """
import json


def made(count):
    return {"share": 100 // count}


def app(environ, start_response):
    body = environ["wsgi.input"].read(int(environ.get("CONTENT_LENGTH") or 0))
    try:
        count = json.loads(body)["count"]
        good = type(count) is int and count >= 0
    except (ValueError, KeyError, TypeError):
        good = False
    answer = made(count) if good else {"detail": "no"}
    start_response("201 Created" if good else "422 Invalid", [("content-type", "application/json")])
    return [json.dumps(answer).encode()]
"""
SCHEMA = {"type": "object", "required": ["count"], "properties": {"count": {"type": "integer", "minimum": 0}}}
DOCUMENT: dict[str, Any] = {
    "openapi": "3.0.3",
    "info": {"title": "Counters", "version": "1"},
    "paths": {
        "/counters": {
            "post": {
                "operationId": "make",
                "requestBody": {"required": True, "content": {"application/json": {"schema": SCHEMA}}},
                "responses": {"201": {"description": "made"}, "422": {"description": "invalid"}},
            }
        }
    },
}

SIGNING_IN = """
import json
import secrets

USERS, SESSIONS = {}, {}
"""
GUARDED = """

def signed(path, body):
    try:
        given = json.loads(body)
        name, password = given["username"], given["password"]
        good = type(name) is str and type(password) is str and len(password) > 3
    except (ValueError, KeyError, TypeError):
        good = False
    if not good:
        return "422 Invalid", {"detail": "no name or password"}
    if path == "/signup":
        USERS[name] = password
        return "201 Created", {"username": name}
    if USERS.get(name) != password:
        return "401 Unauthorized", {"detail": "unknown"}
    token = secrets.token_hex(16)
    SESSIONS[token] = name
    return "200 OK", {"access_token": token}


def app(environ, start_response):
    path, scheme = environ["PATH_INFO"], environ.get("HTTP_AUTHORIZATION", "")
    if path in ("/signup", "/login"):
        body = environ["wsgi.input"].read(int(environ.get("CONTENT_LENGTH") or 0))
        status, answer = signed(path, body)
    elif scheme.replace("Bearer ", "") in SESSIONS:
        return counters(environ, start_response)
    else:
        status, answer = "401 Unauthorized", {"detail": "sign in first"}
    start_response(status, [("content-type", "application/json")])
    return [json.dumps(answer).encode()]
"""
_NAMED = {
    "type": "object",
    "required": ["username", "password"],
    "properties": {"username": {"type": "string"}, "password": {"type": "string", "minLength": 4}},
}
_GIVEN = {"required": True, "content": {"application/json": {"schema": _NAMED}}}
_TOKEN = {"type": "object", "properties": {"access_token": {"type": "string"}}}
SIGN_IN_PATHS: dict[str, Any] = {
    "/signup": {
        "post": {
            "operationId": "signup",
            "requestBody": _GIVEN,
            "responses": {"201": {"description": "made"}, "422": {"description": "invalid"}},
        }
    },
    "/login": {
        "post": {
            "operationId": "login",
            "requestBody": _GIVEN,
            "responses": {
                "200": {"description": "in", "content": {"application/json": {"schema": _TOKEN}}},
                "401": {"description": "unknown"},
                "422": {"description": "invalid"},
            },
        }
    },
}
SECURED: dict[str, Any] = DOCUMENT["paths"]["/counters"]["post"] | {"security": [{"token": []}]}
SCHEMES = {"securitySchemes": {"token": {"type": "http", "scheme": "bearer"}}}
SECONDS = 10
"""Schemathesis ends before, where it has tried everything."""


@pytest.fixture(scope="module")
def python(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The interpreter of an environment that has Schemathesis: it does not fit beside all that we develop with."""
    place = tmp_path_factory.mktemp("fuzz") / "environment"
    uv = [sys.executable, "-m", "uv", "--quiet"]
    subprocess.run([*uv, "venv", "--python", sys.executable, str(place)], check=True)
    subprocess.run(
        [*uv, "pip", "install", "--python", str(place / "bin/python"), "schemathesis>=4.32"], check=True, timeout=300
    )
    return place / "bin/python"


@pytest.mark.skipif(find_spec("schemathesis") is not None, reason="the extra is installed here")
def test_without_the_extra_the_error_says_what_to_install(tmp_path: Path) -> None:
    with pytest.raises(ToolMissing) as missing:
        find_schemathesis(tmp_path)
    assert "testwright[fuzz]" in (missing.value.advice or "")


def _needed(requirements: Iterable[str]) -> set[str]:
    """The names of all that requirements need, and of what that needs."""
    found: set[str] = set()
    left = [Requirement(one) for one in requirements]
    while left:
        one = left.pop()
        name = canonicalize_name(one.name)
        if name not in found and (one.marker is None or one.marker.evaluate()):
            found.add(name)
            left += [Requirement(more) for more in distribution(name).requires or ()]
    return found


def test_all_that_the_action_installs_for_fuzzing_alone_is_pinned(python: Path) -> None:
    [site] = python.parents[1].glob("lib/python*/site-packages")
    installed = {canonicalize_name(one.name) for one in distributions(path=[str(site)])}
    pinned = {canonicalize_name(Requirement(line).name) for line in (ROOT / "constraints-fuzz.txt").read_text().split()}
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    assert installed - _needed(project["dependencies"]) <= pinned


async def _defects(
    root: Path, python: Path, source: str = APP, document: dict[str, Any] = DOCUMENT, *, explored: bool
) -> list[dict[str, Any]]:
    """The suspected defects of an application that Schemathesis fuzzes, and that we explore before it or not."""
    api, launch = api_from_document(document, path="src/web.py"), AppLaunch("web:app", import_roots=("src",))
    async with prepared(root, {"src/web.py": source}) as target:
        exploration = ApiExploration(api, (), {}, (), (), (), 0, SampleValues(api.components), {})
        if explored:
            exploration = await explore_api(target, api, launch)
        options = FuzzOptions(schemathesis_of(root, python), seed=1, seconds=SECONDS)
        found = await fuzz_api(target, exploration.api, launch, document, exploration.credentials, options)
    assert "with the seed 1" in found.notes[0]
    exploration = replace(exploration, fuzzed=found.seen)
    spec = compose_spec(
        exploration, framework="pytest", target={"name": "web"}, launch=launch, start="started by hand:"
    )
    return spec["suspected_defects"]


@pytest.mark.feature("T-20")
def test_a_server_error_that_schemathesis_finds_is_a_suspected_defect_with_a_reproduction(
    tmp_path: Path, python: Path
) -> None:
    [defect] = asyncio.run(_defects(tmp_path, python, explored=False))
    assert defect["title"].startswith("POST /counters answers 500")
    assert "ZeroDivisionError" in defect["observed"]
    assert defect["observed"].endswith("(found by Schemathesis)")
    assert "curl" in defect["reproduce"]


@pytest.mark.feature("T-20")
def test_what_we_find_as_well_is_one_defect_that_names_both(tmp_path: Path, python: Path) -> None:
    [defect] = [one for one in asyncio.run(_defects(tmp_path, python, explored=True)) if "500" in one["title"]]
    assert defect["observed"].endswith("(found by testwright and Schemathesis)")


@pytest.mark.feature("T-20")
def test_what_only_those_who_have_signed_in_reach_is_fuzzed_as_one_of_them(tmp_path: Path, python: Path) -> None:
    source = APP.replace("import json", SIGNING_IN).replace("def app(", "def counters(") + GUARDED
    document = {**DOCUMENT, "paths": {**SIGN_IN_PATHS, "/counters": {"post": SECURED}}, "components": SCHEMES}
    found = asyncio.run(_defects(tmp_path, python, source, document, explored=True))
    [defect] = [one for one in found if "ZeroDivisionError" in one["observed"]]
    assert defect["observed"].endswith("(found by testwright and Schemathesis)")
    assert "Bearer $USER_TOKEN" in defect["reproduce"]
