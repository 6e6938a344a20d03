"""Routes the testing graph. Names and return values of the two loop routers are part of the public graph."""

from __future__ import annotations

from typing import Any, Literal

from .state import TestingAgentState


async def should_retry_spec(state: TestingAgentState) -> Literal["proceed_to_code", "refine_spec", "error"]:
    """Check if spec validation failed and retries are available."""
    if _valid(state["spec_validation_result"]):
        return "proceed_to_code"
    if state["spec_attempts"] < state["max_retries"]:
        return "refine_spec"
    return "error"


async def should_retry_code(state: TestingAgentState) -> Literal["proceed_to_execution", "refine_code", "error"]:
    """Check if code validation failed and retries are available."""
    if _valid(state["code_validation_result"]):
        return "proceed_to_execution"
    if state["code_attempts"] < state["max_retries"]:
        return "refine_code"
    return "error"


async def should_continue(state: TestingAgentState) -> Literal["continue", "end"]:
    """Continue unless the last node ended the graph; an agent that failed ends it without another loop."""
    return "end" if state["phase"] in ("complete", "error") else "continue"


async def after_analysis(state: TestingAgentState) -> Literal["refine_spec", "end"]:
    """Refine the spec when an expectation turned out to be wrong; else end the graph."""
    return "refine_spec" if state["phase"] == "spec_generation" else "end"


def _valid(result: dict[str, Any] | None) -> bool:
    return bool(result and result["valid"])
