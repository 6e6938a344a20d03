"""Node `validate_code`: the tool `validate_test_code` checks the staged files; valid ones become an artifact."""

from __future__ import annotations

import asyncio
from typing import Any, cast

from langgraph.runtime import Runtime

from ....core.events import EventType
from ....core.outcome import StepExit
from ...context import RunContext, services_of
from ...node import all_or_first_error, reported_node
from ..agent_inputs import CODE_PRODUCER, writer_inputs
from ..answers import keep_earlier_tests, store_output
from ..floor import first_reason, has_model, without_model
from ..staging import dropped_ids, read_staged, restore_kept, stage_answer
from ..state import TestingAgentState


@reported_node
async def validate_code(state: TestingAgentState, runtime: Runtime[RunContext]) -> dict[str, Any]:
    """Collect every error: syntax, lint and structure, with line and suggestion.

    The test file is checked completely, its helpers (a conftest, a page object) for syntax and lint. When the
    refinements are used up, spec and files stay as the partial result; the files are not accepted. Tests that are kept
    already stay kept.

    Raises:
        ToolFailure: the tool failed.
    """
    if state["answer_errors"]:
        result = _invalid(state["answer_errors"])
    elif not state["generated_code_path"]:
        result = _invalid([{"type": "structure", "line": 0, "message": "there is no test file", "suggestion": ""}])
    else:
        result = await _validated(state, runtime)
    update: dict[str, Any] = {"code_validation_result": result, "code_errors": result.get("errors") or []}
    if result["valid"]:
        return {**update, **await _accept(state, runtime)}
    if state["code_attempts"] < state["max_retries"]:
        return {**update, "should_retry": True}
    if state["kept"]:
        return {**keep_earlier_tests(state, update), "generated_files": await restore_kept(state, runtime)}
    if has_model(runtime, "writer"):
        return await _engine_code(state, runtime, update)
    return {**update, "should_retry": False, "phase": "error", "exit_reason": str(StepExit.CODE_EXHAUSTED)}


async def _engine_code(
    state: TestingAgentState, runtime: Runtime[RunContext], refused: dict[str, Any]
) -> dict[str, Any]:
    """The engine's file for the accepted spec where the model's is still not valid and no refinement is left."""
    reason = first_reason(refused["code_errors"])
    inputs = await writer_inputs(state, runtime)
    response, files, update = await without_model(state, runtime, "writer", "generate_code", inputs, reason)
    result: dict[str, Any] = {"valid": False}
    if files is not None:
        update |= await stage_answer(state, files, response, runtime)
        changed = cast(TestingAgentState, {**state, **update, "warnings": state["warnings"]})
        result = await _validated(changed, runtime)
        update |= {"code_validation_result": result, "code_errors": result.get("errors") or []}
        if result["valid"]:
            return {**refused, **update, **await _accept(changed, runtime)}
    ended = {"should_retry": False, "phase": "error", "exit_reason": str(StepExit.CODE_EXHAUSTED)}
    return {**refused, **update, **ended}


async def _validated(state: TestingAgentState, runtime: Runtime[RunContext]) -> dict[str, Any]:
    """Merge the results of all files: valid when each is, errors of all, with `path` for those of helpers."""
    tools = services_of(runtime).tools
    main = state["generated_code_path"]

    async def check(path: str) -> dict[str, Any]:
        arguments = {"code_path": path, "framework": state["framework"], "check_structure": path == main}
        result = await tools.call("validate_test_code", arguments)
        errors = result.get("errors") or []
        return result if path == main else {**result, "errors": [{**error, "path": path} for error in errors]}

    helpers = [path for path in state["generated_files"] if path != main]
    checks = [check(path) for path in [str(main), *helpers]]
    results = all_or_first_error(await asyncio.gather(*checks, return_exceptions=True))
    verdicts = ("valid", "syntax_valid", "lint_passed", "structure_valid")
    merged = {key: all(result.get(key, True) for result in results) for key in verdicts}
    return {**results[0], **merged, "errors": [error for result in results for error in result.get("errors") or []]}


async def _accept(state: TestingAgentState, runtime: Runtime[RunContext]) -> dict[str, Any]:
    services = services_of(runtime)
    files = await read_staged(state["generated_files"], runtime)
    artifact_id = await store_output(state, runtime, CODE_PRODUCER, {"files": files})
    services.emit(
        EventType.CODE_WRITTEN,
        f"{state['test_path']} is written",
        state["step_id"] or None,
        path=state["test_path"],
        attempts=state["code_attempts"] + 1,
    )
    gone = set(dropped_ids(state["dropped"]))
    kept = [case["id"] for case in (state["spec_json"] or {}).get("cases") or [] if case["id"] not in gone]
    return {"should_retry": False, "phase": "execution", "code_artifact_id": artifact_id, "kept": kept}


def _invalid(errors: list[dict[str, Any]]) -> dict[str, Any]:
    return {"valid": False, "syntax_valid": False, "lint_passed": False, "structure_valid": False, "errors": errors}
