"""Earlier checkpoints of a run, as LangGraph's users know them: read, taken up again, and changed."""

from __future__ import annotations

from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

import pytest
from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.sqlite.aio import AsyncSqliteSaver

from testwright.graph.context import isolated, providing
from testwright.graph.planning_graph.planning_graph import NODES, build_planning_graph
from testwright.tests.support.runs.graph_runs import Bench, bench, plan
from testwright.tests.support.runs.plan_runs import TARGETS, planning, statuses, steps, usual_agents

THREAD: RunnableConfig = {"configurable": {"thread_id": "mine"}}
PLANNED = plan(*steps("a", "b"))


async def travelled(made: Bench, checkpointer: AsyncSqliteSaver, change: dict[str, Any] | None) -> list[Any]:
    """What comes of a run taken up again before each of its nodes; changed there, where a change is given."""
    graph = build_planning_graph(checkpointer)
    ends: list[Any] = []
    with providing(made.context, made.services):
        work = graph.ainvoke(planning(), THREAD, context=made.context, durability="sync")
        ends.append(await isolated(work))
        history = [one async for one in graph.aget_state_history(THREAD) if one.next and one.values.get("plan")]
        for then in history:
            at = then.config if change is None else await isolated(graph.aupdate_state(then.config, change))
            ends.append(await isolated(graph.ainvoke(None, at, context=made.context, durability="sync")))
    visited = {name for one in history for name in one.next}
    assert visited == {node.__name__ for node in NODES} - {"build_plan"}
    return ends


@pytest.mark.feature("T-19")
@pytest.mark.parametrize("change", [None, {"accept": False}], ids=["as it was", "changed"])
async def test_a_run_goes_on_from_any_earlier_checkpoint(
    tmp_path: Path, checkpointer: AsyncSqliteSaver, change: dict[str, Any] | None
) -> None:
    async with AsyncExitStack() as started:
        agents = usual_agents(PLANNED)
        for agent in agents.values():
            await started.enter_async_context(agent)
        made = bench(tmp_path, agents, targets=TARGETS, checkpointer=checkpointer)
        first, *others = await travelled(made, checkpointer, change)
    assert (first["exit_reason"], set(statuses(first).values())) == ("completed", {"completed"})
    assert {one["exit_reason"] for one in others} == {"completed"}
    # The changed run adds nothing where nothing had been added yet.
    accepted = "completed" if change is None else "skipped"
    assert statuses(others[-1]) == {**statuses(first), "accept": accepted}
    assert change is not None or all(statuses(one) == statuses(first) for one in others)
    kept = sorted(path.name for path in (made.project / "tests/generated").iterdir())
    assert kept == ["test_a.py", "test_b.py"]
