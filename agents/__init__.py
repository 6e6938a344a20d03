"""Agents: what plans, specifies, writes and analyses tests, and what steers a run, with or without a language model.

Public: what an agent of one's own needs, imported on first use (PEP 562); docs/agents.md builds one.

`contract/` is what every agent has in common, `control/` how agents that steer a run are read, `embedded/` has the
agents without a model, `llm/` those with one, `model/` calls the model's endpoint, `guardrails/` limits what
model-written code may do, `prompts/` has the prompts. It must not import `app`, `cli`, `graph`, `mcp` or `analysis`.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .contract.compliance import COMPLIANCE, Candidate, NotCompliant
    from .contract.function_agent import FunctionAgent
    from .contract.lifecycle import Agent, AgentContract
    from .contract.protocol import (
        AgentError,
        AgentProtocol,
        AgentRequest,
        AgentResponse,
        ErrorType,
        RequestMetadata,
        ResponseStatus,
        error_response,
        partial_response,
        success_response,
        validate_request,
        validate_response,
    )
    from .control.flags import FlagCheckResult, check_flags, flags

__all__ = [
    "COMPLIANCE",
    "Agent",
    "AgentContract",
    "AgentError",
    "AgentProtocol",
    "AgentRequest",
    "AgentResponse",
    "Candidate",
    "ErrorType",
    "FlagCheckResult",
    "FunctionAgent",
    "NotCompliant",
    "RequestMetadata",
    "ResponseStatus",
    "check_flags",
    "error_response",
    "flags",
    "partial_response",
    "success_response",
    "validate_request",
    "validate_response",
]

_HOME = {
    **dict.fromkeys(("COMPLIANCE", "Candidate", "NotCompliant"), "contract.compliance"),
    "FunctionAgent": "contract.function_agent",
    **dict.fromkeys(("Agent", "AgentContract"), "contract.lifecycle"),
    **dict.fromkeys(("FlagCheckResult", "check_flags", "flags"), "control.flags"),
}


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f".{_HOME.get(name, 'contract.protocol')}", __name__), name)


def __dir__() -> list[str]:
    return sorted([*globals(), *__all__])
