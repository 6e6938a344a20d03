"""Node `refine_code`: the writing agent mends its files, told of every error (T-07)."""

from __future__ import annotations

from typing import Any

from langgraph.runtime import Runtime

from ...agent_calls import ask_role
from ...context import RunContext
from ...node import reported
from ..answers import answer_update, given_up
from ..boundary import writer_inputs
from ..pruning import earlier_dropped
from ..restoring import restored
from ..staging import left_out, main_file, read_staged, stage
from ..state import TestingAgentState


@reported
async def refine_code(state: TestingAgentState, runtime: Runtime[RunContext]) -> dict[str, Any]:
    """Ask again with the previous files and ALL of their errors; one more `code_attempts`.

    An answer that cannot be read leaves the previous files staged. Raises AgentUnreachable, ToolFailure.
    """
    previous = await read_staged(state["generated_files"], runtime)
    response = await ask_role(
        runtime,
        "writer",
        goal=state["user_request"],
        task="refine_code",
        inputs=await writer_inputs(
            state, runtime, previous_files=previous, errors=state["code_errors"], attempt=state["code_attempts"] + 2
        ),
        step_id=state["step_id"],
    )
    files, update = answer_update(response, "writer", "files")
    if update.get("phase") == "error" and state["kept"]:
        return {**given_up(update), "generated_files": await restored(state, runtime)}
    counted = {**update, "code_attempts": state["code_attempts"] + 1}
    if files is None:
        return counted
    paths = await stage(files, runtime)
    return {
        **counted,
        "generated_files": paths,
        "generated_code_path": main_file(paths, state["test_path"]),
        "dropped": earlier_dropped(state) + left_out(response.metadata.get("not_written") or []),
    }
