"""The parts of the planning graph by themselves: reading plans, ordering steps, ending a plan."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from testwright.core.outcome import ExitReason
from testwright.graph.context import providing
from testwright.graph.planning_graph.ceilings import CeilingMeter
from testwright.graph.planning_graph.generate_step import initial_step_state
from testwright.graph.planning_graph.nodes.advance_or_finish import advance_or_finish, exit_reason_of
from testwright.graph.planning_graph.nodes.build_plan import build_plan
from testwright.graph.planning_graph.nodes.execute_current_step import execute_current_step
from testwright.graph.planning_graph.plan_check import check_plan
from testwright.graph.planning_graph.planning_graph import more_to_do
from testwright.graph.planning_graph.planning_state import (
    PlanningAgentState,
    PlanStepState,
    StepStatus,
    new_planning_state,
)
from testwright.graph.planning_graph.steps import blocked_by, dependents, first_unfinished, ready_steps
from testwright.tests.support.agents.scripted_agents import scripted
from testwright.tests.support.runs.graph_runs import RUN_ID, bench, generate, plan, runtime_of

pytestmark = pytest.mark.feature("T-17")


def _plan(*steps: dict[str, Any], **statuses: StepStatus) -> list[PlanStepState]:
    """A checked plan, with some statuses set."""
    checked, problems = check_plan(plan(*steps)["steps"])
    assert problems == []
    return [{**step, "status": statuses.get(step["id"], "pending")} for step in checked]


def _ended(step: PlanStepState, status: StepStatus, exit_reason: str) -> PlanStepState:
    return {**step, "status": status, "result": {"exit_reason": exit_reason}}


def _state(steps: list[PlanStepState], **more: Any) -> PlanningAgentState:
    state = new_planning_state(request_id=RUN_ID, user_request="cover")
    return {**state, "plan": steps, "status": "executing", **more}  # pyrefly: ignore[bad-unpacking]


A, B = generate("a", target="shop/a.py"), generate("b", target="shop/b.py", depends_on=["a"])


@pytest.mark.feature("T-01")
def test_a_good_plan_becomes_pending_steps_with_the_seeds_fields() -> None:
    step = _plan(A)[0]
    assert set(step) == {"id", "type", "status", "params", "result", "error_message"}
    assert (step["status"], step["result"], step["error_message"]) == ("pending", None, None)


@pytest.mark.feature("T-02")
@pytest.mark.parametrize(
    ("steps", "path", "message"),
    [
        ("not a list", "$.steps", "is not a list"),
        ([3], "$.steps[0]", "is not an object"),
        ([{"id": "", "type": "verify_suite", "params": {}}], "$.steps[0].id", "non-empty"),
        ([{"id": "v", "type": "verify_suite"}], "$.steps[0].params", "must be an object"),
        ([{"id": "v", "type": "juggle", "params": {}}], "$.steps[0].type", "no step type"),
        ([{"id": "v", "type": "verify_suite", "params": {"depends_on": "a"}}], "$.steps[0].params.depends_on", "list"),
        ([{"id": "v", "type": "verify_suite", "params": {"depends_on": ["x"]}}], "$.steps[0].params.depends_on", "'x'"),
        ([A, A], "$.steps[1].id", "is taken"),
        ([A, {**A, "id": "a2"}], "$.steps[1].params.spec_path", "is written by 'a'"),
        ([{"id": "c", "type": "retrieve_context", "params": {}}], "$.steps[0].params.query", "is missing"),
    ],
)
def test_a_plan_that_cannot_be_executed_says_where_and_why(steps: Any, path: str, message: str) -> None:
    _, problems = check_plan(steps)
    assert problems[0]["path"] == path
    assert message in problems[0]["message"]
    assert problems[0]["suggestion"]


def test_steps_that_wait_for_each_other_are_refused() -> None:
    _, problems = check_plan([generate("a", depends_on=["b"]), generate("b", depends_on=["a"])])
    assert "wait for each other" in problems[0]["message"]


@pytest.mark.feature("T-03")
def test_steps_are_ready_when_all_they_depend_on_is_finished() -> None:
    assert [step["id"] for step in ready_steps(_plan(A, B))] == ["a"]
    assert [step["id"] for step in ready_steps(_plan(A, B, a="failed"))] == ["b"]
    assert [step["id"] for step in ready_steps(_plan(A, B, a="completed", b="in_progress"))] == ["b"]


def test_a_failed_step_blocks_its_dependents_except_the_verification() -> None:
    steps = _plan(A, B, a="failed")
    blockers = {step["id"]: blocked_by(step, steps) for step in steps}
    assert blockers == {"a": None, "b": "a", "verify": None, "accept": "verify"}


def test_the_current_step_is_the_first_unfinished() -> None:
    assert first_unfinished(_plan(A, B, a="skipped")) == 1
    assert first_unfinished(_plan(A, B, b="completed")) == 0
    assert first_unfinished([]) == 0


def test_dependents_are_found_over_any_distance() -> None:
    assert dependents(_plan(A, B), {"a"}) == {"b", "verify", "accept"}
    assert dependents(_plan(A, B), {"verify"}) == {"accept"}


def test_a_lookup_that_failed_does_not_keep_the_steps_after_it_from_going_ahead() -> None:
    lookup = {"id": "look", "type": "retrieve_context", "params": {"query": "orders"}}
    steps = _plan(lookup, generate("a", target="shop/a.py", depends_on=["look"]), look="failed")
    assert blocked_by(steps[1], steps) is None


def test_what_one_step_looked_up_is_the_context_of_the_steps_after_it() -> None:
    lookup = {"id": "look", "type": "retrieve_context", "params": {"query": "orders"}}
    alone = generate("b", target="shop/b.py")
    steps = _plan(lookup, generate("a", target="shop/a.py", depends_on=["look"]), alone)
    steps[0] = {**steps[0], "status": "completed", "result": {"snippets": []}}
    contexts = [initial_step_state(step, _state(steps))["codebase_context"] for step in steps[1:3]]
    assert contexts == [{"snippets": []}, None]


@pytest.mark.feature("T-04")
async def test_advance_points_at_the_first_unfinished_step_and_begins_what_is_ready(tmp_path: Path) -> None:
    made = bench(tmp_path, {})
    with providing(made.context, made.services):
        update = await advance_or_finish(_state(_plan(A, B, a="completed")), runtime_of(made))
    assert (update["current_step_index"], update["status"]) == (1, "executing")
    assert [step["status"] for step in update["plan"]] == ["completed", "in_progress", "pending", "pending"]


@pytest.mark.feature("T-04", "P-11")
async def test_finish_ends_the_plan_with_a_typed_reason_and_says_it_in_the_log(tmp_path: Path) -> None:
    made = bench(tmp_path, {})
    steps = [_ended(step, "completed", "completed") for step in _plan(A)]
    with providing(made.context, made.services):
        update = await advance_or_finish(_state(steps), runtime_of(made))
    assert (update["status"], update["exit_reason"], update["current_step_index"]) == ("completed", "completed", 3)
    assert update["logs"] == ["the plan completed: completed"]
    assert await more_to_do(_state(steps, status="completed")) == "end"


@pytest.mark.feature("P-11")
@pytest.mark.parametrize(
    ("a", "verify", "accept", "expected"),
    [
        (("completed", "completed"), ("completed", "completed"), ("completed", "completed"), ExitReason.COMPLETED),
        (("completed", "completed"), ("completed", "completed"), ("failed", "tool_failure"), ExitReason.PARTIAL),
        (("completed", "completed"), ("failed", "nothing_kept"), ("skipped", "x"), ExitReason.NOTHING_KEPT),
        (("failed", "agent_error"), ("skipped", "x"), ("skipped", "x"), ExitReason.NOTHING_KEPT),
        (("skipped", "nothing_to_test"), ("skipped", "x"), ("skipped", "x"), ExitReason.NOTHING_TO_DO),
        (("failed", "budget_exhausted"), ("skipped", "x"), ("skipped", "x"), ExitReason.BUDGET_EXHAUSTED),
    ],
)
def test_the_reason_a_plan_ended(
    a: tuple[StepStatus, str],
    verify: tuple[StepStatus, str],
    accept: tuple[StepStatus, str],
    expected: ExitReason,
) -> None:
    steps = [_ended(step, *ending) for step, ending in zip(_plan(A), (a, verify, accept), strict=True)]
    assert exit_reason_of(steps, None) is expected
    assert exit_reason_of(steps, {"message": "no bwrap"}) is ExitReason.ENVIRONMENT


async def test_build_plan_gives_the_planner_only_what_was_said(tmp_path: Path) -> None:
    with scripted(planner=[plan(A)]) as agents:
        made = bench(tmp_path, agents)
        with providing(made.context, made.services):
            update = await build_plan(_state([], framework="unittest"), runtime_of(made))
        inputs = agents["planner"].requests[0].inputs
    assert inputs == {"user_request": "cover", "root": made.context.root, "framework": "unittest"}
    assert [step["status"] for step in update["plan"]] == ["in_progress", "pending", "pending"]


@pytest.mark.feature("T-03")
async def test_a_context_step_looks_something_up_through_a_tool(tmp_path: Path) -> None:
    look = {"id": "look", "type": "retrieve_context", "params": {"query": "orders", "file_paths": ["shop/cart.py"]}}
    steps, _ = check_plan([look])
    made = bench(tmp_path, {})
    with providing(made.context, made.services):
        update = await execute_current_step(_state(steps), runtime_of(made))
    assert update["plan"][0]["status"] == "completed"
    assert update["plan"][0]["result"]["snippets"][0]["path"] == "shop/cart.py"


@pytest.mark.feature("B-08")
def test_ceilings_count_what_was_spent_before_the_run_was_resumed(tmp_path: Path) -> None:
    times = iter([100.0, 101.5, 104.0, 104.0])
    context = bench(tmp_path, {}, context={"wall_seconds": 13.0, "max_tokens": 50, "max_cost": 1.0}).context
    meter = CeilingMeter({"seconds": 10.0, "tokens": 40, "cost": 0.5}, context, lambda: next(times))
    assert meter.seconds_left == 1.5
    assert meter.exceeded() == "the ceiling on time (13 s) is reached"
    meter.add({"tokens": 5, "cost": 0.25})
    assert meter.spent == {"seconds": 14.0, "tokens": 45, "cost": 0.75}


@pytest.mark.feature("B-08")
@pytest.mark.parametrize(("limits", "said"), [({"max_tokens": 40}, "tokens"), ({"max_cost": 0.5}, "cost"), ({}, None)])
def test_a_ceiling_is_reached_when_it_is_used_up(tmp_path: Path, limits: dict[str, Any], said: str | None) -> None:
    context = bench(tmp_path, {}, context=limits).context
    exceeded = CeilingMeter({"seconds": 0.0, "tokens": 40, "cost": 0.5}, context, lambda: 0.0).exceeded()
    assert exceeded is None if said is None else said in (exceeded or "")
