"""The planning graph as a part of a graph of somebody else's."""

from typing import Any

import pytest
from langgraph.graph import END, START, StateGraph
from typing_extensions import TypedDict

import testwright
from testwright.app.opened_store import open_store
from testwright.config.settings import load_settings
from testwright.core.exit_code import ExitCode
from testwright.graph.context import RunContext
from testwright.graph.planning_graph.planning_state import PlanningAgentState
from testwright.tests.support.projects.files import make_project, tree


async def choose(state: PlanningAgentState) -> dict[str, Any]:
    return {"user_request": "small.names"}


async def tell(state: PlanningAgentState) -> dict[str, Any]:
    return {"logs": [f"{len(state['plan'])} steps, {state['status']}"]}


@pytest.mark.feature("T-01", "T-19")
@pytest.mark.smoke
async def test_the_planning_graph_works_as_a_node_of_another_graph(tmp_path):
    root, heard = make_project(tmp_path / "project"), []
    # pyrefly: ignore[bad-specialization] - it does not see the keys that the class of a TypedDict has
    outer = StateGraph(PlanningAgentState, context_schema=RunContext)
    outer.add_node("choose", choose)
    outer.add_node("test", testwright.build_planning_graph())
    outer.add_node("tell", tell)
    outer.add_edge(START, "choose")
    outer.add_edge("choose", "test")
    outer.add_edge("test", "tell")
    outer.add_edge("tell", END)
    session = testwright.graph_session(
        "anything", root=root, run_id="r", trials=100, run=False, on_event=lambda event: heard.append(event.type)
    )
    async with session as given:
        state = await outer.compile().ainvoke(given.state, context=given.context)
    assert state["status"] == "completed", state["failure"]
    assert state["logs"][-1] == "3 steps, completed"
    assert "tests/generated/small/test_small_names.py" in tree(root)
    assert "spec_written" in heard
    assert ended(root) == ("completed", "completed", 0)


class ForeignState(TypedDict):
    """A state of somebody's own, which shares one key with ours."""

    user_request: str


@pytest.mark.feature("T-01", "T-19")
async def test_a_state_without_the_keys_of_ours_is_refused_in_words(tmp_path):
    root = make_project(tmp_path / "project")
    # pyrefly: ignore[bad-specialization] - it does not see the keys that the class of a TypedDict has
    outer = StateGraph(ForeignState, context_schema=RunContext)
    outer.add_node("test", testwright.build_planning_graph())
    outer.add_edge(START, "test")
    outer.add_edge("test", END)
    async with testwright.graph_session("small.names", root=root, run_id="r") as given:
        with pytest.raises(testwright.TestwrightError, match="lacks keys") as refused:
            await outer.compile().ainvoke({"user_request": "small.names"}, context=given.context)
    assert "extend PlanningAgentState" in str(refused.value.advice)


def ended(root, run_id="r"):
    """What the database says of a run's end."""
    with open_store(load_settings({"root": root})) as store:
        record = store.runs.get(run_id)
    return record.status, record.exit_reason, record.exit_code


@pytest.mark.feature("P-11")
async def test_what_a_lent_graph_came_to_is_what_is_recorded(tmp_path):
    root = make_project(tmp_path / "project")
    graph = testwright.build_planning_graph()
    async with testwright.graph_session("small.nowhere", root=root, run_id="lost") as given:
        state = await graph.ainvoke(given.state, context=given.context)
    assert state["status"] == "failed"
    assert ended(root, "lost") == ("failed", state["exit_reason"], ExitCode.NOTHING_KEPT)
    with pytest.raises(ZeroDivisionError):
        async with testwright.graph_session("x", root=root, run_id="broken"):
            raise ZeroDivisionError
    assert ended(root, "broken") == ("failed", "terminated", ExitCode.PARTIAL)


@pytest.mark.feature("T-19")
async def test_a_run_id_is_lent_only_once(tmp_path):
    root = make_project(tmp_path / "project")
    async with testwright.graph_session("x", root=root, run_id="r"):
        pass
    assert ended(root) == ("stopped", "terminated", ExitCode.PARTIAL)
    with pytest.raises(testwright.TestwrightError, match="r"):
        async with testwright.graph_session("x", root=root, run_id="r"):
            pass
