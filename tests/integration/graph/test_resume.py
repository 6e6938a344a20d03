"""Runs whose process ended in the middle: nothing finished is done again, nothing is there twice (B-08)."""

from __future__ import annotations

import asyncio
import contextlib
import sys
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from langgraph.checkpoint.sqlite.aio import AsyncSqliteSaver

from testwright.agents.contract.protocol import AgentRequest, success_response
from testwright.core.errors import BudgetExhausted, RunNotFound, StateVersionError, StoreCorrupt
from testwright.core.usage import Ceilings, ModelBudget
from testwright.graph.checkpoints import open_checkpoints
from testwright.graph.planning_graph.planning_graph import build_planning_graph
from testwright.graph.running import resume_run
from testwright.tests.support.agents.scripted_agents import scripted
from testwright.tests.support.runs.graph_runs import ANALYSIS, RUN_ID, bench, plan
from testwright.tests.support.runs.killed_run import calls, points_of, session
from testwright.tests.support.runs.plan_runs import (
    TARGETS,
    plan_agents,
    planning,
    run_plan,
    specify,
    statuses,
    steps,
    write,
)

pytestmark = pytest.mark.feature("B-08")
_LONG = 500.0


async def _killed_at(folder: Path, point: str) -> None:
    """Start or resume the run in a process of its own, and kill that with SIGKILL when it has reached the point."""
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        *("-m", "testwright.tests.support.runs.killed_run", str(folder), point),
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )
    assert process.stdout is not None
    try:
        line = await asyncio.wait_for(process.stdout.readline(), _LONG)
    finally:
        with contextlib.suppress(ProcessLookupError):
            process.kill()
        _, errors = await process.communicate()
    assert line == b"stopped\n", f"{point} was not reached: {line!r} {errors.decode()}"


async def _stopped_at(folder: Path, point: str) -> None:
    """Start or resume the run here, and cancel it at the point, as Ctrl-C does."""
    points = points_of(folder, point)
    run = asyncio.create_task(session(folder, points))
    waiting = asyncio.create_task(points.stopped.wait())
    await asyncio.wait({run, waiting}, timeout=_LONG, return_when=asyncio.FIRST_COMPLETED)
    assert waiting.done(), f"{point} was not reached"
    run.cancel()
    await asyncio.wait({run}, timeout=_LONG)
    assert run.cancelled()


def _results(state: Any) -> list[dict[str, Any]]:
    """What a run came to, without the seconds it took."""
    return [{**step, "result": {**(step["result"] or {}), "target_info": None}} for step in state["plan"]]


def _tree(folder: Path) -> dict[str, str]:
    """Every file the run made outside databases, with its contents."""
    kept = [*(folder / "project").rglob("*"), *(folder / "run").rglob("*")]
    return {
        path.relative_to(folder).as_posix(): path.read_text()
        for path in kept
        if path.is_file() and not path.name.startswith("checkpoints")
    }


@pytest.mark.timeout(900)
async def test_a_run_killed_again_and_again_comes_to_what_an_undisturbed_run_comes_to(tmp_path: Path) -> None:
    killed, undisturbed = tmp_path / "killed", tmp_path / "undisturbed"
    killed.mkdir()
    undisturbed.mkdir()
    for point in ("write_file:a", "prune_tests:test_a", "accept_tests"):
        await _killed_at(killed, point)
    state = await session(killed, points_of(killed))
    expected = await session(undisturbed, points_of(undisturbed))

    assert (state["status"], state["exit_reason"]) == ("completed", "completed")
    assert _results(state) == _results(expected)
    assert state["logs"] == expected["logs"]
    assert _tree(killed) == _tree(undisturbed)
    roles = ("planner", "spec", "writer", "analyzer")
    asked = Counter(call for call in calls(killed) if call.partition(":")[0] in roles)
    assert asked == dict.fromkeys(("planner", *(f"{role}:{step}" for role in roles[1:] for step in ("a", "b"))), 1)
    assert state["plan"][0]["result"] is not None
    assert state["plan"][0]["result"]["kept"] == ["tc_a_1"]


async def test_a_run_that_ended_before_it_had_a_plan_plans_again(tmp_path: Path) -> None:
    await _stopped_at(tmp_path, "planner")
    state = await session(tmp_path, points_of(tmp_path))
    assert state["exit_reason"] == "completed"
    assert calls(tmp_path).count("planner") == 2


async def test_a_cancelled_run_goes_on_where_it_was(tmp_path: Path) -> None:
    await _stopped_at(tmp_path, "spec:b")
    assert (await session(tmp_path, points_of(tmp_path)))["exit_reason"] == "completed"
    assert calls(tmp_path).count("spec:a") == 1


async def test_a_run_that_ended_is_only_read(tmp_path: Path) -> None:
    first = await session(tmp_path, points_of(tmp_path))
    before = calls(tmp_path)
    assert await session(tmp_path, points_of(tmp_path)) == first
    assert calls(tmp_path) == before


@pytest.mark.parametrize("point", ["spec:b", "verify_suite"])
async def test_a_target_that_changed_meanwhile_starts_again_and_its_sibling_does_not(
    tmp_path: Path, point: str
) -> None:
    await _stopped_at(tmp_path, point)
    (tmp_path / "project/shop/a.py").write_text("# another a\n")
    state = await session(tmp_path, points_of(tmp_path))
    assert state["exit_reason"] == "completed"
    counted = Counter(calls(tmp_path))
    assert (counted["spec:a"], counted["writer:a"]) == (2, 2)
    assert counted["writer:b"] == 1
    assert (tmp_path / "project/tests/generated/test_a.py").is_file()


