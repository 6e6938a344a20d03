"""Schemathesis beside our own requests, against a small application that is really served."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from testwright.core.errors import ToolMissing
from testwright.engine.api.document.application import AppLaunch
from testwright.engine.api.document.fuzz_program import find_schemathesis, schemathesis_of
from testwright.engine.api.document.operations import api_from_document
from testwright.engine.api.probe.effects.fuzzing import FuzzOptions, fuzz_api
from testwright.engine.api.probe.explore import ApiExploration, explore_api
from testwright.engine.api.values.data import SampleValues
from testwright.engine.api.write.compose import compose_spec
from testwright.tests.support.engine.targets import prepared

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


async def _defects(root: Path, python: Path, *, explored: bool) -> list[dict[str, Any]]:
    """The suspected defects of an application that Schemathesis fuzzes, and that we explore before it or not."""
    api, launch = api_from_document(DOCUMENT, path="src/web.py"), AppLaunch("web:app", import_roots=("src",))
    async with prepared(root, {"src/web.py": APP}) as target:
        exploration = ApiExploration(api, (), {}, (), (), (), 0, SampleValues(api.components), {})
        if explored:
            exploration = await explore_api(target, api, launch)
        options = FuzzOptions(schemathesis_of(root, python), seed=1, seconds=6)
        found = await fuzz_api(target, api, launch, DOCUMENT, exploration.credentials, options)
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
