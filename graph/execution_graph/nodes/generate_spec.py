"""Node `generate_spec`: the spec agent writes the first spec."""

from __future__ import annotations

from typing import Any

from langgraph.runtime import Runtime

from ....core.events import EventType
from ...context import RunContext, services_of
from ...node import reported_node
from ..agent_inputs import spec_constraints, spec_inputs
from ..floor import answered
from ..state import TestingAgentState


@reported_node
async def generate_spec(state: TestingAgentState, runtime: Runtime[RunContext]) -> dict[str, Any]:
    """Request a spec; the agent's notes about it become warnings for the report.

    Raises AgentUnreachable; every other failure of the agent is in the state.
    """
    inputs = spec_inputs(state, runtime)
    constraints = spec_constraints(runtime)
    response, spec, update = await answered(state, runtime, "spec", "generate_spec", inputs, constraints)
    if spec is not None and response.metadata.get("remembered"):
        path = str(state["target_info"]["path"])
        message = f"{path} was explored by an earlier run, and nothing that concerns it has changed"
        services_of(runtime).emit(EventType.PROGRESS, message, state["step_id"], explored_before=path)
    notes = [str(note) for note in response.metadata.get("notes") or ()]
    return {
        **update,
        "warnings": [*update.get("warnings", []), *notes],
        "spec_json": spec,
        "notices": dict(response.metadata.get("notices") or {}),
    }
