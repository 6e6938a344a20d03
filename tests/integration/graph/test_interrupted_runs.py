"""Runs that are interrupted at every boundary between two phases go on and make the files of one that is not."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from langgraph.checkpoint.memory import InMemorySaver

from testwright.agents.contract.protocol import success_response
from testwright.agents.control.flags import flags
from testwright.graph.context import isolated, providing
from testwright.graph.control_policy import ControlPolicy
from testwright.graph.planning_graph.planning_graph import NODES
from testwright.graph.running import planning_graph, run_thread
from testwright.tests.support.agents.scripted_agents import scripted
from testwright.tests.support.runs.graph_runs import Bench, bench, generate, plan
from testwright.tests.support.runs.plan_runs import TARGETS, plan_agents, planning, run_plan, specify, statuses, steps

REFUSED = [success_response("no spec")] * 4
MET = success_response("met")


def in_reserve() -> dict[str, Any]:
    step = generate("b", target="shop/b.py")
    step["params"]["reveal_when"] = "step_failed"
    return step


def risky() -> dict[str, Any]:
    step = generate("b", target="shop/b.py")
    step["params"]["risk"] = "high"
    return step


TWO = plan(*steps("a", "b"))
CRITIQUE = success_response("unit tests for shop/b.py", metadata=flags(terminate=True))
RUNS: dict[str, tuple[list[Any], int, dict[str, Any]]] = {
    "two modules at the same time": ([TWO], 2, {}),
    "one module after the other": (
        [plan(generate("a", target="shop/a.py"), generate("b", target="shop/b.py", depends_on=["a"]))],
        2,
        {"summary": [success_response("so far")] * 4, "lorebook": [success_response("nothing")] * 4},
    ),
    "a step that the gate approves": ([plan(*steps("a"), risky())], 2, {"safety": [success_response({"safe": True})]}),
    "a step in reserve": (
        [plan(*steps("a"), in_reserve(), generate("c", target="shop/c.py", depends_on=[]))],
        2,
        {"spec": [*REFUSED, specify, specify], "health": [success_response({"status": "degraded"})] * 4},
    ),
    "a critique": (
        [plan(*steps("a")), plan(*steps("b"))],
        2,
        {"goal": [CRITIQUE, MET], "embedded_planner": [TWO]},
    ),
}


def files(made: Bench) -> Mapping[str, bytes]:
    folder = made.project / "tests/generated"
    return {path.name: path.read_bytes() for path in sorted(folder.iterdir())}


async def interrupted_everywhere(made: Bench) -> tuple[Any, list[str]]:
    """The final state of a run that is interrupted before every node, and these nodes."""
    stops: list[str] = []
    with providing(made.context, made.services):
        graph, thread = planning_graph(made.services), run_thread(made.context)
        given: Any = planning()
        while True:
            work = graph.ainvoke(given, thread, context=made.context, durability="sync", interrupt_before="*")
            await isolated(work)
            state = await isolated(graph.aget_state(thread))
            if not state.next:
                return state.values, stops
            given = None
            stops += state.next


@pytest.mark.feature("P-08", "A-05")
@pytest.mark.parametrize("name", RUNS)
async def test_a_run_interrupted_at_every_boundary_makes_the_same_files(tmp_path: Path, name: str) -> None:
    planners, made_steps, more = RUNS[name]
    control = ControlPolicy(health_interval=1 if "health" in more else None)

    def surroundings(folder: str, agents: Any) -> Bench:
        context = {"control": control, "jobs": 1}
        return bench(tmp_path / folder, agents, targets=TARGETS, checkpointer=InMemorySaver(), context=context)

    with scripted(**plan_agents(planners, made_steps, **more)) as agents:
        whole = surroundings("whole", agents)
        expected = await run_plan(whole)
    with scripted(**plan_agents(planners, made_steps, **more)) as agents:
        broken = surroundings("broken", agents)
        ended, stops = await interrupted_everywhere(broken)
    assert set(stops) >= {node.__name__ for node in NODES} - {"validate_goal"}
    assert (statuses(ended), ended["exit_reason"]) == (statuses(expected), expected["exit_reason"])
    assert files(broken) == files(whole)
    assert files(whole)
