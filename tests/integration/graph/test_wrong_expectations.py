"""Expectations that turn out to be wrong when they run go back to the spec agent; what holds is never lost (T-06)."""

from __future__ import annotations

from pathlib import Path

import pytest

from testwright.agents.contract.protocol import ErrorType, error_response, success_response
from testwright.tests.support.agents.scripted_agents import scripted
from testwright.tests.support.mcp.scripted_tools import VALID_CODE, VALID_SPEC, invalid_code, invalid_spec
from testwright.tests.support.runs.graph_runs import ANALYSIS, TEST_PATH, bench, files, run_testing_graph, spec

CASES = ("tc_a", "tc_b", "tc_c")
FINDING = {"class": "test_defect", "case_id": "tc_b", "title": "tc_b expects too much", "detail": "it is 2"}
WRONG = {
    **ANALYSIS,
    "findings": [FINDING],
    "suspected_defects": [{"id": "sd_c", "title": "c is broken"}],
    "drop": ["tc_b", "tc_c"],
    "refine": [{"case_id": "tc_b", "message": "expects too much", "severity": "error", "path": "?"}],
}
WRITTEN = files(TEST_PATH, *CASES)
AGAIN = files(TEST_PATH, "tc_a", "tc_b")


@pytest.mark.feature("T-06", "B-02")
async def test_a_wrong_expectation_is_refined_and_what_was_judged_stays_judged(tmp_path: Path) -> None:
    answers = [spec(*CASES), spec("tc_a", "tc_b", suspected_defects=WRONG["suspected_defects"])]
    with scripted(spec=answers, writer=[WRITTEN, AGAIN], analyzer=[WRONG, ANALYSIS]) as agents:
        state = await run_testing_graph(bench(tmp_path, agents))
        inputs = agents["spec"].requests[1].inputs or {}
    assert [case["id"] for case in inputs["previous_spec"]["cases"]] == ["tc_a", "tc_b"]
    assert inputs["previous_spec"]["suspected_defects"] == WRONG["suspected_defects"]
    assert [error["path"] for error in inputs["errors"]] == ["$.cases[1].expect"]
    assert (state["exit_reason"], state["kept"], state["spec_attempts"]) == ("completed", ["tc_a", "tc_b"], 1)
    assert state["findings"] == [FINDING]
    assert [one["case_id"] for one in state["dropped"]] == ["tc_c"]
    assert [defect["id"] for defect in state["suspected_defects"]] == ["sd_c"]


@pytest.mark.feature("T-06")
async def test_without_refinements_left_the_case_goes(tmp_path: Path) -> None:
    with scripted(spec=[spec(*CASES)], writer=[WRITTEN], analyzer=[WRONG]) as agents:
        made = bench(tmp_path, agents)
        state = await run_testing_graph(made, max_retries=0)
    assert (state["exit_reason"], state["kept"]) == ("completed", ["tc_a"])
    assert made.tools.staged_cases(TEST_PATH) == ["tc_a"]


@pytest.mark.feature("T-06")
async def test_a_spec_that_cannot_be_refined_costs_the_refinement_only(tmp_path: Path) -> None:
    answers = [spec(*CASES), *[spec("tc_a", "tc_b")] * 3]
    judged = [VALID_SPEC, *[invalid_spec("flaw")] * 3]
    with scripted(spec=answers, writer=[WRITTEN], analyzer=[WRONG]) as agents:
        made = bench(tmp_path, agents, scripts={"validate_test_spec": judged})
        state = await run_testing_graph(made)
    assert (state["exit_reason"], state["kept"], state["failure"]) == ("completed", ["tc_a"], None)
    assert made.tools.staged_cases(TEST_PATH) == ["tc_a"]
    assert state["warnings"] == ["wrong expectations were not refined: the spec was not valid"]


@pytest.mark.feature("T-07")
@pytest.mark.parametrize("fails", [False, True])
async def test_code_that_cannot_be_mended_afterwards_leaves_the_tests_as_they_were(tmp_path: Path, fails: bool) -> None:
    answers = [spec(*CASES), spec("tc_a", "tc_b")]
    broken = files(TEST_PATH, "tc_broken")
    refused = error_response(ErrorType.EXECUTION, "the model refuses")
    more = [broken, refused] if fails else [broken] * 4
    judged = [VALID_CODE, *[invalid_code("flaw")] * (1 if fails else 4)]
    with scripted(spec=answers, writer=[WRITTEN, *more], analyzer=[WRONG]) as agents:
        made = bench(tmp_path, agents, scripts={"validate_test_code": judged})
        state = await run_testing_graph(made)
    assert (state["exit_reason"], state["kept"], state["failure"]) == ("completed", ["tc_a"], None)
    assert made.tools.staged_cases(TEST_PATH) == ["tc_a"]


@pytest.mark.feature("T-06")
async def test_an_answer_that_cannot_be_used_is_a_failed_attempt_with_all_its_reasons(tmp_path: Path) -> None:
    reasons = [{"path": "$.cases[0]", "message": "weaker", "severity": "error", "suggestion": "", "line": 0}]
    unusable = error_response(ErrorType.VALIDATION, "unusable", details={"answer_errors": reasons})
    with scripted(spec=[unusable, spec(*CASES)], writer=[WRITTEN], analyzer=[ANALYSIS]) as agents:
        state = await run_testing_graph(bench(tmp_path, agents))
        inputs = agents["spec"].requests[1].inputs or {}
    assert (inputs["errors"], inputs["attempt"]) == (reasons, 2)
    assert (state["spec_attempts"], state["exit_reason"]) == (1, "completed")


@pytest.mark.feature("T-13")
async def test_an_artifact_is_recorded_with_the_version_of_its_prompt(tmp_path: Path) -> None:
    answer = success_response(spec(*CASES), metadata={"prompt_version": "abc"})
    with scripted(spec=[answer], writer=[WRITTEN], analyzer=[ANALYSIS]) as agents:
        made = bench(tmp_path, agents)
        await run_testing_graph(made)
    versions = {one.kind: one.meta.get("prompt_version") for one in made.artifacts.stored.values()}
    assert versions == {"spec_output": "abc", "writer_output": None}