async def test_a_checkpoint_of_another_version_is_refused_with_advice(tmp_path: Path) -> None:
    await _stopped_at(tmp_path, "spec:b")
    async with open_checkpoints(tmp_path / "run/checkpoints.sqlite") as saver:
        graph = build_planning_graph(saver)
        config: Any = {"configurable": {"thread_id": RUN_ID}}
        await graph.aupdate_state(config, {"state_version": 0}, as_node="build_plan")
    with pytest.raises(StateVersionError, match="version 0") as caught:
        await session(tmp_path, points_of(tmp_path))
    assert "run the request again" in caught.value.advice


async def test_a_finished_target_keeps_one_checkpoint(tmp_path: Path) -> None:
    await _stopped_at(tmp_path, "spec:b")
    async with open_checkpoints(tmp_path / "run/checkpoints.sqlite") as saver:
        kept = {
            step: [one async for one in saver.alist({"configurable": {"thread_id": f"{RUN_ID}:{step}"}})]
            for step in ("a", "b")
        }
    assert (len(kept["a"]), kept["a"][0].checkpoint["channel_values"]["exit_reason"]) == (1, "completed")
    assert len(kept["b"]) > 1


async def test_a_run_without_a_checkpoint_is_not_found(tmp_path: Path) -> None:
    async with open_checkpoints(tmp_path / "checkpoints.sqlite") as saver:
        made = bench(tmp_path, {}, checkpointer=saver)
        with pytest.raises(RunNotFound, match=RUN_ID):
            await resume_run(made.context, made.services)


async def test_a_damaged_checkpoint_file_is_said_to_be_damaged(tmp_path: Path) -> None:
    (tmp_path / "checkpoints.sqlite").write_bytes(b"this is no database" * 500)
    with pytest.raises(StoreCorrupt, match=r"checkpoints\.sqlite"):
        async with open_checkpoints(tmp_path / "checkpoints.sqlite"):
            pass


async def test_a_step_that_the_ceiling_on_time_stopped_goes_on_under_a_higher_one(
    tmp_path: Path, checkpointer: AsyncSqliteSaver
) -> None:
    """The planner and what was finished are not asked again; what depends on the step is done again."""
    used = [0.0]

    def analyse_late(request: AgentRequest) -> dict[str, Any]:
        used[0] = 999.95
        return ANALYSIS

    with scripted(**plan_agents([plan(*steps("a", "b"))], 1, writer=[write], analyzer=[analyse_late])) as agents:

        class SpecThenStuck:
            async def process(self, request: AgentRequest) -> Any:
                if used[0]:
                    await asyncio.Event().wait()
                return await agents["spec"].process(request)

        asked = {**agents, "spec": SpecThenStuck()}
        services = {"budget": ModelBudget(Ceilings(seconds=1000), lambda: used[0])}
        made = bench(tmp_path, asked, targets=TARGETS, checkpointer=checkpointer, services=services)
        first = await run_plan(made)
    assert first["exit_reason"] == "budget_exhausted"
    assert statuses(first) == {"a": "completed", "b": "failed", "verify": "completed", "accept": "completed"}
    left = {"spec": [specify], "writer": [write], "analyzer": [ANALYSIS]}
    with scripted(**left) as agents:
        services = replace(made.services, agents=agents, budget=ModelBudget(Ceilings(seconds=9000)))
        state = await resume_run(made.context, services)
        assert await resume_run(made.context, services) == state
    assert (state["status"], state["exit_reason"]) == ("completed", "completed")
    assert set(statuses(state).values()) == {"completed"}
    assert "b goes on: the ceiling is higher" in state["logs"]
    assert len(made.tools.named("accept_tests")) == 2


async def test_what_a_stopped_step_used_counts_once_when_it_goes_on(
    tmp_path: Path, checkpointer: AsyncSqliteSaver
) -> None:
    def costly(request: AgentRequest) -> Any:
        return success_response(specify(request), metadata={"tokens": 600, "cost": 0.1})

    refused = BudgetExhausted("the ceiling on tokens (500 tokens) is reached")
    with scripted(planner=[plan(*steps("a"))], spec=[costly], writer=[refused]) as agents:
        made = bench(tmp_path, agents, targets=TARGETS, checkpointer=checkpointer, context={"max_tokens": 500})
        first = await run_plan(made)
    assert (first["exit_reason"], first["spent"]["tokens"]) == ("budget_exhausted", 600)
    assert await resume_run(made.context, made.services) == first  # the ceiling is reached still
    with scripted(writer=[write], analyzer=[ANALYSIS]) as agents:
        state = await resume_run(replace(made.context, max_tokens=5000), replace(made.services, agents=agents))
    assert (state["exit_reason"], state["spent"]["tokens"]) == ("completed", 600)
    assert state["spent"]["cost"] == pytest.approx(0.1)


async def test_a_plan_that_a_ceiling_prevented_is_made_under_a_higher_one(
    tmp_path: Path, checkpointer: AsyncSqliteSaver
) -> None:
    with scripted(planner=[BudgetExhausted("the ceiling on cost (1 USD) is reached")]) as agents:
        made = bench(tmp_path, agents, targets=TARGETS, checkpointer=checkpointer)
        first = await run_plan(made)
    assert (first["status"], first["exit_reason"]) == ("failed", "budget_exhausted")
    with scripted(**plan_agents([plan(*steps("a"))], 1)) as agents:
        services = replace(made.services, agents=agents)
        state = await resume_run(made.context, services, initial_state=planning())
    assert (state["status"], state["exit_reason"], state["failure"]) == ("completed", "completed", None)
