"""The two refine loops of the testing graph, through every branch."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from testwright.agents.contract.protocol import AgentResponse, ErrorType, error_response
from testwright.core.errors import MalformedLlmOutput, SandboxUnavailable, ToolFailure, ToolTimeout
from testwright.graph.faults import AgentUnreachable
from testwright.store.files.audit import AuditEntry
from testwright.tests.support.agents.scripted_agents import Answer, scripted
from testwright.tests.support.mcp.scripted_tools import VALID_CODE, VALID_SPEC, invalid_code, invalid_spec
from testwright.tests.support.runs.graph_runs import ANALYSIS, TEST_PATH, bench, files, run_testing_graph, spec

CASES = ("tc_a", "tc_b")
WRITTEN = files(TEST_PATH, *CASES)


@pytest.mark.feature("T-05", "P-12")
async def test_a_spec_and_a_file_that_are_right_first_time_go_straight_through(tmp_path: Path) -> None:
    with scripted(spec=[spec(*CASES)], writer=[WRITTEN], analyzer=[ANALYSIS]) as agents:
        state = await run_testing_graph(bench(tmp_path, agents))
    assert (state["spec_attempts"], state["code_attempts"]) == (0, 0)
    assert (state["phase"], state["exit_reason"], state["kept"]) == ("complete", "completed", list(CASES))


@pytest.mark.feature("T-06", "P-12")
@pytest.mark.parametrize("refinements", [1, 2, 3])
async def test_a_spec_that_is_right_after_some_refinements_goes_on(tmp_path: Path, refinements: int) -> None:
    bad = [spec("tc_bad", attempt=number) for number in range(refinements)]
    judged = [invalid_spec(f"flaw {number}") for number in range(refinements)] + [VALID_SPEC]
    with scripted(spec=[*bad, spec(*CASES)], writer=[WRITTEN], analyzer=[ANALYSIS]) as agents:
        state = await run_testing_graph(bench(tmp_path, agents, scripts={"validate_test_spec": judged}))
        tasks = [request.task for request in agents["spec"].requests]
    assert tasks == ["generate_spec"] + ["refine_spec"] * refinements
    assert state["spec_attempts"] == refinements
    assert state["exit_reason"] == "completed"


@pytest.mark.feature("T-06", "P-12")
async def test_a_spec_that_is_never_right_ends_after_one_generation_and_three_refinements(tmp_path: Path) -> None:
    answers = [spec("tc_bad", attempt=number) for number in range(4)]
    judged = [invalid_spec(f"flaw {number}") for number in range(4)]
    with scripted(spec=answers, writer=[]) as agents:
        made = bench(tmp_path, agents, scripts={"validate_test_spec": judged})
        state = await run_testing_graph(made)
    assert (state["phase"], state["exit_reason"], state["spec_attempts"]) == ("error", "spec_exhausted", 3)
    assert state["spec_json"]["attempt"] == 3
    assert [error["message"] for error in state["spec_errors"]] == ["flaw 3"]
    assert (made.folder / "specs/cart.rejected.json").is_file()
    assert not (made.folder / "specs/cart.json").exists()
    assert made.artifacts.stored == {}


@pytest.mark.feature("T-06")
async def test_a_refinement_is_told_every_error_and_the_spec_they_are_about(tmp_path: Path) -> None:
    judged = [invalid_spec("no id", "no title", "no steps"), VALID_SPEC]
    with scripted(spec=[spec("tc_bad"), spec(*CASES)], writer=[WRITTEN], analyzer=[ANALYSIS]) as agents:
        await run_testing_graph(bench(tmp_path, agents, scripts={"validate_test_spec": judged}))
        inputs = agents["spec"].requests[1].inputs or {}
    assert inputs["previous_spec"] == spec("tc_bad")["spec"]
    assert inputs["errors"] == judged[0]["errors"]
    assert {"path", "message", "severity", "suggestion"} <= inputs["errors"][0].keys()


@pytest.mark.feature("T-07", "P-12")
@pytest.mark.parametrize("refinements", [1, 2, 3])
async def test_code_that_is_right_after_some_refinements_goes_on(tmp_path: Path, refinements: int) -> None:
    judged = [invalid_code(f"flaw {number}") for number in range(refinements)] + [VALID_CODE]
    writes = [files(TEST_PATH, f"tc_bad_{number}") for number in range(refinements)] + [WRITTEN]
    with scripted(spec=[spec(*CASES)], writer=writes, analyzer=[ANALYSIS]) as agents:
        made = bench(tmp_path, agents, scripts={"validate_test_code": judged})
        state = await run_testing_graph(made)
        tasks = [request.task for request in agents["writer"].requests]
    assert tasks == ["generate_code"] + ["refine_code"] * refinements
    assert (state["code_attempts"], state["exit_reason"]) == (refinements, "completed")
    assert made.tools.staged_cases(TEST_PATH) == list(CASES)


@pytest.mark.feature("T-07", "P-12")
async def test_code_that_is_never_right_keeps_the_spec_as_the_partial_result(tmp_path: Path) -> None:
    judged = [invalid_code(f"flaw {number}") for number in range(4)]
    with scripted(spec=[spec(*CASES)], writer=[WRITTEN] * 4) as agents:
        made = bench(tmp_path, agents, scripts={"validate_test_code": judged})
        state = await run_testing_graph(made)
    assert (state["phase"], state["exit_reason"], state["code_attempts"]) == ("error", "code_exhausted", 3)
    assert [error["message"] for error in state["code_errors"]] == ["flaw 3"]
    assert state["kept"] == []
    assert (made.folder / "specs/cart.json").is_file()
    assert [artifact.kind for artifact in made.artifacts.stored.values()] == ["spec_output"]


@pytest.mark.feature("T-07")
async def test_a_refinement_of_code_is_told_every_error_and_the_files_they_are_about(tmp_path: Path) -> None:
    judged = [invalid_code("unused", "undefined"), VALID_CODE]
    with scripted(spec=[spec(*CASES)], writer=[files(TEST_PATH, "tc_bad"), WRITTEN], analyzer=[ANALYSIS]) as agents:
        await run_testing_graph(bench(tmp_path, agents, scripts={"validate_test_code": judged}))
        inputs = agents["writer"].requests[1].inputs or {}
    assert inputs["previous_files"] == files(TEST_PATH, "tc_bad")["files"]
    assert inputs["errors"] == judged[0]["errors"]
    assert inputs["payload"] == spec(*CASES)


@pytest.mark.feature("T-06")
async def test_no_refinements_allowed_means_one_generation(tmp_path: Path) -> None:
    with scripted(spec=[spec("tc_bad")]) as agents:
        made = bench(tmp_path, agents, scripts={"validate_test_spec": [invalid_spec("flaw")]})
        state = await run_testing_graph(made, max_retries=0)
    assert state["exit_reason"] == "spec_exhausted"


@pytest.mark.feature("A-03", "T-06")
async def test_an_answer_that_is_no_json_counts_as_a_failed_attempt(tmp_path: Path) -> None:
    malformed = MalformedLlmOutput("the answer is not JSON")
    answers: list[Answer] = [malformed, malformed, malformed, spec(*CASES)]
    with scripted(spec=answers, writer=[WRITTEN], analyzer=[ANALYSIS]) as agents:
        state = await run_testing_graph(bench(tmp_path, agents))
        tasks = [request.task for request in agents["spec"].requests]
    assert tasks == ["generate_spec"] * 3 + ["refine_spec"]
    assert (state["spec_attempts"], state["exit_reason"]) == (1, "completed")


@pytest.mark.feature("T-06")
async def test_a_malformed_refinement_leaves_the_previous_spec(tmp_path: Path) -> None:
    malformed = error_response(ErrorType.EXECUTION, "no JSON", details={"error": "MalformedLlmOutput"})
    with scripted(spec=[spec("tc_first"), malformed]) as agents:
        made = bench(tmp_path, agents, scripts={"validate_test_spec": [invalid_spec("flaw")]})
        state = await run_testing_graph(made, max_retries=1)
    assert state["exit_reason"] == "spec_exhausted"
    assert state["spec_json"] == spec("tc_first")["spec"]
    assert state["spec_errors"][0]["message"] == "no JSON"


@pytest.mark.feature("T-07")
async def test_a_writer_that_answers_nothing_readable_is_refined(tmp_path: Path) -> None:
    with scripted(spec=[spec(*CASES)], writer=[{"files": []}, WRITTEN], analyzer=[ANALYSIS]) as agents:
        state = await run_testing_graph(bench(tmp_path, agents))
    assert (state["code_attempts"], state["exit_reason"]) == (1, "completed")


FAILED = error_response(ErrorType.VALIDATION, "the model refuses", details={"error": "SchemaValidationError"})


@pytest.mark.feature("T-06", "P-11")
@pytest.mark.parametrize("role", ["spec", "writer"])
async def test_an_agent_that_fails_ends_the_step_without_refining(tmp_path: Path, role: str) -> None:
    scripts: dict[str, list[Any]] = {"spec": [spec(*CASES)], "writer": []}
    scripts[role] = [FAILED]
    with scripted(**scripts) as agents:
        state = await run_testing_graph(bench(tmp_path, agents))
    assert (state["phase"], state["exit_reason"]) == ("error", "agent_error")
    assert state["failure"]["message"] == "the model refuses"
    assert (state["spec_attempts"], state["code_attempts"]) == (0, 0)


async def test_an_agent_that_meets_a_fault_of_the_machine_says_so(tmp_path: Path) -> None:
    with scripted(spec=[SandboxUnavailable("no bwrap", advice="install it")]) as agents:
        state = await run_testing_graph(bench(tmp_path, agents))
    assert state["exit_reason"] == "environment"
    assert (state["failure"]["ends_run"], state["failure"]["advice"]) == (True, "install it")


@pytest.mark.feature("T-15")
async def test_an_agent_that_cannot_be_reached_raises_after_its_retries(tmp_path: Path) -> None:
    gone: list[Answer] = [ConnectionError("refused")] * 3
    with scripted(spec=gone) as agents:
        made = bench(tmp_path, agents)
        with pytest.raises(AgentUnreachable, match="refused"):
            await run_testing_graph(made)
    assert made.recorder.waits == [1.0, 2.0]


@pytest.mark.feature("T-15")
async def test_a_transient_fault_of_a_tool_is_tried_again_and_audited(tmp_path: Path) -> None:
    late = [ToolTimeout("late"), ToolTimeout("late"), VALID_SPEC]
    with scripted(spec=[spec(*CASES)], writer=[WRITTEN], analyzer=[ANALYSIS]) as agents:
        made = bench(tmp_path, agents, scripts={"validate_test_spec": late})
        state = await run_testing_graph(made)
    assert (state["exit_reason"], state["spec_attempts"]) == ("completed", 0)
    audited: list[AuditEntry] = [attempt for attempt in made.recorder.attempts if attempt.role == "validate_spec"]
    assert [(one.attempt, one.outcome, one.details["retried"]) for one in audited] == [
        (1, "failed", True),
        (2, "failed", True),
    ]


@pytest.mark.feature("T-15")
async def test_a_transient_fault_that_lasts_is_raised(tmp_path: Path) -> None:
    with scripted(spec=[spec(*CASES)]) as agents:
        made = bench(tmp_path, agents, scripts={"validate_test_spec": [ToolTimeout("late")] * 3})
        with pytest.raises(ToolTimeout):
            await run_testing_graph(made)


async def test_a_fault_that_will_not_pass_is_not_tried_again(tmp_path: Path) -> None:
    with scripted(spec=[spec(*CASES)]) as agents:
        made = bench(tmp_path, agents, scripts={"validate_test_spec": [ToolFailure("broken")]})
        with pytest.raises(ToolFailure, match="broken"):
            await run_testing_graph(made)


async def test_every_attempt_of_an_agent_is_audited(tmp_path: Path) -> None:
    gone = AgentResponse.from_dict(error_response(ErrorType.NETWORK, "gone", recoverable=True).to_dict())
    with scripted(spec=[gone, spec(*CASES)], writer=[WRITTEN], analyzer=[ANALYSIS]) as agents:
        made = bench(tmp_path, agents)
        await run_testing_graph(made)
    audited = [(attempt.role, attempt.attempt, attempt.outcome, attempt.reason) for attempt in made.recorder.attempts]
    assert audited == [
        ("spec", 1, "failed", "first"),
        ("spec", 2, "ok", "gone"),
        ("writer", 1, "ok", "first"),
        ("analyzer", 1, "ok", "first"),
    ]
