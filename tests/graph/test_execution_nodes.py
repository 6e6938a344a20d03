"""The ten nodes of the testing graph, one by one."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, cast

import pytest

from testwright.agents.protocol import AgentError, ErrorType, error_response, partial_response, success_response
from testwright.errors import SchemaValidationError, TestwrightError, ToolFailure, ToolTimeout
from testwright.events import EventType
from testwright.graph.context import providing
from testwright.graph.execution_graph import state as states
from testwright.graph.execution_graph.nodes.analyze_results import analyze_results
from testwright.graph.execution_graph.nodes.generate_code import generate_code
from testwright.graph.execution_graph.nodes.generate_spec import generate_spec
from testwright.graph.execution_graph.nodes.refine_code import refine_code
from testwright.graph.execution_graph.nodes.refine_spec import refine_spec
from testwright.graph.execution_graph.nodes.retrieve_context import retrieve_context
from testwright.graph.execution_graph.nodes.run_tests import run_tests
from testwright.graph.execution_graph.nodes.select_schema import select_schema
from testwright.graph.execution_graph.nodes.validate_code import validate_code
from testwright.graph.execution_graph.nodes.validate_spec import validate_spec
from testwright.graph.execution_graph.routers import should_continue, should_retry_code, should_retry_spec
from testwright.tests.support.graph_runs import (
    ANALYSIS,
    TEST_PATH,
    Bench,
    bench,
    files,
    runtime_of,
    spec,
    testing_state,
)
from testwright.tests.support.scripted_agents import scripted
from testwright.tests.support.scripted_tools import invalid_spec
from testwright.utils.canonical import canonical_json

pytestmark = pytest.mark.feature("T-17")
SCHEMA = "schemas/unit_test_schema_v1.json"
STAGED = f"staged/{TEST_PATH}"
Node = Callable[[states.TestingAgentState, Any], Awaitable[dict[str, Any]]]


async def _call(node: Node, made: Bench, state: states.TestingAgentState) -> dict[str, Any]:
    with providing(made.context, made.services):
        return await node(state, runtime_of(made))


@contextmanager
def _bench(tmp_path: Path, scripts: dict[str, Any] | None = None, **agents: Any) -> Iterator[Bench]:
    with scripted(**agents) as roles:
        made = bench(tmp_path, roles, scripts=scripts)
        yield made
        made.tools.finish()


def _with(**changes: Any) -> states.TestingAgentState:
    return _changed(testing_state(), changes)


def _changed(state: states.TestingAgentState, update: dict[str, Any]) -> states.TestingAgentState:
    return cast(states.TestingAgentState, {**state, **update})


async def _accepted_spec(made: Bench, *case_ids: str, **more: Any) -> states.TestingAgentState:
    """The state after a spec of these cases was accepted."""
    state = _with(selected_schema=SCHEMA, spec_json=spec(*case_ids)["spec"], **more)
    return _changed(state, await _call(validate_spec, made, state))


async def _accepted_code(made: Bench, *case_ids: str, **more: Any) -> states.TestingAgentState:
    """The state after a file of these cases was accepted; the bench has a writer that gives it."""
    state = await _accepted_spec(made, *case_ids, **more)
    for node in (generate_code, validate_code):
        state = _changed(state, await _call(node, made, state))
    return state


@pytest.mark.feature("T-12")
async def test_retrieve_context_asks_tools_for_snippets_and_syntax_tree(tmp_path: Path) -> None:
    with _bench(tmp_path) as made:
        update = await _call(retrieve_context, made, testing_state())
        assert {name for name, _ in made.tools.calls} == {"get_codebase_context", "get_ast_analysis"}
        query = made.tools.named("get_codebase_context")[0]
    assert query == {"query": "cover the cart shop.cart", "file_paths": ["shop/cart.py"]}
    assert update["target_digest"] == update["ast_analysis"]["digest"]
    assert update["codebase_context"]["snippets"][0]["path"] == "shop/cart.py"
    assert update["warnings"] == []


async def test_retrieve_context_asks_for_the_openapi_document_of_an_endpoint(tmp_path: Path) -> None:
    scripts = {"get_openapi_spec": [{"paths": {"/orders": {}}}]}
    state = testing_state(test_type="api", target={"endpoint": "/orders"})
    with _bench(tmp_path, scripts) as made:
        update = await _call(retrieve_context, made, state)
    assert update["openapi"] == {"paths": {"/orders": {}}}
    assert update["ast_analysis"] is None


async def test_retrieve_context_goes_on_without_snippets_and_warns(tmp_path: Path) -> None:
    with _bench(tmp_path, {"get_codebase_context": [ToolFailure("no index")]}) as made:
        update = await _call(retrieve_context, made, testing_state())
    assert update["codebase_context"] is None
    assert update["warnings"] == ["get_codebase_context: no index"]


async def test_retrieve_context_fails_when_the_target_does_not_parse(tmp_path: Path) -> None:
    with _bench(tmp_path, {"get_ast_analysis": [ToolFailure("cart.py does not parse")]}) as made:
        with pytest.raises(ToolFailure, match="does not parse"):
            await _call(retrieve_context, made, testing_state())
        kind, message, step_id, _ = made.recorder.events[-1]
    assert (kind, step_id) == (EventType.NODE_ENDED, "s1")
    assert "retrieve_context failed" in message


async def test_a_slow_search_is_a_transient_fault_not_a_warning(tmp_path: Path) -> None:
    with _bench(tmp_path, {"get_codebase_context": [ToolTimeout("late")]}) as made, pytest.raises(ToolTimeout):
        await _call(retrieve_context, made, testing_state())


async def test_a_huge_analysis_is_cut_to_the_states_limit_and_says_so(tmp_path: Path) -> None:
    huge = {"digest": "d", "symbols": [{"qualname": f"name_{number}"} for number in range(20_000)]}
    with _bench(tmp_path, {"get_ast_analysis": [huge]}) as made:
        analysis = (await _call(retrieve_context, made, testing_state()))["ast_analysis"]
    assert len(canonical_json(analysis)) <= 128 * 1024
    assert analysis["digest"] == "d"
    assert analysis["truncated"]["symbols"] == 20_000 - len(analysis["symbols"])


@pytest.mark.feature("T-08")
async def test_select_schema_chooses_by_test_type(tmp_path: Path) -> None:
    with _bench(tmp_path) as made:
        assert await _call(select_schema, made, testing_state()) == {"selected_schema": SCHEMA}


@pytest.mark.feature("T-08", "P-11")
async def test_an_unknown_test_type_is_a_typed_end(tmp_path: Path) -> None:
    with _bench(tmp_path) as made:
        update = await _call(select_schema, made, testing_state(test_type="smoke"))
    assert (update["phase"], update["exit_reason"]) == ("error", "unknown_test_type")
    assert "'smoke'" in update["failure"]["message"]


async def test_generate_spec_gives_the_agent_what_its_contract_asks(tmp_path: Path) -> None:
    with _bench(tmp_path, spec=[spec("tc_a")]) as made:
        update = await _call(generate_spec, made, _with(selected_schema=SCHEMA, ast_analysis={"digest": "d"}))
        request = made.services.agents["spec"].requests[0]  # type: ignore[attr-defined]
        assert made.services.validate("schemas/spec/input.json", request.inputs) == []
    assert update["spec_json"] == spec("tc_a")["spec"]
    assert request.metadata.trace_id == f"{made.context.run_id}:s1"
    assert request.inputs["schema"]["$id"].startswith("urn:testwright:")


async def test_generate_spec_takes_a_partial_answer_with_a_warning(tmp_path: Path) -> None:
    partial = partial_response(spec("tc_a"), AgentError(ErrorType.TIMEOUT, "half the symbols"))
    with _bench(tmp_path, spec=[partial]) as made:
        update = await _call(generate_spec, made, _with(selected_schema=SCHEMA))
    assert update["spec_json"]["cases"]
    assert update["warnings"] == ["spec: half the symbols"]


async def test_generate_spec_counts_what_the_agent_used(tmp_path: Path) -> None:
    answer = success_response(spec("tc_a"), metadata={"tokens": 11, "cost": 0.5})
    with _bench(tmp_path, spec=[answer]) as made:
        update = await _call(generate_spec, made, _with(selected_schema=SCHEMA))
    assert update["usage"] == {"tokens": 11, "cost": 0.5}


async def test_a_role_without_an_agent_is_said_plainly(tmp_path: Path) -> None:
    with _bench(tmp_path) as made, pytest.raises(TestwrightError, match="no spec agent"):
        await _call(generate_spec, made, _with(selected_schema=SCHEMA))


async def test_validate_spec_stores_writes_and_announces_a_valid_spec(tmp_path: Path) -> None:
    defects = [{"id": "sd_1", "title": "wrong total"}]
    with _bench(tmp_path) as made:
        state = _with(spec_json=spec("tc_a", suspected_defects=defects)["spec"])
        update = await _call(validate_spec, made, state)
    assert json.loads((made.folder / "specs/cart.json").read_text()) == state["spec_json"]
    assert made.artifacts.get(update["spec_artifact_id"]).payload == {"spec": state["spec_json"]}
    assert update["suspected_defects"] == defects
    assert made.recorder.of(EventType.SPEC_WRITTEN) == ["1 cases for shop/cart.py"]


async def test_validate_spec_is_strict_and_asks_for_the_states_test_type(tmp_path: Path) -> None:
    with _bench(tmp_path) as made:
        await _call(validate_spec, made, _with(spec_json=spec("tc_a")["spec"], test_type="e2e"))
        asked = made.tools.named("validate_test_spec")[0]
    assert (asked["schema_type"], asked["strict"]) == ("e2e", True)


async def test_validate_spec_says_whether_there_will_be_a_retry(tmp_path: Path) -> None:
    with _bench(tmp_path, {"validate_test_spec": [invalid_spec("flaw")] * 2}) as made:
        first = await _call(validate_spec, made, _with(spec_json={"a": 1}))
        last = await _call(validate_spec, made, _with(spec_json={"a": 1}, spec_attempts=3))
    assert (first["should_retry"], last["should_retry"]) == (True, False)


async def test_refine_spec_counts_its_attempt(tmp_path: Path) -> None:
    with _bench(tmp_path, spec=[spec("tc_b")]) as made:
        state = _with(selected_schema=SCHEMA, spec_json={"a": 1}, spec_errors=[{"message": "m"}], spec_attempts=1)
        update = await _call(refine_spec, made, state)
    assert (update["spec_attempts"], update["spec_json"]) == (2, spec("tc_b")["spec"])


@pytest.mark.feature("A-05")
async def test_generate_code_hands_over_the_stored_spec_and_stages_the_files(tmp_path: Path) -> None:
    with _bench(tmp_path, writer=[files(TEST_PATH, "tc_a")]) as made:
        state = await _accepted_spec(made, "tc_a")
        other = _changed(state, {"spec_json": {"cases": ["the copy is not what crosses"]}})
        update = await _call(generate_code, made, other)
        inputs = made.services.agents["writer"].requests[0].inputs  # type: ignore[attr-defined]
    assert set(inputs) == {"run_id", "upstream", "payload", "parameters"}
    assert inputs["payload"] == spec("tc_a")
    assert inputs["parameters"] == {"framework": "pytest", "test_path": TEST_PATH}
    assert update["generated_code_path"] == STAGED
    assert (made.folder / STAGED).read_text() == files(TEST_PATH, "tc_a")["files"][0]["contents"]


async def test_generate_code_ends_the_step_when_there_are_no_cases(tmp_path: Path) -> None:
    with _bench(tmp_path) as made:
        update = await _call(generate_code, made, await _accepted_spec(made))
    assert (update["phase"], update["exit_reason"]) == ("complete", "nothing_to_test")


@pytest.mark.feature("A-05")
async def test_a_handover_that_breaks_the_writers_contract_ends_the_step(tmp_path: Path) -> None:
    with _bench(tmp_path) as made:
        state = await _accepted_spec(made, "tc_a", framework="brainfuck")
        with pytest.raises(SchemaValidationError, match="framework"):
            await _call(generate_code, made, state)


async def test_cases_the_writer_left_out_are_dropped_with_its_reason(tmp_path: Path) -> None:
    answer = success_response(
        files(TEST_PATH, "tc_a"), metadata={"not_written": [{"case_id": "tc_b", "reason": "no such fixture"}]}
    )
    with _bench(tmp_path, writer=[answer]) as made:
        state = await _accepted_code(made, "tc_a", "tc_b")
        after = await _call(run_tests, made, state)
    assert state["kept"] == after["kept"] == ["tc_a"]
    assert [(one["case_id"], one["reason"]) for one in after["dropped"]] == [("tc_b", "not written: no such fixture")]


async def test_validate_code_checks_helpers_without_asking_for_test_structure(tmp_path: Path) -> None:
    helper = {"path": "tests/generated/conftest.py", "contents": "# helper\n"}
    answer = {"files": [helper, *files(TEST_PATH, "tc_a")["files"]]}
    with _bench(tmp_path, writer=[answer]) as made:
        state = await _accepted_code(made, "tc_a")
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
    with _bench(tmp_path, {"validate_test_code": [judge, judge]}, writer=[answer]) as made:
        state = await _accepted_code(made, "tc_a")
    assert state["should_retry"] is True
    assert state["code_errors"] == [{"type": "syntax", "line": 1, "message": "bad", "path": f"staged/{helper}"}]


async def test_refine_code_counts_its_attempt_and_replaces_the_file(tmp_path: Path) -> None:
    with _bench(tmp_path, writer=[files(TEST_PATH, "tc_a"), files(TEST_PATH, "tc_b")]) as made:
        state = await _accepted_code(made, "tc_a")
        update = await _call(refine_code, made, state)
        assert made.tools.staged_cases(TEST_PATH) == ["tc_b"]
    assert update["code_attempts"] == 1


DROPPED = {"case_id": "tc_b", "nodeid": "x::b", "reason": "failed", "class": "product_defect", "message": "m"}


@pytest.mark.feature("T-05")
async def test_run_tests_prunes_what_the_results_drop(tmp_path: Path) -> None:
    results = {"passed": 1, "failed": 1, "kept": ["tc_a"], "dropped": [DROPPED]}
    with _bench(tmp_path, {"run_tests": [results]}, writer=[files(TEST_PATH, "tc_a", "tc_b")]) as made:
        update = await _call(run_tests, made, await _accepted_code(made, "tc_a", "tc_b"))
        assert made.tools.staged_cases(TEST_PATH) == ["tc_a"]
        assert made.tools.named("run_tests")[0]["test_path"] == TEST_PATH
    assert (update["kept"], update["dropped"], update["executed"]) == (["tc_a"], [DROPPED], True)


async def test_a_case_that_was_never_collected_is_dropped(tmp_path: Path) -> None:
    results = {"passed": 1, "failed": 0, "kept": ["tc_a"], "dropped": []}
    with _bench(tmp_path, {"run_tests": [results]}, writer=[files(TEST_PATH, "tc_a")]) as made:
        update = await _call(run_tests, made, await _accepted_code(made, "tc_a", "tc_lost"))
    assert [one["case_id"] for one in update["dropped"]] == ["tc_lost"]


@pytest.mark.feature("B-08")
async def test_run_tests_begins_from_the_stored_files_when_it_is_executed_again(tmp_path: Path) -> None:
    results = {"passed": 1, "failed": 1, "kept": ["tc_a"], "dropped": [DROPPED]}
    with _bench(tmp_path, {"run_tests": [results] * 2}, writer=[files(TEST_PATH, "tc_a", "tc_b")]) as made:
        state = await _accepted_code(made, "tc_a", "tc_b")
        first = await _call(run_tests, made, state)
        (made.folder / STAGED).unlink()
        assert await _call(run_tests, made, state) == first


@pytest.mark.feature("T-14")
async def test_run_tests_executes_nothing_when_running_is_switched_off(tmp_path: Path) -> None:
    with _bench(tmp_path) as made:
        update = await _call(run_tests, made, _with(run=False))
        assert made.tools.calls == []
    assert update == {"executed": False, "phase": "complete", "exit_reason": "completed"}


@pytest.mark.feature("T-14")
@pytest.mark.parametrize(("kept", "exit_reason"), [(["tc_a"], "completed"), ([], "nothing_kept")])
async def test_run_tests_ends_the_graph_when_analysing_is_switched_off(
    tmp_path: Path, kept: list[str], exit_reason: str
) -> None:
    lost = [] if kept else [{**DROPPED, "case_id": "tc_a"}]
    results = {"passed": len(kept), "failed": 0, "kept": kept, "dropped": lost}
    with _bench(tmp_path, {"run_tests": [results]}, writer=[files(TEST_PATH, "tc_a")]) as made:
        update = await _call(run_tests, made, await _accepted_code(made, "tc_a", analyze=False))
        assert (made.folder / STAGED).exists() is bool(kept)
    assert (update["phase"], update["exit_reason"]) == ("complete", exit_reason)


async def test_analyze_results_prunes_what_the_analyzer_condemns(tmp_path: Path) -> None:
    analysis = {
        "summary": "one test is about the clock",
        "findings": [{"class": "flaky", "case_id": "tc_b", "title": "depends on the time", "detail": ""}],
        "suspected_defects": [{"id": "sd_2", "title": "off by one"}, {"id": "sd_1", "title": "known"}],
        "drop": ["tc_b"],
    }
    with _bench(tmp_path, writer=[files(TEST_PATH, "tc_a", "tc_b", "tc_c")], analyzer=[analysis]) as made:
        state = await _accepted_code(made, "tc_a", "tc_b", "tc_c", suspected_defects=[{"id": "sd_1", "title": "first"}])
        before = {**DROPPED, "case_id": "tc_c"}
        known = {"kept": ["tc_a", "tc_b"], "dropped": [before], "suspected_defects": [{"id": "sd_1"}]}
        state = _changed(state, known)
        update = await _call(analyze_results, made, state)
        assert made.tools.named("prune_tests")[0]["drop"] == ["tc_c", "tc_b"]
        assert made.tools.staged_cases(TEST_PATH) == ["tc_a"]
    assert (update["kept"], update["analysis"]) == (["tc_a"], "one test is about the clock")
    assert [(one["case_id"], one["reason"], one["class"]) for one in update["dropped"]] == [
        ("tc_c", "failed", "product_defect"),
        ("tc_b", "depends on the time", "flaky"),
    ]
    assert [one["id"] for one in update["suspected_defects"]] == ["sd_1", "sd_2"]
    assert len(made.recorder.of(EventType.DEFECT_SUSPECTED)) == 2


async def test_an_analyzer_that_fails_costs_a_warning_not_the_tests(tmp_path: Path) -> None:
    failed = error_response(ErrorType.EXECUTION, "no idea")
    with _bench(tmp_path, analyzer=[failed]) as made:
        update = await _call(analyze_results, made, _with(kept=["tc_a"], test_results={}))
    assert update["warnings"] == ["the results were not analysed: no idea"]
    assert (update["phase"], update["exit_reason"]) == ("complete", "completed")


async def test_an_analysis_that_leaves_nothing_says_that_nothing_was_kept(tmp_path: Path) -> None:
    condemning = {**ANALYSIS, "drop": ["tc_a"]}
    with _bench(tmp_path, writer=[files(TEST_PATH, "tc_a")], analyzer=[condemning]) as made:
        state = await _accepted_code(made, "tc_a", test_results={})
        update = await _call(analyze_results, made, state)
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
    state = _with(
        spec_validation_result=result, code_validation_result=result, spec_attempts=attempts, code_attempts=attempts
    )
    assert await should_retry_spec(state) == spec_way
    assert await should_retry_code(state) == code_way


async def test_the_graph_goes_on_until_a_phase_is_final() -> None:
    ways = [
        await should_continue(_with(phase=phase)) for phase in ("spec_generation", "execution", "complete", "error")
    ]
    assert ways == ["continue", "continue", "end", "end"]
