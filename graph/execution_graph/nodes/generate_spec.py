"""Node `generate_spec`: the spec agent writes the first spec."""

from __future__ import annotations

from typing import Any

from langgraph.runtime import Runtime

from ...agent_calls import ask_role
from ...context import RunContext
from ...node import reported
from ..answers import answer_update
from ..spec_inputs import spec_constraints, spec_inputs
from ..state import TestingAgentState


@reported
async def generate_spec(state: TestingAgentState, runtime: Runtime[RunContext]) -> dict[str, Any]:
    """Ask for a spec; what the agent notes about it goes to the report.

    Raises AgentUnreachable; every other failure of the agent is in the state.
    """
    response = await ask_role(
        runtime,
        "spec",
        goal=state["user_request"],
        task="generate_spec",
        inputs=spec_inputs(state, runtime),
        step_id=state["step_id"],
        constraints=spec_constraints(runtime),
    )
    spec, update = answer_update(response, "spec", "spec")
    told = [str(note) for note in response.metadata.get("notes") or ()]
    return {
        **update,
        "warnings": [*update.get("warnings", []), *told],
        "spec_json": spec,
        "notices": dict(response.metadata.get("notices") or {}),
    }
