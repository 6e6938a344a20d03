"""Node `refine_code`: the writing agent corrects its files, given every error."""

from __future__ import annotations

from typing import Any

from langgraph.runtime import Runtime

from ...context import RunContext
from ...node import call_agent, reported_node
from ..agent_inputs import writer_inputs
from ..answers import answer_update, keep_earlier_tests
from ..staging import read_staged, restore_kept, stage_answer
from ..state import TestingAgentState


@reported_node
async def refine_code(state: TestingAgentState, runtime: Runtime[RunContext]) -> dict[str, Any]:
    """Request the files again with the previous ones and ALL of their errors; one more `code_attempts`.

    An answer that cannot be read leaves the previous files staged. Raises AgentUnreachable, ToolFailure.
    """
    previous, attempt = await read_staged(state["generated_files"], runtime), state["code_attempts"] + 2
    inputs = await writer_inputs(state, runtime, previous_files=previous, errors=state["code_errors"], attempt=attempt)
    response = await call_agent(state, runtime, "writer", "refine_code", inputs)
    files, update = answer_update(response, "writer", "files")
    if update.get("phase") == "error" and state["kept"]:
        return {**keep_earlier_tests(state, update), "generated_files": await restore_kept(state, runtime)}
    counted = {**update, "code_attempts": state["code_attempts"] + 1}
    return counted if files is None else {**counted, **await stage_answer(state, files, response, runtime)}
