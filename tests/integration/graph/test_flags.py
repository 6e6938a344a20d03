"""Flags of agents at every boundary between two phases of a run, each with its reason."""

from __future__ import annotations

from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

import pytest
from langgraph.checkpoint.sqlite.aio import AsyncSqliteSaver

from testwright.agents.contract.protocol import AgentResponse, success_response
from testwright.agents.control.flags import flags
from testwright.graph.context import isolated, providing, run_graph
from testwright.graph.control_policy import ControlPolicy
from testwright.graph.planning_graph.planning_graph import NODES
from testwright.graph.running import planning_graph, resume_run, run_thread
from testwright.tests.support.agents.scripted_agents import scripted
from testwright.tests.support.runs.graph_runs import ANALYSIS, bench, generate, plan, spec
from testwright.tests.support.runs.plan_runs import (
    TARGETS,
    plan_agents,
    planning,
    result_of,
    run_plan,
    specify,
    statuses,
    steps,
    usual_agents,
    write,
)

TWO_WAVES = plan(generate("a", target="shop/a.py"), generate("b", target="shop/b.py", depends_on=["a"]))


def flagged(result: Any = "so be it", **named: Any) -> AgentResponse:
    return success_response(result, metadata=flags(**named))


async def steered(tmp_path: Path, planned: Any = TWO_WAVES, made: int = 1, **more: Any) -> Any:
    """The end of a plan whose agents answer from a script."""
    with scripted(**plan_agents([planned], made, **more)) as agents:
        return await run_plan(bench(tmp_path, agents, targets=TARGETS))


ENDS, MAKES_NO_MORE, GOES_ON = "terminated", "completed, without b", "completed"
AT_BOUNDARIES = {
    ("planner", "terminate"): ENDS,
    ("planner", "passes"): "nothing_kept",
    ("planner", "interrupt"): GOES_ON,
    ("spec", "terminate"): ENDS,
    ("writer", "terminate"): ENDS,
    ("analyzer", "terminate"): ENDS,
    ("judge", "terminate"): ENDS,
    ("judge", "passes"): MAKES_NO_MORE,
    ("judge", "interrupt"): GOES_ON,
    ("health", "terminate"): ENDS,
    ("health", "passes"): MAKES_NO_MORE,
    ("health", "interrupt"): GOES_ON,
    ("lorebook", "terminate"): ENDS,
    ("lorebook", "passes"): GOES_ON,
    ("lorebook", "interrupt"): GOES_ON,
    ("summary", "terminate"): GOES_ON,
    ("summary", "passes"): GOES_ON,
    ("summary", "interrupt"): GOES_ON,
    ("goal", "passes"): GOES_ON,
    ("goal", "interrupt"): GOES_ON,
}
"""What becomes of a run of two steps, one after the other, in which an agent's first answer has a flag."""
FLAGGED = {
    "planner": TWO_WAVES,
    "spec": spec("tc_a_1"),
    "writer": {"files": []},
    "analyzer": ANALYSIS,
    "health": {"status": "healthy"},
}


@pytest.mark.feature("P-08", "P-11")
@pytest.mark.parametrize(("role", "flag"), AT_BOUNDARIES, ids=str)
async def test_a_flag_at_any_boundary_does_what_the_contract_says(tmp_path: Path, role: str, flag: str) -> None:
    first = flagged(FLAGGED.get(role, "so be it"), **{flag: True, "reason": "because"})
    async with AsyncExitStack() as started:
        agents = usual_agents(TWO_WAVES, health=lambda _: {"status": "healthy"}) | usual_agents(TWO_WAVES, role, first)
        for agent in agents.values():
            await started.enter_async_context(agent)
        made = bench(tmp_path, agents, targets=TARGETS, context={"control": ControlPolicy(health_interval=1)})
        state = await run_plan(made)
    reason, _, without = AT_BOUNDARIES[role, flag].partition(", without ")
    assert state["exit_reason"] == reason
    if reason == ENDS:
        assert (state["failure"] or {})["message"] == "because"
    elif reason != "nothing_kept":
        expected = {"a": "completed", "b": "skipped" if without else "completed"}
        assert {name: statuses(state)[name] for name in expected} == expected
    ended = [data for *_, data in made.recorder.events if "plan_ended" in data]
    assert [data["plan_ended"] for data in ended] == [reason], "the end is told once, with its reason"


