"""`langgraph.json` names graphs that a LangGraph server loads and runs with JSON."""

from __future__ import annotations

import json
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
from langgraph.graph.state import CompiledStateGraph

from testwright.app.served_graphs.graphs import planning, testing
from testwright.core.errors import RequestError, SettingsError, UsageError
from testwright.tests.support.projects.files import make_project, tree

ROOT = Path(__file__).parents[3]
FAST = {"trials": 60, "mutants": 0}


@pytest.mark.feature("T-19")
@pytest.mark.parametrize("path", ["langgraph.json", "examples/langgraph/langgraph.json"])
def test_the_file_of_the_server_and_its_template_name_both_graphs(path: str) -> None:
    served = json.loads((ROOT / path).read_text())
    found: dict[str, Any] = {}
    for name, reference in served["graphs"].items():
        module, _, variable = reference.partition(":")
        found[name] = getattr(import_module(module), variable)
    assert found == {"planning": planning, "testing": testing}
    assert all(isinstance(graph, CompiledStateGraph) for graph in found.values())
    assert sorted(planning.get_input_jsonschema()["properties"]) == ["options", "request"]


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    root = make_project(tmp_path / "project")
    monkeypatch.chdir(root)
    return Path(str(root))


@pytest.mark.feature("T-19")
async def test_a_request_is_run_to_its_report_and_its_events_are_streamed(project: Path) -> None:
    events: list[str] = []
    state: dict[str, Any] = {}
    asked: Any = {"request": "unit tests for small.names", "options": {**FAST, "run": False}}
    stream: Any = planning.astream(asked, stream_mode=["custom", "values"])
    async for mode, chunk in stream:
        if mode == "custom":
            events.append(chunk["testwright"]["type"])
        else:
            state = chunk
    assert (state["exit_reason"], state["report"]["exit_code"]) == ("completed", 0)
    assert json.loads(json.dumps(state)) == state
    assert {"started", "plan_ready", "complete"} <= set(events)
    assert "tests/generated/small/test_small_names.py" in tree(project)


@pytest.mark.feature("T-19")
async def test_one_target_is_tested_and_its_tests_stay_staged(project: Path) -> None:
    state = await testing.ainvoke({"target": "small.names", "options": {**FAST, "run": False}})
    assert state["test_path"] == "tests/generated/small/test_small_names.py"
    assert state["spec"]["cases"]
    assert state["test_path"] not in tree(project)


@pytest.mark.parametrize("option", ["sandbox", "agents", "yes", "root", "python", "mcp_servers"])
async def test_a_client_cannot_choose_what_reaches_beyond_the_project(project: Path, option: str) -> None:
    with pytest.raises(SettingsError, match=f"A client cannot choose {option}") as refused:
        await planning.ainvoke({"request": "unit tests for small.names", "options": {option: "x"}})
    assert refused.value.advice


async def test_what_names_nothing_is_refused(project: Path) -> None:
    with pytest.raises(RequestError):
        await testing.ainvoke({"target": "small.missing", "options": dict(FAST)})
    with pytest.raises(UsageError, match="No target is named"):
        await testing.ainvoke({})
    with pytest.raises(UsageError, match="The request is empty"):
        await planning.ainvoke({})
