"""Node `refine_spec`: the spec agent mends its spec, told of every error (T-06)."""

from __future__ import annotations

from typing import Any

from langgraph.runtime import Runtime

from ...agent_calls import ask_role
from ...context import RunContext
from ...node import reported
from ..answers import answer_update, given_up
from ..spec_inputs import spec_inputs
from ..state import TestingAgentState


@reported
async def refine_spec(state: TestingAgentState, runtime: Runtime[RunContext]) -> dict[str, Any]:
    """Ask again with the previous spec and ALL of its errors; one more `spec_attempts`.

    An answer that cannot be read leaves the previous spec in the state, as the partial result. Where tests are kept
    already (a wrong expectation came out when they ran), an agent that fails costs the refinement, not the step.
    Raises AgentUnreachable.
    """
    response = await ask_role(
        runtime,
        "spec",
        goal=state["user_request"],
        task="refine_spec",
        inputs=spec_inputs(
            state,
            runtime,
            previous_spec=state["spec_json"],
            errors=state["spec_errors"],
            attempt=state["spec_attempts"] + 2,
        ),
        step_id=state["step_id"],
    )
    spec, update = answer_update(response, "spec", "spec")
    if update.get("phase") == "error" and state["kept"]:
        return given_up(update)
    kept = state["spec_json"] if spec is None else spec
    return {**update, "spec_json": kept, "spec_attempts": state["spec_attempts"] + 1}
