"""What the spec agent is given, in the form of its input contract."""

from __future__ import annotations

from typing import Any

from langgraph.runtime import Runtime

from ...agents.contract.protocol import JsonObject
from ...core.errors import TestwrightError
from ..context import RunContext, services_of
from .state import TestingAgentState

EXPLORING_SHARE = 0.6
"""Which part of a step's time exploring may take: writing, running and judging its tests needs the rest."""


def spec_inputs(state: TestingAgentState, runtime: Runtime[RunContext], **more: Any) -> JsonObject:
    """The spec agent's inputs; `more` is what a refinement adds. Raises TestwrightError before a schema is chosen."""
    schema = state["selected_schema"]
    if schema is None:
        raise TestwrightError("a spec was asked for before its schema was chosen")
    inputs: JsonObject = {
        "run_id": runtime.context.run_id,
        "user_request": state["user_request"],
        "test_type": state["test_type"],
        "target": state["target_info"],
        "framework": state["framework"],
        "schema": services_of(runtime).load_schema(schema),
        "codebase_context": state["codebase_context"],
        "ast_analysis": state["ast_analysis"],
    }
    if state["openapi"] is not None:
        inputs["openapi"] = state["openapi"]
    return {**inputs, **more}


def spec_constraints(runtime: Runtime[RunContext]) -> JsonObject | None:
    """How many `seconds` a first spec may take, so that what it specifies can still be run before the ceiling on time.

    None without such a ceiling (B-08).
    """
    budget = services_of(runtime).budget
    left = budget.seconds_left if budget is not None else None
    return None if left is None else {"seconds": round(left * runtime.context.step_share * EXPLORING_SHARE, 3)}