@pytest.mark.feature("P-08", "P-11", "P-12")
async def test_an_agent_in_a_step_ends_the_run_with_its_reason(tmp_path: Path) -> None:
    ends = flagged(spec("tc_b"), terminate=True, reason="the target must not be tested")
    state = await steered(tmp_path, spec=[specify, ends], writer=[write], analyzer=[ANALYSIS])
    assert (state["status"], state["exit_reason"]) == ("failed", "terminated")
    assert (result_of(state, "b")["exit_reason"], result_of(state, "a")["kept"]) == ("terminated", ["tc_a_1", "tc_a_2"])
    assert (state["failure"] or {})["message"] == "the target must not be tested"


@pytest.mark.feature("P-08", "P-11")
async def test_a_planner_ends_the_run_before_there_is_a_plan(tmp_path: Path) -> None:
    with scripted(planner=[flagged({"steps": []}, terminate=True)]) as agents:
        state = await run_plan(bench(tmp_path, agents))
    assert (state["exit_reason"], state["plan"]) == ("terminated", [])
    assert (state["failure"] or {})["message"] == "halted by planner"


@pytest.mark.feature("P-08")
async def test_an_agent_that_passes_ends_its_step_and_keeps_what_was_made(tmp_path: Path) -> None:
    three = plan(*TWO_WAVES["steps"][:2], generate("c", target="shop/c.py", depends_on=["a"]))
    passes = flagged(spec("tc_b"), passes=True)
    state = await steered(
        tmp_path,
        three,
        spec=[specify, passes, passes],
        writer=[write],
        analyzer=[ANALYSIS],
        goal=[success_response("ok")],
    )
    assert (statuses(state)["accept"], result_of(state, "b")["exit_reason"]) == ("completed", "passed")


@pytest.mark.feature("P-08")
async def test_an_agent_that_interrupts_costs_only_its_step(tmp_path: Path) -> None:
    interrupts = flagged(spec("tc_a"), interrupt=True)
    state = await steered(
        tmp_path, plan(*steps("a", "b")), spec=[interrupts, specify], writer=[write], analyzer=[ANALYSIS]
    )
    assert result_of(state, "a")["exit_reason"] == "interrupted"
    assert (statuses(state)["b"], state["exit_reason"]) == ("completed", "partial")


@pytest.mark.feature("P-08", "A-05")
@pytest.mark.parametrize("node", [node.__name__ for node in NODES if node.__name__ != "build_plan"])
async def test_a_run_interrupted_at_any_boundary_resumes_with_the_same_files(
    tmp_path: Path, checkpointer: AsyncSqliteSaver, node: str
) -> None:
    further = plan(generate("b", target="shop/b.py"))
    goal = [flagged("unit tests for shop/b.py", terminate=True), success_response("met")]
    reading = {"embedded_planner": [plan(*steps("a", "b"))]}
    with scripted(**plan_agents([plan(*steps("a")), further], 2, goal=goal, **reading)) as agents:
        made = bench(tmp_path, agents, targets=TARGETS, checkpointer=checkpointer)
        with providing(made.context, made.services):
            graph, thread = planning_graph(made.services), run_thread(made.context)
            await run_graph(graph, planning(), thread, made.context, stop_before=node)
            assert (await isolated(graph.aget_state(thread))).next == (node,)
        state = await resume_run(made.context, made.services)
    assert (state["exit_reason"], state["control"].get("goal_failures")) == ("completed", 1)
    files = sorted(path.name for path in (made.project / "tests/generated").iterdir())
    assert files == ["test_a.py", "test_b.py"]
