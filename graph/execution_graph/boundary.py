"""The testing graph's two boundaries: the spec goes from spec agent to writer, the files from writer to the tools."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
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


async def writer_inputs(state: TestingAgentState, runtime: Runtime[RunContext], **more: Any) -> JsonObject:
    """The hydrated spec with the writer's parameters; `more` is what a refinement adds beside the envelope.

    Raises:
        SchemaValidationError: the hand-over breaks the writer's input contract; the step ends.
    """
    artifact_id = state["spec_artifact_id"]
    if artifact_id is None:
        raise TestwrightError("code was asked for before a spec was accepted")
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
    return {**envelope, **more}


async def accepted_files(state: TestingAgentState, runtime: Runtime[RunContext]) -> list[Mapping[str, str]]:
    """The files the writer made, `{path, contents}` each, from the store. Raises StorageError."""
    artifact_id = state["code_artifact_id"]
    if artifact_id is None:
        raise TestwrightError("the test files were asked for before they were accepted")
    artifact = await asyncio.to_thread(services_of(runtime).artifacts.get, artifact_id)
    return artifact.payload["files"]
