"""What an agent's answer does to the testing graph's state, the same for generating and refining."""

from __future__ import annotations

from typing import Any

from ...agents.protocol import AgentResponse, JsonObject
from ..faults import agent_fault
from ..usage import usage_of

Update = dict[str, Any]


def answer_update(response: AgentResponse, role: str, key: str) -> tuple[Any, Update]:
    """What is under `key` of the answer (None when there is nothing usable), and the update that goes with it.

    An answer that could not be read (MalformedLlmOutput) is an attempt that failed: it becomes `answer_errors`, which
    validation reports like any other error. Every other failure of an agent ends the step.

    Raises:
        AgentUnreachable: the way to the agent failed; the step may be tried again.
    """
    used: Update = {"usage": usage_of(response), "answer_errors": []}
    result = response.result
    if (response.is_success() or response.is_partial()) and isinstance(result, dict) and result.get(key):
        warning = response.error.message if response.error else ""
        return result[key], {**used, "warnings": [f"{role}: {warning}"]} if warning else used
    if response.is_success():
        return None, {**used, "answer_errors": [_unread(f"the answer has no {key!r}")]}
    error = response.error
    if error is not None and (error.details or {}).get("error") == "MalformedLlmOutput":
        return None, {**used, "answer_errors": [_unread(error.message)]}
    fault = agent_fault(error, role, response)
    return None, {**used, "phase": "error", "exit_reason": str(fault.exit_reason), "failure": fault.to_dict()}


def _unread(message: str) -> JsonObject:
    return {
        "path": "$",
        "message": message,
        "severity": "error",
        "suggestion": "answer with one JSON object in the asked form",
        "type": "structure",
        "line": 0,
    }
