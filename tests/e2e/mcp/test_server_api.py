"""API tests over the server: a spec, its validation, its tests (T-11)."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from testwright.tests.support.mcp.serving import data, real_client
from testwright.tests.support.projects.files import OWN_PYTEST, make_project
from testwright.tests.support.projects.small_api import FASTAPI_APP

APP = "src/counters/api.py"


@pytest.mark.feature("T-11", "T-20")
async def test_the_spec_of_an_api_is_written_checked_edited_and_becomes_tests(tmp_path: Path) -> None:
    root = make_project(tmp_path / "counters", {**OWN_PYTEST, "src/counters/__init__.py": "", APP: FASTAPI_APP})
    async with real_client(root) as client:
        made = data(await client.call_tool("generate_test_spec", {"test_type": "api", "target": APP}))
        read = await client.read_resource(made["spec_path"])
        spec = json.loads(str(getattr(read.contents[0], "text", "")))
        checked = data(await client.call_tool("validate_test_spec", {"spec_json": spec, "schema_type": "api"}))
        broken = {**spec, "cases": [{**spec["cases"][0], "expect": []}, *spec["cases"][1:]]}
        refused = data(await client.call_tool("validate_test_spec", {"spec_json": broken, "schema_type": "api"}))
        edited = {**spec, "cases": [case for case in spec["cases"] if case["category"] == "success"]}
        (root / "edited.json").write_text(json.dumps(edited), encoding="utf-8")
        done = data(await client.call_tool("generate_tests_from_spec", {"spec_path": "edited.json"}))
        page = await client.read_resource(done["resources"]["report_json"])
        report = json.loads(str(getattr(page.contents[0], "text", "")))
    assert made["counts"]["cases"] == len(spec["cases"]) > len(edited["cases"]) > 0
    assert made["test_path"] == "tests/generated/api/test_api_counters_api.py"
    assert checked["valid"], checked
    assert not refused["valid"]
    assert any(error["path"].startswith("$.cases[0]") for error in refused["errors"])
    assert done["counts"]["kept"] == len(edited["cases"])
    assert report["targets"][0]["test_type"] == "api"
    assert report["targets"][0]["operations"]["covered"] > 0
    assert report["targets"][0]["coverage"]["after"]["covered"] > 0
