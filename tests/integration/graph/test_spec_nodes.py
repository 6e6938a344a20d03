"""The testing graph's nodes up to an accepted spec, one by one."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from testwright.agents.contract.protocol import AgentError, ErrorType, partial_response, success_response
from testwright.core.errors import TestwrightError, ToolFailure, ToolTimeout
from testwright.core.events import EventType
from testwright.graph.execution_graph.nodes.generate_spec import generate_spec
from testwright.graph.execution_graph.nodes.refine_spec import refine_spec
from testwright.graph.execution_graph.nodes.retrieve_context import retrieve_context
from testwright.graph.execution_graph.nodes.select_schema import select_schema
from testwright.graph.execution_graph.nodes.validate_spec import validate_spec
from testwright.tests.support.mcp.scripted_tools import invalid_spec
from testwright.tests.support.runs.graph_runs import spec, testing_state
from testwright.tests.support.runs.node_bench import SCHEMA, call_node, node_bench, state_with
from testwright.utils.canonical import canonical_json

pytestmark = pytest.mark.feature("T-17")


@pytest.mark.feature("T-12")
async def test_retrieve_context_asks_tools_for_snippets_and_syntax_tree(tmp_path: Path) -> None:
    with node_bench(tmp_path) as made:
        update = await call_node(retrieve_context, made, testing_state())
        assert {name for name, _ in made.tools.calls} == {"get_codebase_context", "get_ast_analysis"}
        query = made.tools.named("get_codebase_context")[0]
    assert query == {"query": "cover the cart shop.cart", "file_paths": ["shop/cart.py"]}
    assert update["target_digest"] == update["ast_analysis"]["digest"]
    assert update["codebase_context"]["snippets"][0]["path"] == "shop/cart.py"
    assert update["warnings"] == []


async def test_retrieve_context_asks_for_the_openapi_document_of_an_endpoint(tmp_path: Path) -> None:
    scripts = {"get_openapi_spec": [{"paths": {"/orders": {}}}]}
    state = testing_state(test_type="api", target={"endpoint": "/orders"})
    with node_bench(tmp_path, scripts) as made:
        update = await call_node(retrieve_context, made, state)
    assert update["openapi"] == {"paths": {"/orders": {}}}
    assert update["ast_analysis"] is None


@pytest.mark.feature("T-12")
async def test_retrieve_context_does_not_look_up_again_what_the_plan_has_looked_up(tmp_path: Path) -> None:
    shared = {"snippets": [{"path": "shop/orders.py"}]}
    with node_bench(tmp_path) as made:
        update = await call_node(retrieve_context, made, testing_state(codebase_context=shared))
        assert {name for name, _ in made.tools.calls} == {"get_ast_analysis"}
    assert update["codebase_context"] == shared


@pytest.mark.feature("T-12")
@pytest.mark.parametrize(
    ("request_text", "more", "asked"),
    [
        ("test the orders API", {"test_type": "api", "target": {"endpoint": "/orders"}}, {"endpoint": "/orders"}),
        ("test the API", {"test_type": "api", "target": {"path": "shop/cart.py"}}, {"endpoint": "."}),
        ("cover the cart as docs/openapi.yaml says.", {}, {"endpoint": "docs/openapi.yaml"}),
        (
            "test (http://localhost:8000/openapi.json)",
            {"test_type": "api", "target": {"endpoint": "/orders"}},
            {"endpoint": "http://localhost:8000/openapi.json", "operation": "/orders"},
        ),
        ("cover the cart, we like swagger", {}, None),
    ],
)
async def test_retrieve_context_asks_for_the_document_that_is_meant(tmp_path: Path, request_text, more, asked) -> None:
    state = testing_state(**more)
    state["user_request"] = request_text
    with node_bench(tmp_path, {"get_openapi_spec": [{"operations": []}]} if asked else {}) as made:
        await call_node(retrieve_context, made, state)
        wanted = made.tools.named("get_openapi_spec")
    assert wanted == ([asked] if asked else [])


async def test_retrieve_context_goes_on_without_snippets_and_warns(tmp_path: Path) -> None:
    with node_bench(tmp_path, {"get_codebase_context": [ToolFailure("no index")]}) as made:
        update = await call_node(retrieve_context, made, testing_state())
    assert update["codebase_context"] is None
    assert update["warnings"] == ["get_codebase_context: no index"]


async def test_retrieve_context_fails_when_the_target_does_not_parse(tmp_path: Path) -> None:
    with node_bench(tmp_path, {"get_ast_analysis": [ToolFailure("cart.py does not parse")]}) as made:
        with pytest.raises(ToolFailure, match="does not parse"):
            await call_node(retrieve_context, made, testing_state())
        kind, message, step_id, _ = made.recorder.events[-1]
    assert (kind, step_id) == (EventType.NODE_ENDED, "s1")
    assert "retrieve_context failed" in message


async def test_a_slow_search_is_a_transient_fault_not_a_warning(tmp_path: Path) -> None:
    with node_bench(tmp_path, {"get_codebase_context": [ToolTimeout("late")]}) as made, pytest.raises(ToolTimeout):
        await call_node(retrieve_context, made, testing_state())


async def test_a_huge_analysis_is_cut_to_the_states_limit_and_says_so(tmp_path: Path) -> None:
    huge = {"digest": "d", "symbols": [{"qualname": f"name_{number}"} for number in range(20_000)]}
    with node_bench(tmp_path, {"get_ast_analysis": [huge]}) as made:
        analysis = (await call_node(retrieve_context, made, testing_state()))["ast_analysis"]
    assert len(canonical_json(analysis)) <= 128 * 1024
    assert analysis["digest"] == "d"
    assert analysis["truncated"]["symbols"] == 20_000 - len(analysis["symbols"])


@pytest.mark.feature("T-08")
async def test_select_schema_chooses_by_test_type(tmp_path: Path) -> None:
    with node_bench(tmp_path) as made:
        assert await call_node(select_schema, made, testing_state()) == {"selected_schema": SCHEMA}


@pytest.mark.feature("T-08", "P-11")
async def test_an_unknown_test_type_is_a_typed_end(tmp_path: Path) -> None:
    with node_bench(tmp_path) as made:
        update = await call_node(select_schema, made, testing_state(test_type="smoke"))
    assert (update["phase"], update["exit_reason"]) == ("error", "unknown_test_type")
    assert "'smoke'" in update["failure"]["message"]


async def test_generate_spec_gives_the_agent_what_its_contract_asks(tmp_path: Path) -> None:
    with node_bench(tmp_path, spec=[spec("tc_a")]) as made:
        update = await call_node(generate_spec, made, state_with(selected_schema=SCHEMA, ast_analysis={"digest": "d"}))
        request = made.services.agents["spec"].requests[0]  # pyrefly: ignore[missing-attribute]
        assert made.services.validate("schemas/spec/input.json", request.inputs) == []
    assert update["spec_json"] == spec("tc_a")["spec"]
    assert request.metadata.trace_id == f"{made.context.run_id}:s1"
    assert request.inputs["schema"]["$id"].startswith("urn:testwright:")


async def test_generate_spec_takes_a_partial_answer_with_a_warning(tmp_path: Path) -> None:
    partial = partial_response(spec("tc_a"), AgentError(ErrorType.TIMEOUT, "half the symbols"))
    with node_bench(tmp_path, spec=[partial]) as made:
        update = await call_node(generate_spec, made, state_with(selected_schema=SCHEMA))
    assert update["spec_json"]["cases"]
    assert update["warnings"] == ["spec: half the symbols"]


async def test_generate_spec_counts_what_the_agent_used(tmp_path: Path) -> None:
    answer = success_response(spec("tc_a"), metadata={"tokens": 11, "cost": 0.5})
    with node_bench(tmp_path, spec=[answer]) as made:
        update = await call_node(generate_spec, made, state_with(selected_schema=SCHEMA))
    assert update["usage"] == {"tokens": 11, "cost": 0.5}


async def test_a_role_without_an_agent_is_said_plainly(tmp_path: Path) -> None:
    with node_bench(tmp_path) as made, pytest.raises(TestwrightError, match="no spec agent"):
        await call_node(generate_spec, made, state_with(selected_schema=SCHEMA))


async def test_validate_spec_stores_writes_and_announces_a_valid_spec(tmp_path: Path) -> None:
    defects = [{"id": "sd_1", "title": "wrong total"}]
    with node_bench(tmp_path) as made:
        state = state_with(spec_json=spec("tc_a", suspected_defects=defects)["spec"])
        update = await call_node(validate_spec, made, state)
    assert json.loads((made.folder / "specs/cart.json").read_text()) == state["spec_json"]
    assert made.artifacts.get(update["spec_artifact_id"]).payload == {"spec": state["spec_json"]}
    assert update["suspected_defects"] == defects
    assert made.recorder.of(EventType.SPEC_WRITTEN) == ["1 case for shop/cart.py"]


async def test_validate_spec_is_strict_and_asks_for_the_states_test_type(tmp_path: Path) -> None:
    with node_bench(tmp_path) as made:
        await call_node(validate_spec, made, state_with(spec_json=spec("tc_a")["spec"], test_type="e2e"))
        asked = made.tools.named("validate_test_spec")[0]
    assert (asked["schema_type"], asked["strict"]) == ("e2e", True)


async def test_validate_spec_says_whether_there_will_be_a_retry(tmp_path: Path) -> None:
    with node_bench(tmp_path, {"validate_test_spec": [invalid_spec("flaw")] * 2}) as made:
        first = await call_node(validate_spec, made, state_with(spec_json={"a": 1}))
        last = await call_node(validate_spec, made, state_with(spec_json={"a": 1}, spec_attempts=3))
    assert (first["should_retry"], last["should_retry"]) == (True, False)


async def test_refine_spec_counts_its_attempt(tmp_path: Path) -> None:
    with node_bench(tmp_path, spec=[spec("tc_b")]) as made:
        state = state_with(selected_schema=SCHEMA, spec_json={"a": 1}, spec_errors=[{"message": "m"}], spec_attempts=1)
        update = await call_node(refine_spec, made, state)
    assert (update["spec_attempts"], update["spec_json"]) == (2, spec("tc_b")["spec"])
