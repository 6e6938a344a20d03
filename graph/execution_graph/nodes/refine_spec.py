"""Node `refine_spec`: the spec agent corrects its spec, given every error."""

from __future__ import annotations

from typing import Any

from langgraph.runtime import Runtime

from ...context import RunContext
from ...node import call_agent, reported_node
from ..agent_inputs import spec_inputs
from ..answers import answer_update, keep_earlier_tests
from ..state import TestingAgentState


@reported_node
async def refine_spec(state: TestingAgentState, runtime: Runtime[RunContext]) -> dict[str, Any]:
    """Request the spec again with the previous one and ALL of its errors; one more `spec_attempts`.

    An answer that cannot be read leaves the previous spec in the state, as the partial result. Where tests are kept
    already (running them showed a wrong expectation), an agent that fails costs the refinement, not the step. Raises
    AgentUnreachable.
    """
    previous, attempt = state["spec_json"], state["spec_attempts"] + 2
    inputs = spec_inputs(state, runtime, previous_spec=previous, errors=state["spec_errors"], attempt=attempt)
    response = await call_agent(state, runtime, "spec", "refine_spec", inputs)
    spec, update = answer_update(response, "spec", "spec")
    if update.get("phase") == "error" and state["kept"]:
        return keep_earlier_tests(update)
    return {**update, "spec_json": previous if spec is None else spec, "spec_attempts": state["spec_attempts"] + 1}
