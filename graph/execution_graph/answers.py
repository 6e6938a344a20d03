"""Converts agents' answers into updates of the testing graph's state, the same for generation and refinement."""

from __future__ import annotations

import asyncio
from typing import Any

from langgraph.runtime import Runtime

from ...agents.contract.handoff import Producer, persist_output
from ...agents.contract.protocol import AgentResponse, JsonObject
from ...core.outcome import StepExit
from ...core.usage import usage_of
from ..context import RunContext, services_of
from ..faults import agent_fault
from .state import TestingAgentState

Update = dict[str, Any]


def answer_update(response: AgentResponse, role: str, key: str) -> tuple[Any, Update]:
    """Return the value under `key` of the answer (None when it is unusable) and the state update.

    An answer that could not be read or used (MalformedLlmOutput, or an error whose details have `answer_errors`) counts
    as a failed attempt: it becomes `answer_errors`, which validation reports like any other error. Every other failure
    of an agent ends the step.

    Raises:
        AgentUnreachable: the agent could not be reached; the step may be tried again.
    """
    used: Update = {**usage_update(response, role), "answer_errors": []}
    result = response.result
    if (response.is_success() or response.is_partial()) and isinstance(result, dict) and result.get(key):
        warning = response.error.message if response.error else ""
        return result[key], {**used, "warnings": [f"{role}: {warning}"]} if warning else used
    if response.is_success():
        return None, {**used, "answer_errors": [_unreadable(f"the answer has no {key!r}")]}
    error = response.error
    if error is not None and (error.details or {}).get("error") == "MalformedLlmOutput":
        return None, {**used, "answer_errors": [_unreadable(error.message)]}
    problems = (error.details or {}).get("answer_errors") if error is not None else None
    if isinstance(problems, list) and problems:
        return None, {**used, "answer_errors": [dict(problem) for problem in problems]}
    fault = agent_fault(error, role, response)
    return None, {**used, "phase": "error", "exit_reason": str(fault.exit_reason), "failure": fault.to_dict()}


def usage_update(response: AgentResponse, role: str) -> Update:
    """The update with an answer's usage and, if a model was asked, the version of its prompt."""
    version = response.metadata.get("prompt_version")
    return {"usage": usage_of(response.metadata), **({"prompt_versions": {role: str(version)}} if version else {})}


def keep_earlier_tests(state: TestingAgentState, update: Update) -> Update:
    """Go on with the tests that were kept before a later round failed; a warning says what was lost.

    Where they were not analysed yet (the round asked for what they leave open) they are next, else the step ends.
    """
    waiting = state["analyze"] and state["analysis"] is None
    failure = update.get("failure") or {}
    invalid = "the test file was not valid" if "code_errors" in update else "the spec was not valid"
    lost = "what the tests leave open was not tested" if waiting else "wrong expectations were not refined"
    ended: Update = {"phase": "execution", "exit_reason": None} if waiting else ended_with(kept=True)
    warnings = [*update.get("warnings", []), f"{lost}: {failure.get('message') or invalid}"]
    return {**update, "failure": None, "answer_errors": [], "should_retry": False, **ended, "warnings": warnings}


def ended_with(*, kept: bool) -> Update:
    """The update that ends the graph, completed if any test was kept."""
    return {"phase": "complete", "exit_reason": str(StepExit.COMPLETED if kept else StepExit.NOTHING_KEPT)}


async def store_output(
    state: TestingAgentState, runtime: Runtime[RunContext], producer: Producer, payload: JsonObject
) -> str:
    """Store an output that a tool has just validated in full, with its prompt's version. Returns the artifact's id.

    Raises:
        StorageError: it could not be stored.
    """
    version = (state.get("prompt_versions") or {}).get(producer.agent)
    meta = {"prompt_version": version} if version else {}
    artifacts, run_id = services_of(runtime).artifacts, runtime.context.run_id
    return await asyncio.to_thread(persist_output, artifacts, run_id, producer, payload, meta=meta, validate=None)


def _unreadable(message: str) -> JsonObject:
    return {
        "path": "$",
        "message": message,
        "severity": "error",
        "suggestion": "answer with one JSON object in the asked form",
        "type": "structure",
        "line": 0,
    }
