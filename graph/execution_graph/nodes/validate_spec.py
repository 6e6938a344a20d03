"""Node `validate_spec`: the tool `validate_test_spec` checks the spec; a valid one becomes the writer's artifact."""

from __future__ import annotations

from typing import Any

from langgraph.runtime import Runtime

from ....core.events import EventType
from ....core.outcome import StepExit
from ....utils.canonical import pretty_json
from ....utils.names.counted import counted
from ...context import RunContext, services_of
from ...node import reported_node
from ..agent_inputs import SPEC_PRODUCER, spec_inputs
from ..answers import keep_earlier_tests, store_output
from ..floor import first_reason, has_model, without_model
from ..state import TestingAgentState


@reported_node
async def validate_spec(state: TestingAgentState, runtime: Runtime[RunContext]) -> dict[str, Any]:
    """Collect every error. A valid spec is stored and written to `spec_path`.

    When the refinements are used up the spec is written too, as `<spec_path>` with `.rejected` before its extension, so
    that it is not mistaken for a valid one. Tests that are kept already stay kept without the refinement.

    Raises:
        ToolFailure: the tool failed.
    """
    tools = services_of(runtime).tools
    spec = state["spec_json"]
    if state["answer_errors"]:
        result: dict[str, Any] = {"valid": False, "errors": state["answer_errors"], "suggestions": []}
    else:
        arguments = {"spec_json": spec, "schema_type": state["test_type"], "strict": True}
        result = await tools.call("validate_test_spec", arguments)
    update: dict[str, Any] = {"spec_validation_result": result, "spec_errors": result.get("errors") or []}
    if result["valid"]:
        return {**update, **await _accept(state, runtime, spec or {})}
    if state["spec_attempts"] < state["max_retries"]:
        return {**update, "should_retry": True}
    if state["kept"]:
        return keep_earlier_tests(state, update)
    if spec:
        rejected = state["spec_path"].removesuffix(".json") + ".rejected.json"
        await tools.call("write_file", {"path": rejected, "contents": pretty_json(spec)})
    if has_model(runtime, "spec"):
        return await _engine_spec(state, runtime, update)
    return {**update, "should_retry": False, "phase": "error", "exit_reason": str(StepExit.SPEC_EXHAUSTED)}


async def _engine_spec(
    state: TestingAgentState, runtime: Runtime[RunContext], refused: dict[str, Any]
) -> dict[str, Any]:
    """The engine's spec where the model's is still not valid and no refinement is left."""
    reason = first_reason(refused["spec_errors"])
    inputs = spec_inputs(state, runtime)
    response, spec, update = await without_model(state, runtime, "spec", "generate_spec", inputs, reason)
    if spec is None:
        return {**refused, **update, "should_retry": False, **_exhausted(update)}
    arguments = {"spec_json": spec, "schema_type": state["test_type"], "strict": True}
    result = await services_of(runtime).tools.call("validate_test_spec", arguments)
    checked = {"spec_validation_result": result, "spec_errors": result.get("errors") or []}
    if not result["valid"]:
        return {**update, **checked, "should_retry": False, **_exhausted({})}
    notices = dict(response.metadata.get("notices") or {})
    accepted = await _accept(state, runtime, spec)
    return {**update, **checked, "spec_json": spec, "notices": notices, **accepted}


def _exhausted(update: dict[str, Any]) -> dict[str, Any]:
    if update.get("phase") == "error":
        return {}
    return {"phase": "error", "exit_reason": str(StepExit.SPEC_EXHAUSTED)}


async def _accept(state: TestingAgentState, runtime: Runtime[RunContext], spec: dict[str, Any]) -> dict[str, Any]:
    services = services_of(runtime)
    artifact_id = await store_output(state, runtime, SPEC_PRODUCER, {"spec": spec})
    await services.tools.call("write_file", {"path": state["spec_path"], "contents": pretty_json(spec)})
    cases = spec.get("cases") or []
    services.emit(
        EventType.SPEC_WRITTEN,
        f"{counted(len(cases), 'case')} for {state['target']}",
        state["step_id"] or None,
        path=state["spec_path"],
        cases=len(cases),
        attempts=state["spec_attempts"] + 1,
    )
    return {
        "should_retry": False,
        "phase": "code_generation",
        "spec_artifact_id": artifact_id,
        "suspected_defects": list(spec.get("suspected_defects") or []),
    }
