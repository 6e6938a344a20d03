"""A ceiling on time is shared out over steps and over what they do; what keeps tests is not cut off (B-08)."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest

from testwright.agents.contract.protocol import AgentRequest, success_response
from testwright.core.usage import Ceilings, ModelBudget
from testwright.graph.step_limit import StepOutOfTimeError, lift_step_limit, step_limit
from testwright.tests.support.agents.scripted_agents import scripted
from testwright.tests.support.runs.graph_runs import bench, plan
from testwright.tests.support.runs.plan_runs import (
    TARGETS,
    HandClock,
    plan_agents,
    result_of,
    run_plan,
    specify,
    statuses,
    steps,
    write,
)


async def turns(count: int) -> None:
    """Let whatever is due happen."""
    for _ in range(count):
        await asyncio.sleep(0)


@pytest.mark.feature("B-08")
async def test_each_step_may_explore_for_most_of_an_equal_part_of_what_is_left(tmp_path: Path) -> None:
    clock, heard = HandClock(), []

    def specify_slowly(request: AgentRequest) -> dict[str, Any]:
        heard.append(request.constraints)
        clock.now += 30
        return specify(request)

    with scripted(**plan_agents([plan(*steps("a", "b", "c"))], 3, spec=[specify_slowly] * 3)) as agents:
        budget = ModelBudget(Ceilings(seconds=120), clock)
        made = bench(tmp_path, agents, targets=TARGETS, context={"jobs": 1}, services={"budget": budget})
        await run_plan(made)
    assert heard == [{"seconds": 24.0}, {"seconds": 27.0}, {"seconds": 36.0}]


async def test_without_a_ceiling_on_time_nothing_is_said_of_seconds(tmp_path: Path) -> None:
    heard = []

    def specified(request: AgentRequest) -> dict[str, Any]:
        heard.append(request.constraints)
        return specify(request)

    with scripted(**plan_agents([plan(*steps("a"))], 1, spec=[specified])) as agents:
        made = bench(tmp_path, agents, targets=TARGETS)
        await run_plan(made)
    assert heard == [None]
    assert "mutant_seconds" not in made.tools.named("run_tests")[0]["options"]


@pytest.mark.feature("B-08", "B-11")
async def test_tests_that_are_written_when_the_time_is_up_are_still_run_and_kept(tmp_path: Path) -> None:
    clock = HandClock()

    def write_late(request: AgentRequest) -> dict[str, Any]:
        clock.now = 200.0
        return write(request)

    with scripted(**plan_agents([plan(*steps("a"))], 1, writer=[write_late])) as agents:
        budget = ModelBudget(Ceilings(seconds=100), clock)
        made = bench(tmp_path, agents, targets=TARGETS, services={"budget": budget})
        state = await run_plan(made)
    assert statuses(state) == {"a": "completed", "verify": "completed", "accept": "completed"}
    assert made.tools.named("run_tests")[0]["options"]["mutant_seconds"] == 1.0
    assert (made.project / "tests/generated/test_a.py").is_file()


async def test_a_limit_that_is_reached_ends_what_is_in_it() -> None:
    with pytest.raises(StepOutOfTimeError):
        async with step_limit(0):
            await turns(5)


async def test_a_limit_that_a_task_inside_has_lifted_ends_nothing() -> None:
    async def lifting() -> None:
        lift_step_limit()
        await turns(5)

    async with step_limit(3600):
        await asyncio.create_task(lifting())
    async with step_limit(0):
        lift_step_limit()
        await turns(5)


async def test_where_there_is_no_limit_lifting_it_is_nothing() -> None:
    lift_step_limit()
    async with step_limit(None):
        lift_step_limit()
        await turns(2)


async def test_what_was_cut_short_is_noted_beside_the_tests(tmp_path: Path) -> None:
    note = "Exploring stopped after 9 seconds."

    def cut_short(request: AgentRequest) -> Any:
        return success_response(specify(request), metadata={"notes": [note]})

    with scripted(**plan_agents([plan(*steps("a"))], 1, spec=[cut_short])) as agents:
        state = await run_plan(bench(tmp_path, agents, targets=TARGETS))
    assert result_of(state, "a")["warnings"] == [note]
