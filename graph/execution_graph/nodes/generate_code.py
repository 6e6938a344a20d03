"""Node `generate_code`: the writing agent turns the accepted spec into test files."""

from __future__ import annotations

from typing import Any

from langgraph.runtime import Runtime

from ....core.outcome import StepExit
from ...agent_calls import ask_role
from ...context import RunContext
from ...node import reported
from ..answers import answer_update, given_up
from ..boundary import writer_inputs
from ..pruning import earlier_dropped
from ..staging import left_out, main_file, stage
from ..state import TestingAgentState


@reported
async def generate_code(state: TestingAgentState, runtime: Runtime[RunContext]) -> dict[str, Any]:
    """Hand the stored spec over and stage what comes back. A spec without cases ends the step: nothing to test.

    Raises:
        SchemaValidationError: the hand-over breaks the writer's contract.
        AgentUnreachable, ToolFailure.
    """
    if not (state["spec_json"] or {}).get("cases"):
        return {"phase": "complete", "exit_reason": str(StepExit.NOTHING_TO_TEST)}
    response = await ask_role(
        runtime,
        "writer",
        goal=state["user_request"],
        task="generate_code",
        inputs=await writer_inputs(state, runtime),
        step_id=state["step_id"],
    )
    files, update = answer_update(response, "writer", "files")
    if update.get("phase") == "error" and state["kept"]:
        return given_up(update)
    if files is None:
        return update
    paths = await stage(files, runtime)
    return {
        **update,
        "generated_files": paths,
        "generated_code_path": main_file(paths, state["test_path"]),
        "dropped": earlier_dropped(state) + left_out(response.metadata.get("not_written") or []),
    }
