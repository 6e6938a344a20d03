"""How plans end when something goes wrong: faults of targets, tools, agents and the machine, and ceilings."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest
from langgraph.checkpoint.sqlite.aio import AsyncSqliteSaver

from testwright.agents.contract.protocol import AgentRequest, success_response
from testwright.core.errors import (
    EnvironmentFault,
    MalformedLlmOutput,
    RequestError,
    SandboxUnavailable,
    StoreFull,
    TargetImportError,
    ToolTimeout,
)
from testwright.core.usage import Ceilings, ModelBudget
from testwright.tests.support.agents.scripted_agents import scripted
from testwright.tests.support.mcp.scripted_tools import invalid_spec
from testwright.tests.support.runs.graph_runs import ANALYSIS, bench, plan
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


@pytest.mark.feature("T-04")
async def test_an_exhausted_loop_is_never_tried_again_as_a_step(tmp_path: Path) -> None:
    more = {"spec": [specify] * 4, "writer": [], "analyzer": []}
    with scripted(**plan_agents([plan(*steps("a"))], 1, **more)) as agents:
        made = bench(tmp_path, agents, targets=TARGETS, scripts={"validate_test_spec": [invalid_spec("flaw")] * 4})
        state = await run_plan(made, max_retries_per_step=5)
    assert state["attempt_counts"]["a"] == 1
    assert (state["exit_reason"], result_of(state, "a")["exit_reason"]) == ("nothing_kept", "spec_exhausted")
    assert statuses(state)["accept"] == "skipped"


@pytest.mark.feature("T-04", "T-15")
async def test_an_infrastructure_fault_is_tried_again_and_finished_nodes_are_not(
    tmp_path: Path, checkpointer: AsyncSqliteSaver
) -> None:
    good = {"passed": 2, "failed": 0, "kept": ["tc_a_1", "tc_a_2"], "dropped": []}
    with scripted(**plan_agents([plan(*steps("a"))], 1)) as agents:
        scripts = {"run_tests": [ToolTimeout("late")] * 3 + [good]}
        made = bench(tmp_path, agents, targets=TARGETS, scripts=scripts, checkpointer=checkpointer)
        state = await run_plan(made)
    assert (state["exit_reason"], state["attempt_counts"]["a"]) == ("completed", 2)
    audited = [
        (attempt.attempt, attempt.outcome, attempt.reason)
        for attempt in made.recorder.attempts
        if attempt.step_id == "a"
    ]
    assert (1, "failed", "first") in audited
    assert (2, "ok", "late") in audited


@pytest.mark.feature("T-04")
async def test_an_infrastructure_fault_that_lasts_fails_the_step_with_what_it_had(
    tmp_path: Path, checkpointer: AsyncSqliteSaver
) -> None:
    with scripted(**plan_agents([plan(*steps("a"))], 1, analyzer=[])) as agents:
        scripts = {"run_tests": [ToolTimeout("late")] * 6}
        made = bench(tmp_path, agents, targets=TARGETS, scripts=scripts, checkpointer=checkpointer)
        state = await run_plan(made)
    result = result_of(state, "a")
    assert (statuses(state)["a"], result["exit_reason"], state["attempt_counts"]["a"]) == (
        "failed",
        "infrastructure",
        2,
    )
    assert result["spec_json"]["cases"]
    assert (result["kept"], result["unaccepted_files"]) == ([], ["staged/tests/generated/test_a.py"])
    assert result["failure"]["message"] == "late"


@pytest.mark.feature("P-11")
async def test_a_fault_of_the_machine_ends_the_run_before_more_targets_meet_it(tmp_path: Path) -> None:
    fault = SandboxUnavailable("no bwrap", advice="install bubblewrap")
    more = {"spec": [specify], "writer": [write], "analyzer": []}
    with scripted(**plan_agents([plan(*steps("a", "b", "c"))], 1, **more)) as agents:
        made = bench(tmp_path, agents, targets=TARGETS, scripts={"run_tests": [fault]})
        state = await run_plan(made)
    assert (state["status"], state["exit_reason"]) == ("failed", "environment")
    assert statuses(state) == {"a": "failed", "b": "skipped", "c": "skipped", "verify": "skipped", "accept": "skipped"}
    assert state["failure"] is not None
    assert (state["failure"]["error"], state["failure"]["advice"]) == ("SandboxUnavailable", "install bubblewrap")


@pytest.mark.feature("P-11")
async def test_a_target_that_does_not_import_is_its_own_steps_fault_only(tmp_path: Path) -> None:
    good = {"passed": 2, "failed": 0, "kept": ["tc_b_1", "tc_b_2"], "dropped": []}
    scripts = {"run_tests": [TargetImportError("shop.a does not import"), good]}
    with scripted(**plan_agents([plan(*steps("a", "b"))], 2, analyzer=[ANALYSIS])) as agents:
        state = await run_plan(bench(tmp_path, agents, targets=TARGETS, scripts=scripts))
    assert (statuses(state)["a"], statuses(state)["b"], state["exit_reason"]) == ("failed", "completed", "partial")


async def test_a_full_disk_stops_the_run_instead_of_failing_every_step(tmp_path: Path) -> None:
    with scripted(**plan_agents([plan(*steps("a"))], 1, analyzer=[])) as agents:
        made = bench(tmp_path, agents, targets=TARGETS, scripts={"run_tests": [StoreFull("no space left")]})
        with pytest.raises(StoreFull):
            await run_plan(made)


@pytest.mark.feature("P-11")
@pytest.mark.parametrize(
    ("raised", "exit_reason"),
    [(RequestError("names nothing", advice="name a file"), "plan_failed"), (EnvironmentFault("x"), "environment")],
)
async def test_a_planner_that_fails_ends_the_run_with_a_typed_reason(
    tmp_path: Path, raised: Exception, exit_reason: str
) -> None:
    with scripted(planner=[raised]) as agents:
        state = await run_plan(bench(tmp_path, agents))
    assert (state["status"], state["exit_reason"], state["plan"]) == ("failed", exit_reason, [])
    assert state["failure"] is not None
    assert state["failure"]["error"] == type(raised).__name__


@pytest.mark.feature("P-11")
async def test_a_plan_without_steps_ends_with_nothing_to_do(tmp_path: Path) -> None:
    with scripted(planner=[plan(close=False)]) as agents:
        state = await run_plan(bench(tmp_path, agents))
    assert (state["status"], state["exit_reason"]) == ("failed", "nothing_to_do")


@pytest.mark.feature("T-02")
@pytest.mark.feature("P-01")
async def test_a_plan_that_cannot_be_executed_goes_back_once_with_its_problems(tmp_path: Path) -> None:
    broken = plan({"id": "a", "type": "generate_unit_tests", "params": {}}, close=False)
    with scripted(**plan_agents([broken, plan(*steps("a"))], 1)) as agents:
        state = await run_plan(bench(tmp_path, agents, targets=TARGETS))
        told = (agents["planner"].requests[1].inputs or {})["errors"]
    assert state["exit_reason"] == "completed"
    assert [one["path"] for one in told] == [
        f"$.steps[0].params.{key}" for key in ("target", "framework", "spec_path", "test_path")
    ]


async def test_a_plan_that_stays_broken_ends_the_run(tmp_path: Path) -> None:
    broken = plan({"id": "a", "type": "make_coffee", "params": {}}, close=False)
    with scripted(planner=[broken, broken]) as agents:
        state = await run_plan(bench(tmp_path, agents))
    assert state["exit_reason"] == "plan_failed"
    assert "'make_coffee' is no step type" in (state["failure"] or {})["message"]


async def test_a_planner_that_never_answers_json_ends_the_run(tmp_path: Path) -> None:
    with scripted(planner=[MalformedLlmOutput("no JSON")] * 3) as agents:
        state = await run_plan(bench(tmp_path, agents))
    assert state["exit_reason"] == "plan_failed"


@pytest.mark.feature("B-08")
async def test_a_reached_ceiling_stops_new_targets_and_keeps_what_was_made(tmp_path: Path) -> None:
    def costly(request: AgentRequest) -> Any:
        return success_response(specify(request), metadata={"tokens": 600, "cost": 0.1})

    more = {"spec": [costly] * 2, "writer": [write] * 2, "analyzer": [ANALYSIS] * 2}
    with scripted(**plan_agents([plan(*steps("a", "b", "c"))], 3, **more)) as agents:
        made = bench(tmp_path, agents, targets=TARGETS, context={"max_tokens": 1000})
        state = await run_plan(made)
    assert statuses(state) == {
        "a": "completed",
        "b": "completed",
        "c": "skipped",
        "verify": "completed",
        "accept": "completed",
    }
    assert (state["exit_reason"], state["spent"]["tokens"]) == ("budget_exhausted", 1200)
    assert (made.project / "tests/generated/test_b.py").is_file()


@pytest.mark.feature("B-08")
async def test_the_ceiling_on_time_stops_a_target_in_the_middle(tmp_path: Path) -> None:
    class Stuck:
        async def process(self, request: AgentRequest) -> Any:
            await asyncio.Event().wait()

    with scripted(planner=[plan(*steps("a"))]) as agents:
        made = bench(tmp_path, {**agents, "spec": Stuck()}, targets=TARGETS, context={"wall_seconds": 0.05})
        state = await run_plan(made)
    assert (statuses(state)["a"], result_of(state, "a")["exit_reason"]) in (
        ("failed", "budget_exhausted"),
        ("skipped", "budget_exhausted"),
    )
    assert state["exit_reason"] == "budget_exhausted"


class _Stuck:
    """An agent that never answers."""

    async def process(self, request: AgentRequest) -> Any:
        await asyncio.Event().wait()


@pytest.mark.feature("B-08")
async def test_an_analyzer_that_outlasts_the_run_costs_the_analysis_and_not_the_tests(
    tmp_path: Path, checkpointer: AsyncSqliteSaver
) -> None:
    clock = HandClock()
    budget = ModelBudget(Ceilings(seconds=100), clock)

    def write_late(request: AgentRequest) -> dict[str, Any]:
        clock.now = 99.95
        return write(request)

    more = {"writer": [write_late], "analyzer": []}
    with scripted(**plan_agents([plan(*steps("a"))], 1, **more)) as agents:
        asked = {**agents, "analyzer": _Stuck()}
        made = bench(tmp_path, asked, targets=TARGETS, checkpointer=checkpointer, services={"budget": budget})
        state = await run_plan(made)
    assert (state["exit_reason"], budget.reached) == ("budget_exhausted", "the ceiling on time (100 s) is reached")
    assert statuses(state) == {"a": "completed", "verify": "completed", "accept": "completed"}
    assert result_of(state, "a")["exit_reason"] == "budget_exhausted"
    assert (made.project / "tests/generated/test_a.py").is_file()


@pytest.mark.feature("B-08")
async def test_a_planner_that_outlasts_the_run_ends_it_with_the_typed_reason(tmp_path: Path) -> None:
    budget = ModelBudget(Ceilings(seconds=100), lambda: 99.95)
    made = bench(tmp_path, {"planner": _Stuck()}, services={"budget": budget})
    state = await run_plan(made)
    assert (state["status"], state["exit_reason"], state["plan"]) == ("failed", "budget_exhausted", [])
    assert (state["failure"] or {})["error"] == "BudgetExhausted"


@pytest.mark.feature("B-08")
@pytest.mark.parametrize("used", [50.0, 99.5])
async def test_a_step_is_not_tried_again_after_a_wait_that_would_outlast_the_run(
    tmp_path: Path, checkpointer: AsyncSqliteSaver, used: float
) -> None:
    """The wait before the second attempt is a second."""
    clock = HandClock()

    def late(arguments: dict[str, Any]) -> dict[str, Any]:
        clock.now = used
        raise ToolTimeout("late")

    good = {"passed": 2, "failed": 0, "kept": ["tc_a_1", "tc_a_2"], "dropped": []}
    again = used == 50.0
    analyzer = [ANALYSIS] if again else []
    with scripted(**plan_agents([plan(*steps("a"))], 1, analyzer=analyzer)) as agents:
        scripts = {"run_tests": [late] * 3 + [good] * again}
        services = {"budget": ModelBudget(Ceilings(seconds=100), clock)}
        made = bench(tmp_path, agents, targets=TARGETS, scripts=scripts, checkpointer=checkpointer, services=services)
        state = await run_plan(made)
    assert state["exit_reason"] == ("completed" if again else "budget_exhausted")
    assert state["attempt_counts"]["a"] == (2 if again else 1)


@pytest.mark.feature("P-11")
async def test_the_end_of_a_plan_is_told_with_its_reason(tmp_path: Path) -> None:
    with scripted(**plan_agents([plan(*steps("a"))], 1)) as agents:
        made = bench(tmp_path, agents, targets=TARGETS)
        await run_plan(made)
    told = [data["plan_ended"] for _, _, _, data in made.recorder.events if "plan_ended" in data]
    assert told == ["completed"]
