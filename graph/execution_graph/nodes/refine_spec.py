"""Node `refine_spec`: the spec agent corrects its spec, given every error."""

from __future__ import annotations

from typing import Any

from langgraph.runtime import Runtime

from ...context import RunContext
from ...node import call_agent, reported_node
from ..agent_inputs import spec_inputs
from ..answers import Update, answer_update, keep_earlier_tests
from ..floor import has_model, without_model
from ..state import TestingAgentState


@reported_node
async def refine_spec(state: TestingAgentState, runtime: Runtime[RunContext]) -> dict[str, Any]:
    """Request the spec again with the previous one and ALL of its errors; one more `spec_attempts`.

    An answer that cannot be read leaves the previous spec in the state, as the partial result. Where tests are kept
    already (running them showed a wrong expectation), an agent that fails costs the refinement, not the step. Raises
    AgentUnreachable.
    """
    if state["executed"] and not state["spec_errors"]:
        return await _engine_spec(state, runtime, "none of its tests was kept")
    previous, attempt = state["spec_json"], state["spec_attempts"] + 2
    inputs = spec_inputs(state, runtime, previous_spec=previous, errors=state["spec_errors"], attempt=attempt)
    response = await call_agent(state, runtime, "spec", "refine_spec", inputs)
    spec, update = answer_update(response, "spec", "spec")
    if update.get("phase") == "error" and state["kept"]:
        return keep_earlier_tests(update)
    if update.get("phase") == "error" and has_model(runtime, "spec"):
        return await _engine_spec(state, runtime, str(update["failure"]["message"]), update)
    return {**update, "spec_json": previous if spec is None else spec, "spec_attempts": state["spec_attempts"] + 1}


async def _engine_spec(
    state: TestingAgentState, runtime: Runtime[RunContext], reason: str, failed: Update | None = None
) -> dict[str, Any]:
    inputs = spec_inputs(state, runtime)
    response, spec, update = await without_model(state, runtime, "spec", "generate_spec", inputs, reason, failed=failed)
    notices = dict(response.metadata.get("notices") or {})
    if spec is not None:
        # What the model's cases have shown stays in the report, whatever becomes of them.
        named = {defect["id"] for defect in spec.get("suspected_defects") or []}
        shown = [defect for defect in state["suspected_defects"] if defect["id"] not in named]
        spec = {**spec, "suspected_defects": [*(spec.get("suspected_defects") or []), *shown]}
    return {**update, "spec_json": spec, "notices": notices, "spec_attempts": state["spec_attempts"] + 1}
