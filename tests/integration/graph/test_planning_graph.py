"""Whole plans through the planning graph, with real checkpoints and real files."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest
from langgraph.checkpoint.sqlite.aio import AsyncSqliteSaver
from langgraph.graph import END, START, StateGraph

from testwright.agents.contract.protocol import AgentRequest, ErrorType, error_response, success_response
from testwright.core.errors import ToolFailure
from testwright.core.events import EventType
from testwright.graph.context import RunContext, providing
from testwright.graph.planning_graph.planning_graph import build_planning_graph
from testwright.graph.planning_graph.planning_state import PlanningAgentState
from testwright.tests.support.agents.scripted_agents import scripted
from testwright.tests.support.mcp.scripted_tools import invalid_spec
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
    write,
)


@pytest.mark.feature("T-01", "T-02", "T-03", "T-04", "P-11")
async def test_a_plan_of_two_targets_ends_with_both_files_in_the_project(
    tmp_path: Path, checkpointer: AsyncSqliteSaver
) -> None:
    with scripted(**plan_agents([plan(*steps("a", "b"))], 2)) as agents:
        made = bench(tmp_path, agents, checkpointer=checkpointer, targets=TARGETS)
        state = await run_plan(made)
    assert statuses(state) == dict.fromkeys(("a", "b", "verify", "accept"), "completed")
    assert (state["status"], state["exit_reason"], state["current_step_index"]) == ("completed", "completed", 4)
    assert state["attempt_counts"] == dict.fromkeys(("a", "b", "verify", "accept"), 1)
    assert sorted(path.name for path in (made.project / "tests/generated").iterdir()) == ["test_a.py", "test_b.py"]
    assert result_of(state, "a")["kept"] == ["tc_a_1", "tc_a_2"]


@pytest.mark.feature("T-02")
async def test_the_plan_is_written_as_a_file_without_statuses_or_ids_of_the_run(tmp_path: Path) -> None:
    answer = {**plan(*steps("a")), "understood": ["a"], "skipped": [{"target": "x", "reason": "y"}]}
    with scripted(**plan_agents([answer], 1)) as agents:
        made = bench(tmp_path, agents, targets=TARGETS)
        state = await run_plan(made)
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

    more = {"spec": [specify] * 6, "writer": [write] * 2, "analyzer": [ANALYSIS] * 2}
    with scripted(**plan_agents([plan(*steps("a", "b", "c"))], 3, **more)) as agents:
        made = bench(tmp_path, agents, targets=TARGETS, scripts={"validate_test_spec": [judge] * 6})
        state = await run_plan(made)
    assert statuses(state) == {
        "a": "completed",
        "b": "failed",
        "c": "completed",
        "verify": "completed",
        "accept": "completed",
    }
    assert (state["status"], state["exit_reason"]) == ("failed", "partial")
    assert result_of(state, "b")["spec_errors"][0]["message"] == "flaw"
    assert made.tools.named("accept_tests")[0]["test_paths"] == [
        "tests/generated/test_a.py",
        "tests/generated/test_c.py",
    ]


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
        return success_response(specify(request))

    class Meeting:
        process = staticmethod(meet)

    scripts = plan_agents([plan(*steps("a", "b", "c"))], 3, spec=[])
    with scripted(**scripts) as agents:
        made = bench(tmp_path, {**agents, "spec": Meeting()}, targets=TARGETS, context={"jobs": 2})
        state = await run_plan(made)
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
    more = {"spec": [specify, refused], "writer": [write], "analyzer": [ANALYSIS]}
    with scripted(**plan_agents([plan(*steps)], 1, **more)) as agents:
        state = await run_plan(bench(tmp_path, agents, targets=TARGETS))
    assert statuses(state) == {
        "a": "completed",
        "b": "failed",
        "c": "skipped",
        "verify": "completed",
        "accept": "completed",
    }
    assert result_of(state, "c")["exit_reason"] == "dependency_failed"


@pytest.mark.feature("T-14")
async def test_without_running_the_files_are_accepted_and_said_not_to_be_executed(tmp_path: Path) -> None:
    with scripted(**plan_agents([plan(*steps("a"))], 1, analyzer=[])) as agents:
        made = bench(tmp_path, agents, targets=TARGETS)
        state = await run_plan(made, run=False)
        assert made.tools.named("run_tests") == made.tools.named("verify_suite") == []
    assert (result_of(state, "a")["executed"], result_of(state, "verify")["executed"]) == (False, False)
    assert (made.project / "tests/generated/test_a.py").is_file()
    assert state["exit_reason"] == "completed"


@pytest.mark.feature("T-14")
async def test_without_analysing_the_analyzer_is_not_asked(tmp_path: Path) -> None:
    with scripted(**plan_agents([plan(*steps("a"))], 1, analyzer=[])) as agents:
        state = await run_plan(bench(tmp_path, agents, targets=TARGETS), analyze=False)
    assert (result_of(state, "a")["executed"], result_of(state, "a")["analysis"]) == (True, None)


@pytest.mark.feature("B-09")
async def test_a_dry_run_leaves_the_project_alone(tmp_path: Path) -> None:
    with scripted(**plan_agents([plan(*steps("a"))], 1)) as agents:
        made = bench(tmp_path, agents, targets=TARGETS)
        state = await run_plan(made, accept=False)
    assert not (made.project / "tests").exists()
    assert (statuses(state)["accept"], state["exit_reason"]) == ("skipped", "completed")
    assert result_of(state, "accept") == {"staged": ["tests/generated/test_a.py"], "exit_reason": "switched_off"}


@pytest.mark.feature("B-11")
async def test_a_test_that_fails_in_company_is_pruned_before_accepting(tmp_path: Path) -> None:
    lost = {"case_id": "tc_b_1", "nodeid": "tests/generated/test_b.py::b", "reason": "polluted", "class": "flaky"}
    with scripted(**plan_agents([plan(*steps("a", "b"))], 2)) as agents:
        made = bench(tmp_path, agents, targets=TARGETS, scripts={"verify_suite": [{"dropped": [lost]}]})
        state = await run_plan(made)
        assert made.tools.staged_cases("tests/generated/test_b.py") == ["tc_b_2"]
    assert result_of(state, "verify")["kept"]["tests/generated/test_b.py"] == ["tc_b_2"]
    assert result_of(state, "verify")["dropped"][0]["test_path"] == "tests/generated/test_b.py"
    assert state["exit_reason"] == "completed"


async def test_files_have_the_projects_layout_when_its_own_pytest_runs_and_after_it_refused_a_case(
    tmp_path: Path,
) -> None:
    nodeid = "tests/generated/test_b.py::b"
    own = {
        "outcome": "passed",
        "passed": 3,
        "failing": [{"nodeid": nodeid, "message": "no"}],
        "reason": "",
        "settings": [],
    }
    together = {"dropped": [], "tests": [{"nodeid": nodeid, "case_id": "tc_b_1"}]}
    with scripted(**plan_agents([plan(*steps("a", "b"))], 2)) as agents:
        scripts = {"verify_suite": [together], "run_own_pytest": [own]}
        made = bench(tmp_path, agents, targets=TARGETS, scripts=scripts)
        await run_plan(made)
        assert made.tools.staged_cases("tests/generated/test_b.py") == ["tc_b_2"]
    called = [name for name, _arguments in made.tools.calls]
    assert called[called.index("run_own_pytest") - 1] == "format_tests"
    after = called[called.index("run_own_pytest") + 1 :]
    assert after.index("prune_tests") < after.index("format_tests") < after.index("accept_tests")
    assert set(after[: after.index("prune_tests")]) == {"write_file"}


@pytest.mark.parametrize("answer", [{"changed": [], "problem": "no rule X"}, ToolFailure("no rule X")])
async def test_why_files_have_not_the_projects_layout_is_in_the_result(tmp_path: Path, answer: object) -> None:
    with scripted(**plan_agents([plan(*steps("a"))], 1)) as agents:
        made = bench(tmp_path, agents, targets=TARGETS, scripts={"format_tests": [answer]})
        state = await run_plan(made)
    assert "no rule X" in result_of(state, "verify")["not_formatted"]
    assert state["exit_reason"] == "completed"


async def test_a_file_nothing_of_which_holds_in_company_is_not_accepted(tmp_path: Path) -> None:
    lost = [{"case_id": f"tc_a_{number}", "nodeid": "", "reason": "polluted"} for number in (1, 2)]
    with scripted(**plan_agents([plan(*steps("a"))], 1)) as agents:
        made = bench(tmp_path, agents, targets=TARGETS, scripts={"verify_suite": [{"dropped": lost}]})
        state = await run_plan(made)
    assert (statuses(state)["verify"], statuses(state)["accept"]) == ("failed", "skipped")
    assert not (made.folder / "staged/tests/generated/test_a.py").exists()
    assert state["exit_reason"] == "nothing_kept"


@pytest.mark.feature("B-09")
async def test_files_that_are_in_the_way_are_listed_with_the_others(tmp_path: Path) -> None:
    details: dict[str, object] = {
        "conflicts": [{"path": "tests/generated/test_a.py", "reason": "a person changed it"}],
        "files": [{"path": "tests/generated/test_b.py", "outcome": "added"}],
    }
    with scripted(**plan_agents([plan(*steps("a", "b"))], 2)) as agents:
        scripts = {"accept_tests": [ToolFailure("1 test file was not added", details=details)]}
        state = await run_plan(bench(tmp_path, agents, targets=TARGETS, scripts=scripts))
    assert (statuses(state)["accept"], state["exit_reason"]) == ("failed", "partial")
    assert [file["outcome"] for file in result_of(state, "accept")["files"]] == ["added", "conflict"]


async def test_a_module_with_nothing_to_test_is_skipped_not_failed(tmp_path: Path) -> None:
    more = {"spec": [spec(), specify], "writer": [write], "analyzer": [ANALYSIS]}
    with scripted(**plan_agents([plan(*steps("a", "b"))], 2, **more)) as agents:
        state = await run_plan(bench(tmp_path, agents, targets=TARGETS))
    assert sorted((statuses(state)["a"], statuses(state)["b"])) == ["completed", "skipped"]
    assert (state["status"], state["exit_reason"]) == ("completed", "completed")


@pytest.mark.feature("D-07")
async def test_events_tell_the_run_in_order(tmp_path: Path) -> None:
    with scripted(**plan_agents([plan(*steps("a"))], 1)) as agents:
        made = bench(tmp_path, agents, targets=TARGETS)
        await run_plan(made)
    told = [kind for kind, *_ in made.recorder.events if kind not in (EventType.NODE_STARTED, EventType.NODE_ENDED)]
    assert told == [
        EventType.THINKING,
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
        EventType.PROGRESS,
    ]
    assert made.recorder.events[-2][1:] == ("the plan ended: completed", None, {"plan_ended": "completed"})


@pytest.mark.feature("T-01")
async def test_the_planning_graph_can_be_a_node_of_somebody_elses_graph(
    tmp_path: Path, checkpointer: AsyncSqliteSaver
) -> None:
    with scripted(**plan_agents([plan(*steps("a"))], 1)) as agents:
        made = bench(tmp_path, agents, targets=TARGETS, checkpointer=checkpointer)
        # pyrefly: ignore[bad-specialization] - it does not see the keys that the class of a TypedDict has
        outer: StateGraph[PlanningAgentState, RunContext, Any, Any] = StateGraph(
            PlanningAgentState, context_schema=RunContext
        )
        outer.add_node("tests", build_planning_graph())
        outer.add_edge(START, "tests")
        outer.add_edge("tests", END)
        with providing(made.context, made.services):
            state = await outer.compile().ainvoke(planning(), context=made.context)
    assert state["exit_reason"] == "completed"


async def test_a_file_that_cannot_be_loaded_in_company_is_left_out_whole(tmp_path: Path) -> None:
    lost = [{"case_id": None, "nodeid": "tests/generated/test_a.py", "reason": "it cannot be loaded"}]
    with scripted(**plan_agents([plan(*steps("a", "b"))], 2)) as agents:
        made = bench(tmp_path, agents, targets=TARGETS, scripts={"verify_suite": [{"dropped": lost}]})
        state = await run_plan(made)
    [verified] = [step for step in state["plan"] if step["type"] == "verify_suite"]
    assert verified["result"] is not None
    assert verified["result"]["test_paths"] == ["tests/generated/test_b.py"]
