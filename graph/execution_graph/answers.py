"""What an agent's answer does to the testing graph's state, the same for generating and refining."""

from __future__ import annotations

from typing import Any

from ...agents.contract.protocol import AgentResponse, JsonObject
from ...core.outcome import StepExit
from ...core.usage import usage_of
from ..faults import agent_fault
from .state import TestingAgentState

Update = dict[str, Any]


def answer_update(response: AgentResponse, role: str, key: str) -> tuple[Any, Update]:
    """What is under `key` of the answer (None when there is nothing usable), and the update that goes with it.

    An answer that could not be read or used (MalformedLlmOutput, or an error whose details have `answer_errors`) is an
    attempt that failed: it becomes `answer_errors`, which validation reports like any other error. Every other failure
    of an agent ends the step.

    Raises:
        AgentUnreachable: the way to the agent failed; the step may be tried again.
    """
    used: Update = {**asked_with(response, role), "answer_errors": []}
    result = response.result
    if (response.is_success() or response.is_partial()) and isinstance(result, dict) and result.get(key):
        warning = response.error.message if response.error else ""
        return result[key], {**used, "warnings": [f"{role}: {warning}"]} if warning else used
    if response.is_success():
        return None, {**used, "answer_errors": [_unread(f"the answer has no {key!r}")]}
    error = response.error
    if error is not None and (error.details or {}).get("error") == "MalformedLlmOutput":
        return None, {**used, "answer_errors": [_unread(error.message)]}
    problems = (error.details or {}).get("answer_errors") if error is not None else None
    if isinstance(problems, list) and problems:
        return None, {**used, "answer_errors": [dict(one) for one in problems]}
    fault = agent_fault(error, role, response)
    return None, {**used, "phase": "error", "exit_reason": str(fault.exit_reason), "failure": fault.to_dict()}


def asked_with(response: AgentResponse, role: str) -> Update:
    """What an answer took, and the version of the prompt it answers, if a model was asked."""
    version = response.metadata.get("prompt_version")
    return {"usage": usage_of(response.metadata), **({"prompt_versions": {role: str(version)}} if version else {})}


def given_up(update: Update) -> Update:
    """A refinement that failed after tests were kept: the step ends with them, and a warning says what was lost."""
    failure = update.get("failure") or {}
    lost = f"wrong expectations were not refined: {failure.get('message') or 'the spec was not valid'}"
    ended = {"failure": None, "phase": "complete", "exit_reason": str(StepExit.COMPLETED), "should_retry": False}
    return {**update, **ended, "warnings": [*update.get("warnings", []), lost]}


def made_with(state: TestingAgentState, role: str) -> JsonObject:
    """What is recorded with an artifact of a role beside its sanitizer: a prompt's version."""
    version = (state.get("prompt_versions") or {}).get(role)
    return {"prompt_version": version} if version else {}


def _unread(message: str) -> JsonObject:
    return {
        "path": "$",
        "message": message,
        "severity": "error",
        "suggestion": "answer with one JSON object in the asked form",
        "type": "structure",
        "line": 0,
    }
