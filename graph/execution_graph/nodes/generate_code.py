"""Node `generate_code`: the writing agent turns the accepted spec into test files."""

from __future__ import annotations

from typing import Any

from langgraph.runtime import Runtime

from ....agents.contract.protocol import WITHOUT_MODEL
from ....core.outcome import StepExit
from ...context import RunContext
from ...node import reported_node
from ..agent_inputs import writer_inputs
from ..answers import keep_earlier_tests
from ..floor import answered, is_the_engines
from ..staging import stage_answer
from ..state import TestingAgentState


@reported_node
async def generate_code(state: TestingAgentState, runtime: Runtime[RunContext]) -> dict[str, Any]:
    """Request test files for the stored spec and stage them. A spec without cases ends the step: nothing to test.

    Raises:
        SchemaValidationError: the hydrated spec breaks the writer's input schema.
        AgentUnreachable, ToolFailure.
    """
    if not (state["spec_json"] or {}).get("cases"):
        return {"phase": "complete", "exit_reason": str(StepExit.NOTHING_TO_TEST)}
    inputs = await writer_inputs(state, runtime)
    # Where the spec's model failed, the engine's suite is written by the engine, too.
    constraints = WITHOUT_MODEL if is_the_engines(runtime, state["spec_json"] or {}) else None
    response, files, update = await answered(state, runtime, "writer", "generate_code", inputs, constraints)
    if update.get("phase") == "error" and state["kept"]:
        return keep_earlier_tests(state, update)
    return update if files is None else {**update, **await stage_answer(state, files, response, runtime)}
