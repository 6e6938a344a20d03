"""Node `select_schema`: selects the schema for the spec."""

from __future__ import annotations

from typing import Any

from langgraph.runtime import Runtime

from ....core.outcome import StepExit
from ...context import RunContext, services_of
from ...faults import Fault
from ...node import reported_node
from ..state import TestingAgentState


@reported_node
async def select_schema(state: TestingAgentState, runtime: Runtime[RunContext]) -> dict[str, Any]:
    """Select the schema by test type; an unknown type ends the step with its own exit reason."""
    services = services_of(runtime)
    hints = {"framework": state["framework"], "target": state["target"]}
    schema = services.select_schema(state["test_type"], hints)
    if schema is not None:
        return {"selected_schema": schema}
    fault = Fault(
        StepExit.UNKNOWN_TEST_TYPE,
        f"there is no spec schema for test type {state['test_type']!r}",
        details={"error": "UnknownTestType", "advice": "Ask for unit, api, integration, e2e or performance tests."},
    )
    return {"phase": "error", "exit_reason": str(fault.exit_reason), "failure": fault.to_dict()}
