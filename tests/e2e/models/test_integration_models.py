"""Integration tests through the whole run with a model that adds flows to the engine's."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from testwright.app import api
from testwright.tests.support.agents.scripted_openai import ScriptedOpenAI, answer
from testwright.tests.support.projects.depot import DEPOT
from testwright.tests.support.projects.files import OWN_PYTEST, make_project
from testwright.tests.support.runs.model_runs import KEY

TEST_PATH = "tests/generated/integration/test_depot_shipping_flows.py"
IMPORTS = ["from depot.shelf import Shelf", "from depot.shipping import ship"]


def flow(name: str, left: str) -> dict[str, Any]:
    """A flow of the model's: tea is shipped twice, and so many pieces are left."""
    return {
        "id": f"tc_{name}",
        "title": "what is shipped twice leaves twice",
        "subject": "ship",
        "priority": "high",
        "fixtures": [],
        "statements": ["shelf = Shelf()", "shelf.put('tea', 7)", "ship('tea', 2, shelf)"],
        "expression": "ship('tea', 3, shelf)",
        "mode": "call",
        "expected": "What is left is what was not shipped.",
        "expect": [
            {
                "kind": "equals",
                "actual": "shelf.pieces('tea')",
                "value": left,
                "exception": None,
                "match": None,
                "origin": "inferred",
                "lines": [16, 22],
            }
        ],
    }


@pytest.mark.feature("T-20", "T-13")
@pytest.mark.parametrize("framework", ["pytest", "unittest"])
async def test_flows_of_a_model_are_kept_where_they_hold(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, framework: str
) -> None:
    monkeypatch.setenv("TESTWRIGHT_API_KEY", KEY)
    root = make_project(tmp_path / "depot", {**OWN_PYTEST, **DEPOT})
    script = [answer({"imports": IMPORTS, "cases": [flow("two_are_left", "2"), flow("nine_are_left", "9")]})]
    with ScriptedOpenAI(script) as server:
        report = await api.agenerate(
            f"integration tests for depot.shipping, with {framework}",
            root=root,
            base_url=server.base_url,
            models={"spec": "openai:scripted"},
            apply=True,
            trials=60,
            repeats=1,
            jobs=1,
        )
    assert report.exit_code == 0
    text = (root / TEST_PATH).read_text(encoding="utf-8")
    assert "two_are_left" in text
    assert "nine_are_left" not in text
    assert ("unittest.TestCase" in text) is (framework == "unittest")
    (request,) = server.requests
    assert "class Shelf" in request.body["messages"][1]["content"]
    assert KEY not in text
