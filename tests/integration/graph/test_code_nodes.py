"""The testing graph's nodes from an accepted spec to judged tests, one by one, and the routers between them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from testwright.agents.contract.protocol import ErrorType, error_response, success_response
from testwright.core.errors import SchemaValidationError
from testwright.core.events import EventType
from testwright.graph.execution_graph.graph import should_continue, should_retry_code, should_retry_spec
from testwright.graph.execution_graph.nodes.analyze_results import analyze_results
from testwright.graph.execution_graph.nodes.generate_code import generate_code
from testwright.graph.execution_graph.nodes.refine_code import refine_code
from testwright.graph.execution_graph.nodes.run_tests import run_tests
from testwright.tests.support.runs.graph_runs import ANALYSIS, TEST_PATH, files, spec
from testwright.tests.support.runs.node_bench import (
    STAGED,
    accepted_code,
    accepted_spec,
    call_node,
    changed,
    node_bench,
    state_with,
)

pytestmark = pytest.mark.feature("T-17")


@pytest.mark.feature("A-05")
async def test_generate_code_hands_over_the_stored_spec_and_stages_the_files(tmp_path: Path) -> None:
    with node_bench(tmp_path, writer=[files(TEST_PATH, "tc_a")]) as made:
        state = await accepted_spec(made, "tc_a")
        other = changed(state, {"spec_json": {"cases": ["the copy is not what crosses"]}})
        update = await call_node(generate_code, made, other)
        inputs = made.services.agents["writer"].requests[0].inputs  # pyrefly: ignore[missing-attribute]
    assert set(inputs) == {"run_id", "upstream", "payload", "parameters"}
    assert inputs["payload"] == spec("tc_a")
    assert inputs["parameters"] == {"framework": "pytest", "test_path": TEST_PATH}
    assert update["generated_code_path"] == STAGED
    assert (made.folder / STAGED).read_text() == files(TEST_PATH, "tc_a")["files"][0]["contents"]


async def test_generate_code_ends_the_step_when_there_are_no_cases(tmp_path: Path) -> None:
    with node_bench(tmp_path) as made:
        update = await call_node(generate_code, made, await accepted_spec(made))
    assert (update["phase"], update["exit_reason"]) == ("complete", "nothing_to_test")


@pytest.mark.feature("A-05")
async def test_a_handover_that_breaks_the_writers_contract_ends_the_step(tmp_path: Path) -> None:
    with node_bench(tmp_path) as made:
        state = await accepted_spec(made, "tc_a", framework="brainfuck")
        with pytest.raises(SchemaValidationError, match="framework"):
            await call_node(generate_code, made, state)


async def test_cases_the_writer_left_out_are_dropped_with_its_reason(tmp_path: Path) -> None:
    answer = success_response(
        files(TEST_PATH, "tc_a"), metadata={"not_written": [{"case_id": "tc_b", "reason": "no such fixture"}]}
    )
    with node_bench(tmp_path, writer=[answer]) as made:
        state = await accepted_code(made, "tc_a", "tc_b")
        after = await call_node(run_tests, made, state)
    assert state["kept"] == after["kept"] == ["tc_a"]
    assert [(one["case_id"], one["reason"]) for one in after["dropped"]] == [("tc_b", "not written: no such fixture")]


async def test_validate_code_checks_helpers_without_asking_for_test_structure(tmp_path: Path) -> None:
    helper = {"path": "tests/generated/conftest.py", "contents": "# helper\n"}
    answer = {"files": [helper, *files(TEST_PATH, "tc_a")["files"]]}
    with node_bench(tmp_path, writer=[answer]) as made:
        state = await accepted_code(made, "tc_a")
        checks = {one["code_path"]: one["check_structure"] for one in made.tools.named("validate_test_code")}
    assert checks == {STAGED: True, "staged/tests/generated/conftest.py": False}
    assert state["generated_code_path"] == STAGED
    assert made.artifacts.get(str(state["code_artifact_id"])).payload == answer


async def test_errors_of_a_helper_make_the_code_invalid_and_name_it(tmp_path: Path) -> None:
    helper = "tests/generated/conftest.py"

    def judge(arguments: dict[str, Any]) -> dict[str, Any]:
        good = arguments["code_path"] == STAGED
        return {"valid": good, "errors": [] if good else [{"type": "syntax", "line": 1, "message": "bad"}]}

    answer = {"files": [*files(TEST_PATH, "tc_a")["files"], {"path": helper, "contents": "("}]}
    with node_bench(tmp_path, {"validate_test_code": [judge, judge]}, writer=[answer]) as made:
        state = await accepted_code(made, "tc_a")
    assert state["should_retry"] is True
    assert state["code_errors"] == [{"type": "syntax", "line": 1, "message": "bad", "path": f"staged/{helper}"}]


async def test_refine_code_counts_its_attempt_and_replaces_the_file(tmp_path: Path) -> None:
    with node_bench(tmp_path, writer=[files(TEST_PATH, "tc_a"), files(TEST_PATH, "tc_b")]) as made:
        state = await accepted_code(made, "tc_a")
        update = await call_node(refine_code, made, state)
        assert made.tools.staged_cases(TEST_PATH) == ["tc_b"]
    assert update["code_attempts"] == 1


DROPPED = {"case_id": "tc_b", "nodeid": "x::b", "reason": "failed", "class": "product_defect", "message": "m"}


@pytest.mark.feature("T-05")
async def test_run_tests_prunes_what_the_results_drop(tmp_path: Path) -> None:
    results = {"passed": 1, "failed": 1, "kept": ["tc_a"], "dropped": [DROPPED]}
    with node_bench(tmp_path, {"run_tests": [results]}, writer=[files(TEST_PATH, "tc_a", "tc_b")]) as made:
        update = await call_node(run_tests, made, await accepted_code(made, "tc_a", "tc_b"))
        assert made.tools.staged_cases(TEST_PATH) == ["tc_a"]
        assert made.tools.named("run_tests")[0]["test_path"] == TEST_PATH
    assert (update["kept"], update["dropped"], update["executed"]) == (["tc_a"], [DROPPED], True)


async def test_a_case_that_was_never_collected_is_dropped(tmp_path: Path) -> None:
    results = {"passed": 1, "failed": 0, "kept": ["tc_a"], "dropped": []}
    with node_bench(tmp_path, {"run_tests": [results]}, writer=[files(TEST_PATH, "tc_a")]) as made:
        update = await call_node(run_tests, made, await accepted_code(made, "tc_a", "tc_lost"))
    assert [one["case_id"] for one in update["dropped"]] == ["tc_lost"]


@pytest.mark.feature("B-08")
async def test_run_tests_begins_from_the_stored_files_when_it_is_executed_again(tmp_path: Path) -> None:
    results = {"passed": 1, "failed": 1, "kept": ["tc_a"], "dropped": [DROPPED]}
    with node_bench(tmp_path, {"run_tests": [results] * 2}, writer=[files(TEST_PATH, "tc_a", "tc_b")]) as made:
        state = await accepted_code(made, "tc_a", "tc_b")
        first = await call_node(run_tests, made, state)
        (made.folder / STAGED).unlink()
        assert await call_node(run_tests, made, state) == first


@pytest.mark.feature("T-14")
async def test_run_tests_executes_nothing_when_running_is_switched_off(tmp_path: Path) -> None:
    with node_bench(tmp_path) as made:
        update = await call_node(run_tests, made, state_with(run=False))
        assert made.tools.calls == []
    assert update == {"executed": False, "phase": "complete", "exit_reason": "completed"}


@pytest.mark.feature("T-14")
@pytest.mark.parametrize(("kept", "exit_reason"), [(["tc_a"], "completed"), ([], "nothing_kept")])
async def test_run_tests_ends_the_graph_when_analysing_is_switched_off(
    tmp_path: Path, kept: list[str], exit_reason: str
) -> None:
    lost = [] if kept else [{**DROPPED, "case_id": "tc_a"}]
    results = {"passed": len(kept), "failed": 0, "kept": kept, "dropped": lost}
    with node_bench(tmp_path, {"run_tests": [results]}, writer=[files(TEST_PATH, "tc_a")]) as made:
        update = await call_node(run_tests, made, await accepted_code(made, "tc_a", analyze=False))
        assert (made.folder / STAGED).exists() is bool(kept)
    assert (update["phase"], update["exit_reason"]) == ("complete", exit_reason)


async def test_analyze_results_prunes_what_the_analyzer_condemns(tmp_path: Path) -> None:
    analysis = {
        "summary": "one test is about the clock",
        "findings": [{"class": "flaky", "case_id": "tc_b", "title": "depends on the time", "detail": ""}],
        "suspected_defects": [{"id": "sd_2", "title": "off by one"}, {"id": "sd_1", "title": "known"}],
        "drop": ["tc_b"],
    }
    with node_bench(tmp_path, writer=[files(TEST_PATH, "tc_a", "tc_b", "tc_c")], analyzer=[analysis]) as made:
        state = await accepted_code(made, "tc_a", "tc_b", "tc_c", suspected_defects=[{"id": "sd_1", "title": "first"}])
        before = {**DROPPED, "case_id": "tc_c"}
        known = {"kept": ["tc_a", "tc_b"], "dropped": [before], "suspected_defects": [{"id": "sd_1"}]}
        state = changed(state, known)
        update = await call_node(analyze_results, made, state)
        assert made.tools.named("prune_tests")[0]["drop"] == ["tc_c", "tc_b"]
        assert made.tools.staged_cases(TEST_PATH) == ["tc_a"]
    assert (update["kept"], update["analysis"]) == (["tc_a"], "one test is about the clock")
    assert [(one["case_id"], one["reason"], one["class"]) for one in update["dropped"]] == [
        ("tc_c", "failed", "product_defect"),
        ("tc_b", "depends on the time", "flaky"),
    ]
    assert [defect["id"] for defect in update["suspected_defects"]] == ["sd_1", "sd_2"]
    assert len(made.recorder.of(EventType.DEFECT_SUSPECTED)) == 2


async def test_an_analyzer_that_fails_costs_a_warning_not_the_tests(tmp_path: Path) -> None:
    failed = error_response(ErrorType.EXECUTION, "no idea")
    with node_bench(tmp_path, analyzer=[failed]) as made:
        update = await call_node(analyze_results, made, state_with(kept=["tc_a"], test_results={}))
    assert update["warnings"] == ["the results were not analysed: no idea"]
    assert (update["phase"], update["exit_reason"]) == ("complete", "completed")


async def test_an_analysis_that_leaves_nothing_says_that_nothing_was_kept(tmp_path: Path) -> None:
    condemning = {**ANALYSIS, "drop": ["tc_a"]}
    with node_bench(tmp_path, writer=[files(TEST_PATH, "tc_a")], analyzer=[condemning]) as made:
        state = await accepted_code(made, "tc_a", test_results={})
        update = await call_node(analyze_results, made, state)
    assert (update["kept"], update["exit_reason"]) == ([], "nothing_kept")


@pytest.mark.feature("T-05")
@pytest.mark.parametrize(
    ("valid", "attempts", "spec_way", "code_way"),
    [
        (True, 0, "proceed_to_code", "proceed_to_execution"),
        (True, 3, "proceed_to_code", "proceed_to_execution"),
        (False, 0, "refine_spec", "refine_code"),
        (False, 2, "refine_spec", "refine_code"),
        (False, 3, "error", "error"),
    ],
)
async def test_the_routers_answer_as_the_seed_says(valid: bool, attempts: int, spec_way: str, code_way: str) -> None:
    result = {"valid": valid}
    state = state_with(
        spec_validation_result=result, code_validation_result=result, spec_attempts=attempts, code_attempts=attempts
    )
    assert await should_retry_spec(state) == spec_way
    assert await should_retry_code(state) == code_way


async def test_the_graph_goes_on_until_a_phase_is_final() -> None:
    ways = [
        await should_continue(state_with(phase=phase))
        for phase in ("spec_generation", "execution", "complete", "error")
    ]
    assert ways == ["continue", "continue", "end", "end"]
