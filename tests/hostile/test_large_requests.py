"""Requests of a client whose answers could be many times as large, or take without end."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from testwright.tests.support.hostile.projects import hostile_project
from testwright.tests.support.mcp.serving import real_client

SPECS = {
    "cases without anything": {"cases": [{"id": number} for number in range(20_000)]},
    "unknown keys": {f"k{number}": number for number in range(15_000)},
    "more values than are taken": {"cases": [[0] * 200_000]},
}


@pytest.mark.parametrize("spec", SPECS.values(), ids=SPECS)
async def test_a_large_request_has_a_small_answer(spec: dict[str, object], tmp_path: Path) -> None:
    async with real_client(hostile_project(tmp_path / "project")) as client:
        answer = await client.call_tool("validate_test_spec", {"schema_type": "unit", "spec_json": spec})
    assert len(answer.model_dump_json()) < 100_000
    found: dict[str, Any] = answer.structured_content or {"valid": False}
    assert not found["valid"]
    assert len(found.get("errors", ())) <= 51
    assert found.get("errors_left_out", 0) > 0 or answer.is_error


async def test_a_test_file_full_of_errors_has_a_small_answer(tmp_path: Path) -> None:
    source = "def test_all():\n" + "    assert a == b\n" * 600
    root = hostile_project(tmp_path / "project", {"test_all.py": source})
    async with real_client(root) as client:
        answer = await client.call_tool("validate_test_code", {"code_path": "test_all.py", "framework": "pytest"})
    found: dict[str, Any] = answer.structured_content or {}
    assert len(answer.model_dump_json()) < 200_000
    assert len(found["errors"]) == 200
    assert found["errors_left_out"] > 900
