"""Builds the inputs of spec agent and writer, in the form of their input contracts."""

from __future__ import annotations

import asyncio
from typing import Any

from langgraph.runtime import Runtime

from ...agents.contract.handoff import Producer, hydrate
from ...agents.contract.protocol import JsonObject
from ...core.errors import TestwrightError
from ..context import RunContext, services_of
from .state import TestingAgentState

SPEC_PRODUCER = Producer("spec", "schemas/spec/output.json")
CODE_PRODUCER = Producer("writer", "schemas/writer/output.json")
WRITER_INPUT = "schemas/writer/input.json"

_TOLD = ("codebase_context", "ast_analysis", "checks")

EXPLORATION_SHARE = 0.6
"""Share of a step's time for exploring its target: writing, running and analysing the tests needs the rest."""


def spec_inputs(state: TestingAgentState, runtime: Runtime[RunContext], **more: Any) -> JsonObject:
    """Build the spec agent's inputs; `more` is what a refinement adds. Raises TestwrightError without a schema."""
    schema = state["selected_schema"]
    if schema is None:
        raise TestwrightError("a spec was requested before its schema was selected")
    inputs: JsonObject = {
        "run_id": runtime.context.run_id,
        "user_request": state["user_request"],
        "test_type": state["test_type"],
        "target": state["target_info"],
        "framework": state["framework"],
        "schema": services_of(runtime).load_schema(schema),
        "codebase_context": state["codebase_context"],
        "ast_analysis": state["ast_analysis"],
        "checks": state["checks"],
    }
    if state["openapi"] is not None:
        inputs["openapi"] = state["openapi"]
    evidence = state.get("evidence") or {}
    if evidence.get("report"):
        inputs["evidence"] = evidence
    return {**inputs, **more}


def spec_constraints(runtime: Runtime[RunContext]) -> JsonObject | None:
    """Compute how many `seconds` a first spec may take, so that its tests can still run before the ceiling on time.

    None without such a ceiling.
    """
    budget = services_of(runtime).budget
    left = budget.seconds_left if budget is not None else None
    return None if left is None else {"seconds": round(left * runtime.context.step_share * EXPLORATION_SHARE, 3)}


async def writer_inputs(state: TestingAgentState, runtime: Runtime[RunContext], **more: Any) -> JsonObject:
    """Hydrate the accepted spec with the writer's parameters; `more` is what a refinement adds beside the envelope.

    A model is given what tools say of the target, too.

    Raises:
        SchemaValidationError: spec and parameters break the writer's input schema; the step ends.
    """
    artifact_id = state["spec_artifact_id"]
    if artifact_id is None:
        raise TestwrightError("code was requested before a spec was accepted")
    services = services_of(runtime)
    envelope = await asyncio.to_thread(
        hydrate,
        services.artifacts,
        runtime.context.run_id,
        artifact_id,
        schema=WRITER_INPUT,
        parameters={"framework": state["framework"], "test_path": state["test_path"]},
        validate=services.validate,
    )
    told = {key: state[key] for key in _TOLD} if "writer" in services.model_roles else {}
    return {**envelope, **told, **more}
