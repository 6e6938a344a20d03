"""Node `generate_code`: the writing agent turns the accepted spec into test files."""

from __future__ import annotations

from typing import Any

from langgraph.runtime import Runtime

from ....core.outcome import StepExit
from ...context import RunContext
from ...node import call_agent, reported_node
from ..agent_inputs import writer_inputs
from ..answers import answer_update, keep_earlier_tests
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
    response = await call_agent(state, runtime, "writer", "generate_code", await writer_inputs(state, runtime))
    files, update = answer_update(response, "writer", "files")
    if update.get("phase") == "error" and state["kept"]:
        return keep_earlier_tests(update)
    return update if files is None else {**update, **await stage_answer(state, files, response, runtime)}
