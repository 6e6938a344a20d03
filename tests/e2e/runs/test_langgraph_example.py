"""The example of a LangGraph agent that uses testwright's graph as a node."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import pytest

from testwright.tests.support.projects.files import make_project, tree

EXAMPLE = Path(__file__).resolve().parents[3] / "examples" / "langgraph" / "agent.py"


@pytest.mark.feature("T-01", "T-19")
async def test_the_example_runs_and_streams_events_of_the_subgraph(tmp_path):
    spec = importlib.util.spec_from_file_location("langgraph_example", EXAMPLE)
    assert spec is not None
    assert spec.loader is not None
    example = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(example)
    root = make_project(tmp_path / "project")
    summary, events = await example.review(str(root), "unit tests for small.names", run=False, trials=60)
    assert summary.splitlines()[0] == "Unit tests with pytest for small.names."
    assert "accept_tests: completed" in summary
    assert "tests/generated/small/test_small_names.py" in tree(root)
    assert "plan_ready" in {event["type"] for event in events}
