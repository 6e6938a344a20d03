"""Whole plans through the planning graph, with real checkpoints and real files."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from langgraph.checkpoint.sqlite.aio import AsyncSqliteSaver
from langgraph.graph import END, START, StateGraph

from testwright.agents.protocol import AgentRequest, ErrorType, error_response, success_response
from testwright.errors import (
    EnvironmentFault,
    MalformedLlmOutput,
    RequestError,
    SandboxUnavailable,
    StoreFull,
    TargetImportError,
    ToolFailure,
    ToolTimeout,
)
from testwright.events import EventType
from testwright.graph.context import RunContext, providing
from testwright.graph.planning_graph.planning_graph import build_planning_graph
from testwright.graph.planning_graph.planning_state import PlanningAgentState, new_planning_state
from testwright.graph.running import start_run
from testwright.tests.support.graph_runs import ANALYSIS, RUN_ID, Bench, bench, files, generate, plan, spec
from testwright.tests.support.scripted_agents import scripted
from testwright.tests.support.scripted_tools import invalid_spec

TARGETS = ("shop/a.py", "shop/b.py", "shop/c.py")


def _state(**more: Any) -> PlanningAgentState:
    return new_planning_state(request_id=RUN_ID, user_request="cover the shop", **more)


def _steps(*names: str) -> list[dict[str, Any]]:
    return [generate(name, target=f"shop/{name}.py") for name in names]


def _write(request: AgentRequest) -> dict[str, Any]:
    """The file of the spec that is handed over: a writer for any number of steps at the same time."""
    inputs = request.inputs or {}
    cases = [case["id"] for case in inputs["payload"]["spec"]["cases"]]
    return files(inputs["parameters"]["test_path"], *cases)


def _specify(request: AgentRequest) -> dict[str, Any]:
    """A spec of two cases named after the target."""
    name = Path((request.inputs or {})["target"]["path"]).stem
    return spec(f"tc_{name}_1", f"tc_{name}_2")


def _agents(planner: Sequence[Any], steps: int, **more: Any) -> dict[str, Any]:
    """Scripts for a plan of so many generate steps that all go well, where nothing else is said."""
    usual = {"spec": [_specify] * steps, "writer": [_write] * steps, "analyzer": [ANALYSIS] * steps}
    return {"planner": planner, **usual, **more}


def _statuses(state: PlanningAgentState) -> dict[str, str]:
    return {step["id"]: step["status"] for step in state["plan"]}


def _ending(**generated: str) -> dict[str, str]:
    """Statuses of a plan whose closing steps went well."""
    return {**generated, "verify": "completed", "accept": "completed"}


def _result(state: PlanningAgentState, step_id: str) -> dict[str, Any]:
    return next(step["result"] or {} for step in state["plan"] if step["id"] == step_id)


async def _run(made: Bench, **state: Any) -> PlanningAgentState:
    ended = await start_run(_state(**state), made.context, made.services)
    made.tools.finish()
    return ended


@pytest.mark.feature("T-01", "T-02", "T-03", "T-04", "P-11")
async def test_a_plan_of_two_targets_ends_with_both_files_in_the_project(
    tmp_path: Path, checkpointer: AsyncSqliteSaver
) -> None:
    with scripted(**_agents([plan(*_steps("a", "b"))], 2)) as agents:
        made = bench(tmp_path, agents, checkpointer=checkpointer, targets=TARGETS)
        state = await _run(made)
    assert _statuses(state) == dict.fromkeys(("a", "b", "verify", "accept"), "completed")
    assert (state["status"], state["exit_reason"], state["current_step_index"]) == ("completed", "completed", 4)
    assert state["attempt_counts"] == dict.fromkeys(("a", "b", "verify", "accept"), 1)
    assert sorted(path.name for path in (made.project / "tests/generated").iterdir()) == ["test_a.py", "test_b.py"]
    assert _result(state, "a")["kept"] == ["tc_a_1", "tc_a_2"]


@pytest.mark.feature("T-02")
async def test_the_plan_is_written_as_a_file_without_statuses_or_ids_of_the_run(tmp_path: Path) -> None:
    answer = {**plan(*_steps("a")), "understood": ["a"], "skipped": [{"target": "x", "reason": "y"}]}
    with scripted(**_agents([answer], 1)) as agents:
        made = bench(tmp_path, agents, targets=TARGETS)
        state = await _run(made)
    written = json.loads((made.folder / "plan.json").read_text())
    assert written == {
        "request": "cover the shop",
        "steps": answer["steps"],
        "understood": ["a"],
        "not_understood": [],
        "skipped": [{"target": "x", "reason": "y"}],
    }
    assert state["skipped"] == [{"target": "x", "reason": "y"}]


@pytest.mark.feature("T-04")
async def test_one_failing_target_sinks_no_sibling(tmp_path: Path) -> None:
    def judge(arguments: dict[str, Any]) -> dict[str, Any]:
        bad = arguments["spec_json"]["cases"][0]["id"].startswith("tc_b")
        return invalid_spec("flaw") if bad else {"valid": True, "errors": []}

    more = {"spec": [_specify] * 6, "writer": [_write] * 2, "analyzer": [ANALYSIS] * 2}
    with scripted(**_agents([plan(*_steps("a", "b", "c"))], 3, **more)) as agents:
        made = bench(tmp_path, agents, targets=TARGETS, scripts={"validate_test_spec": [judge] * 6})
        state = await _run(made)
    assert _statuses(state) == {
        "a": "completed",
        "b": "failed",
        "c": "completed",
        "verify": "completed",
        "accept": "completed",
    }
    assert (state["status"], state["exit_reason"]) == ("failed", "partial")
    assert _result(state, "b")["spec_errors"][0]["message"] == "flaw"
    assert made.tools.named("accept_tests")[0]["test_paths"] == [
        "tests/generated/test_a.py",
        "tests/generated/test_c.py",
    ]


@pytest.mark.feature("T-04")
async def test_an_exhausted_loop_is_never_tried_again_as_a_step(tmp_path: Path) -> None:
    more = {"spec": [_specify] * 4, "writer": [], "analyzer": []}
    with scripted(**_agents([plan(*_steps("a"))], 1, **more)) as agents:
        made = bench(tmp_path, agents, targets=TARGETS, scripts={"validate_test_spec": [invalid_spec("flaw")] * 4})
        state = await _run(made, max_retries_per_step=5)
    assert state["attempt_counts"]["a"] == 1
    assert (state["exit_reason"], _result(state, "a")["exit_reason"]) == ("nothing_kept", "spec_exhausted")
    assert _statuses(state)["accept"] == "skipped"


@pytest.mark.feature("T-04", "T-15")
async def test_an_infrastructure_fault_is_tried_again_and_finished_nodes_are_not(
    tmp_path: Path, checkpointer: AsyncSqliteSaver
) -> None:
    good = {"passed": 2, "failed": 0, "kept": ["tc_a_1", "tc_a_2"], "dropped": []}
    with scripted(**_agents([plan(*_steps("a"))], 1)) as agents:
        scripts = {"run_tests": [ToolTimeout("late")] * 3 + [good]}
        made = bench(tmp_path, agents, targets=TARGETS, scripts=scripts, checkpointer=checkpointer)
        state = await _run(made)
    assert (state["exit_reason"], state["attempt_counts"]["a"]) == ("completed", 2)
    audited = [(one.attempt, one.outcome, one.reason) for one in made.recorder.attempts if one.step_id == "a"]
    assert (1, "failed", "first") in audited
    assert (2, "ok", "late") in audited


@pytest.mark.feature("T-04")
async def test_an_infrastructure_fault_that_lasts_fails_the_step_with_what_it_had(
    tmp_path: Path, checkpointer: AsyncSqliteSaver
) -> None:
    with scripted(**_agents([plan(*_steps("a"))], 1, analyzer=[])) as agents:
        scripts = {"run_tests": [ToolTimeout("late")] * 6}
        made = bench(tmp_path, agents, targets=TARGETS, scripts=scripts, checkpointer=checkpointer)
        state = await _run(made)
    result = _result(state, "a")
    assert (_statuses(state)["a"], result["exit_reason"], state["attempt_counts"]["a"]) == (
        "failed",
        "infrastructure",
        2,
    )
    assert result["spec_json"]["cases"]
    assert (result["kept"], result["unaccepted_files"]) == ([], ["staged/tests/generated/test_a.py"])
    assert result["failure"]["message"] == "late"


@pytest.mark.feature("T-03")
async def test_as_many_steps_run_at_the_same_time_as_there_are_jobs(tmp_path: Path) -> None:
    running: list[int] = [0]
    seen: list[int] = []
    pair = asyncio.Event()

    async def meet(request: AgentRequest) -> Any:
        running[0] += 1
        seen.append(running[0])
        if running[0] == 2:
            pair.set()
        await pair.wait()
        running[0] -= 1
        return success_response(_specify(request))

    class Meeting:
        process = staticmethod(meet)

    scripts = _agents([plan(*_steps("a", "b", "c"))], 3, spec=[])
    with scripted(**scripts) as agents:
        made = bench(tmp_path, {**agents, "spec": Meeting()}, targets=TARGETS, context={"jobs": 2})
        state = await _run(made)
    assert state["exit_reason"] == "completed"
    assert max(seen) == 2


@pytest.mark.feature("T-03")
async def test_a_step_waits_for_the_steps_it_depends_on_and_is_skipped_when_one_fails(tmp_path: Path) -> None:
    steps = [
        generate("a", target="shop/a.py"),
        generate("b", target="shop/b.py", depends_on=["a"]),
        generate("c", target="shop/c.py", depends_on=["b"]),
    ]
    refused = error_response(ErrorType.VALIDATION, "no")
    more = {"spec": [_specify, refused], "writer": [_write], "analyzer": [ANALYSIS]}
    with scripted(**_agents([plan(*steps)], 1, **more)) as agents:
        state = await _run(bench(tmp_path, agents, targets=TARGETS))
    assert _statuses(state) == {
        "a": "completed",
        "b": "failed",
        "c": "skipped",
        "verify": "completed",
        "accept": "completed",
    }
    assert _result(state, "c")["exit_reason"] == "dependency_failed"


@pytest.mark.feature("P-11")
async def test_a_fault_of_the_machine_ends_the_run_before_more_targets_meet_it(tmp_path: Path) -> None:
    fault = SandboxUnavailable("no bwrap", advice="install bubblewrap")
    more = {"spec": [_specify], "writer": [_write], "analyzer": []}
    with scripted(**_agents([plan(*_steps("a", "b", "c"))], 1, **more)) as agents:
        made = bench(tmp_path, agents, targets=TARGETS, scripts={"run_tests": [fault]})
        state = await _run(made)
    assert (state["status"], state["exit_reason"]) == ("failed", "environment")
    assert _statuses(state) == {"a": "failed", "b": "skipped", "c": "skipped", "verify": "skipped", "accept": "skipped"}
    assert state["failure"] is not None
    assert (state["failure"]["error"], state["failure"]["advice"]) == ("SandboxUnavailable", "install bubblewrap")


@pytest.mark.feature("P-11")
async def test_a_target_that_does_not_import_is_its_own_steps_fault_only(tmp_path: Path) -> None:
    good = {"passed": 2, "failed": 0, "kept": ["tc_b_1", "tc_b_2"], "dropped": []}
    scripts = {"run_tests": [TargetImportError("shop.a does not import"), good]}
    with scripted(**_agents([plan(*_steps("a", "b"))], 2, analyzer=[ANALYSIS])) as agents:
        state = await _run(bench(tmp_path, agents, targets=TARGETS, scripts=scripts))
    assert (_statuses(state)["a"], _statuses(state)["b"], state["exit_reason"]) == ("failed", "completed", "partial")


async def test_a_full_disk_stops_the_run_instead_of_failing_every_step(tmp_path: Path) -> None:
    with scripted(**_agents([plan(*_steps("a"))], 1, analyzer=[])) as agents:
        made = bench(tmp_path, agents, targets=TARGETS, scripts={"run_tests": [StoreFull("no space left")]})
        with pytest.raises(StoreFull):
            await _run(made)


@pytest.mark.feature("P-11")
@pytest.mark.parametrize(
    ("raised", "exit_reason"),
    [(RequestError("names nothing", advice="name a file"), "plan_failed"), (EnvironmentFault("x"), "environment")],
)
async def test_a_planner_that_fails_ends_the_run_with_a_typed_reason(
    tmp_path: Path, raised: Exception, exit_reason: str
) -> None:
    with scripted(planner=[raised]) as agents:
        state = await _run(bench(tmp_path, agents))
    assert (state["status"], state["exit_reason"], state["plan"]) == ("failed", exit_reason, [])
    assert state["failure"] is not None
    assert state["failure"]["error"] == type(raised).__name__


@pytest.mark.feature("P-11")
async def test_a_plan_without_steps_ends_with_nothing_to_do(tmp_path: Path) -> None:
    with scripted(planner=[plan(close=False)]) as agents:
        state = await _run(bench(tmp_path, agents))
    assert (state["status"], state["exit_reason"]) == ("failed", "nothing_to_do")


@pytest.mark.feature("T-02")
async def test_a_plan_that_cannot_be_executed_goes_back_once_with_its_problems(tmp_path: Path) -> None:
    broken = plan({"id": "a", "type": "generate_unit_tests", "params": {}}, close=False)
    with scripted(**_agents([broken, plan(*_steps("a"))], 1)) as agents:
        state = await _run(bench(tmp_path, agents, targets=TARGETS))
        told = (agents["planner"].requests[1].inputs or {})["errors"]
    assert state["exit_reason"] == "completed"
    assert [one["path"] for one in told] == [
        f"$.steps[0].params.{key}" for key in ("target", "framework", "spec_path", "test_path")
    ]


async def test_a_plan_that_stays_broken_ends_the_run(tmp_path: Path) -> None:
    broken = plan({"id": "a", "type": "make_coffee", "params": {}}, close=False)
    with scripted(planner=[broken, broken]) as agents:
        state = await _run(bench(tmp_path, agents))
    assert state["exit_reason"] == "plan_failed"
    assert "'make_coffee' is no step type" in (state["failure"] or {})["message"]


async def test_a_planner_that_never_answers_json_ends_the_run(tmp_path: Path) -> None:
    with scripted(planner=[MalformedLlmOutput("no JSON")] * 3) as agents:
        state = await _run(bench(tmp_path, agents))
    assert state["exit_reason"] == "plan_failed"


@pytest.mark.feature("T-14")
async def test_without_running_the_files_are_accepted_and_said_not_to_be_executed(tmp_path: Path) -> None:
    with scripted(**_agents([plan(*_steps("a"))], 1, analyzer=[])) as agents:
        made = bench(tmp_path, agents, targets=TARGETS)
        state = await _run(made, run=False)
        assert made.tools.named("run_tests") == made.tools.named("verify_suite") == []
    assert (_result(state, "a")["executed"], _result(state, "verify")["executed"]) == (False, False)
    assert (made.project / "tests/generated/test_a.py").is_file()
    assert state["exit_reason"] == "completed"


@pytest.mark.feature("T-14")
async def test_without_analysing_the_analyzer_is_not_asked(tmp_path: Path) -> None:
    with scripted(**_agents([plan(*_steps("a"))], 1, analyzer=[])) as agents:
        state = await _run(bench(tmp_path, agents, targets=TARGETS), analyze=False)
    assert (_result(state, "a")["executed"], _result(state, "a")["analysis"]) == (True, None)


@pytest.mark.feature("B-09")
async def test_a_dry_run_leaves_the_project_alone(tmp_path: Path) -> None:
    with scripted(**_agents([plan(*_steps("a"))], 1)) as agents:
        made = bench(tmp_path, agents, targets=TARGETS)
        state = await _run(made, accept=False)
    assert not (made.project / "tests").exists()
    assert (_statuses(state)["accept"], state["exit_reason"]) == ("skipped", "completed")
    assert _result(state, "accept") == {"staged": ["tests/generated/test_a.py"], "exit_reason": "switched_off"}


@pytest.mark.feature("B-11")
async def test_a_test_that_fails_in_company_is_pruned_before_accepting(tmp_path: Path) -> None:
    lost = {"case_id": "tc_b_1", "nodeid": "tests/generated/test_b.py::b", "reason": "polluted", "class": "flaky"}
    with scripted(**_agents([plan(*_steps("a", "b"))], 2)) as agents:
        made = bench(tmp_path, agents, targets=TARGETS, scripts={"verify_suite": [{"dropped": [lost]}]})
        state = await _run(made)
        assert made.tools.staged_cases("tests/generated/test_b.py") == ["tc_b_2"]
    assert _result(state, "verify")["kept"]["tests/generated/test_b.py"] == ["tc_b_2"]
    assert _result(state, "verify")["dropped"][0]["test_path"] == "tests/generated/test_b.py"
    assert state["exit_reason"] == "completed"


async def test_a_file_nothing_of_which_holds_in_company_is_not_accepted(tmp_path: Path) -> None:
    lost = [{"case_id": f"tc_a_{number}", "nodeid": "", "reason": "polluted"} for number in (1, 2)]
    with scripted(**_agents([plan(*_steps("a"))], 1)) as agents:
        made = bench(tmp_path, agents, targets=TARGETS, scripts={"verify_suite": [{"dropped": lost}]})
        state = await _run(made)
    assert (_statuses(state)["verify"], _statuses(state)["accept"]) == ("failed", "skipped")
    assert not (made.folder / "staged/tests/generated/test_a.py").exists()
    assert state["exit_reason"] == "nothing_kept"


@pytest.mark.feature("B-09")
async def test_files_that_are_in_the_way_are_listed_with_the_others(tmp_path: Path) -> None:
    details: dict[str, object] = {
        "conflicts": [{"path": "tests/generated/test_a.py", "reason": "a person changed it"}],
        "files": [{"path": "tests/generated/test_b.py", "outcome": "added"}],
    }
    with scripted(**_agents([plan(*_steps("a", "b"))], 2)) as agents:
        scripts = {"accept_tests": [ToolFailure("1 test file was not added", details=details)]}
        state = await _run(bench(tmp_path, agents, targets=TARGETS, scripts=scripts))
    assert (_statuses(state)["accept"], state["exit_reason"]) == ("failed", "partial")
    assert [one["outcome"] for one in _result(state, "accept")["files"]] == ["added", "conflict"]


async def test_a_module_with_nothing_to_test_is_skipped_not_failed(tmp_path: Path) -> None:
    more = {"spec": [spec(), _specify], "writer": [_write], "analyzer": [ANALYSIS]}
    with scripted(**_agents([plan(*_steps("a", "b"))], 2, **more)) as agents:
        state = await _run(bench(tmp_path, agents, targets=TARGETS))
    assert sorted((_statuses(state)["a"], _statuses(state)["b"])) == ["completed", "skipped"]
    assert (state["status"], state["exit_reason"]) == ("completed", "completed")


@pytest.mark.feature("B-08")
async def test_a_reached_ceiling_stops_new_targets_and_keeps_what_was_made(tmp_path: Path) -> None:
    def costly(request: AgentRequest) -> Any:
        return success_response(_specify(request), metadata={"tokens": 600, "cost": 0.1})

    more = {"spec": [costly] * 2, "writer": [_write] * 2, "analyzer": [ANALYSIS] * 2}
    with scripted(**_agents([plan(*_steps("a", "b", "c"))], 3, **more)) as agents:
        made = bench(tmp_path, agents, targets=TARGETS, context={"max_tokens": 1000})
        state = await _run(made)
    assert _statuses(state) == {
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

    with scripted(planner=[plan(*_steps("a"))]) as agents:
        made = bench(tmp_path, {**agents, "spec": Stuck()}, targets=TARGETS, context={"wall_seconds": 0.05})
        state = await _run(made)
    assert (_statuses(state)["a"], _result(state, "a")["exit_reason"]) in (
        ("failed", "budget_exhausted"),
        ("skipped", "budget_exhausted"),
    )
    assert state["exit_reason"] == "budget_exhausted"


@pytest.mark.feature("D-07")
async def test_events_tell_the_run_in_order(tmp_path: Path) -> None:
    with scripted(**_agents([plan(*_steps("a"))], 1)) as agents:
        made = bench(tmp_path, agents, targets=TARGETS)
        await _run(made)
    told = [kind for kind, *_ in made.recorder.events if kind not in (EventType.NODE_STARTED, EventType.NODE_ENDED)]
    assert told == [
        EventType.PLAN_READY,
        EventType.STEP_STARTED,
        EventType.SPEC_WRITTEN,
        EventType.CODE_WRITTEN,
        EventType.TESTS_RUN,
        EventType.STEP_ENDED,
        EventType.STEP_STARTED,
        EventType.STEP_ENDED,
        EventType.STEP_STARTED,
        EventType.STEP_ENDED,
    ]


@pytest.mark.feature("T-01")
async def test_the_planning_graph_can_be_a_node_of_somebody_elses_graph(
    tmp_path: Path, checkpointer: AsyncSqliteSaver
) -> None:
    with scripted(**_agents([plan(*_steps("a"))], 1)) as agents:
        made = bench(tmp_path, agents, targets=TARGETS, checkpointer=checkpointer)
        outer: StateGraph[PlanningAgentState, RunContext, Any, Any] = StateGraph(
            PlanningAgentState, context_schema=RunContext
        )
        outer.add_node("tests", build_planning_graph())
        outer.add_edge(START, "tests")
        outer.add_edge("tests", END)
        with providing(made.context, made.services):
            state = await outer.compile().ainvoke(_state(), context=made.context)
    assert state["exit_reason"] == "completed"
