"""Integration tests over the server: a spec with a server on the loopback device, its validation, its tests (T-11)."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from testwright.tests.support.mcp.serving import data, real_client
from testwright.tests.support.projects.files import OWN_PYTEST, make_project
from testwright.tests.support.projects.message_board import BOARD

CLIENT = "src/board/client.py"


@pytest.mark.feature("T-11", "T-20")
async def test_the_spec_of_flows_is_written_checked_edited_and_becomes_tests(tmp_path: Path) -> None:
    root = make_project(tmp_path / "board", {**OWN_PYTEST, **BOARD})
    async with real_client(root) as client:
        asked = {"test_type": "integration", "target": CLIENT}
        made = data(await client.call_tool("generate_test_spec", asked))
        read = await client.read_resource(made["spec_path"])
        spec = json.loads(str(getattr(read.contents[0], "text", "")))
        check = {"spec_json": spec, "schema_type": "integration"}
        checked = data(await client.call_tool("validate_test_spec", check))
        broken = {**spec, "cases": [{**spec["cases"][0], "crosses": []}, *spec["cases"][1:]]}
        refused = data(await client.call_tool("validate_test_spec", {**check, "spec_json": broken}))
        edited = {**spec, "framework": "unittest", "cases": spec["cases"][:2]}
        (root / "edited.json").write_text(json.dumps(edited), encoding="utf-8")
        done = data(await client.call_tool("generate_tests_from_spec", {"spec_path": "edited.json"}))
        page = await client.read_resource(done["resources"]["report_json"])
        report = json.loads(str(getattr(page.contents[0], "text", "")))
        applied = data(await client.call_tool("apply_tests", {"run_id": done["run_id"]}))
    assert made["counts"]["cases"] == len(spec["cases"]) >= 2
    assert made["test_path"] == "tests/generated/integration/test_board_client_flows.py"
    assert checked["valid"], checked
    assert not refused["valid"]
    assert any(error["path"].startswith("$.cases[0]") for error in refused["errors"])
    assert done["counts"]["kept"] == 2, report["targets"][0]
    (target,) = report["targets"]
    assert target["test_type"] == "integration"
    assert "client → server" in target["evidence"][0]["crosses"]
    assert target["coverage"]["after"]["covered"] > 0
    assert [file["outcome"] for file in applied["files"]] == ["added"]
    text = (root / applied["files"][0]["path"]).read_text(encoding="utf-8")
    assert "running.enter_context(serving(server))" in text
    assert "unittest.TestCase" in text
