"""Steps of the three repository agents: crawl a repository, write test cases, engineer tests.

Between them only validated artifacts cross: a step loads its upstream's artifact by id, and what it asks its
agent with is the hydration envelope.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from langgraph.runtime import Runtime

from ...agents.contract.handoff import Producer, hydrate, persist_output
from ...agents.contract.protocol import AgentResponse, JsonObject
from ...agents.guardrails.confined_files import confine_files
from ...core.errors import SchemaValidationError
from ...core.outcome import StepExit
from ...core.usage import usage_of
from ...utils.canonical import pretty_json
from ...utils.names.counted import counted
from ..context import GraphServices, RunContext
from ..execution_graph.staging import staged
from ..faults import agent_fault, fault_of
from ..node import call_agent
from .planning_state import PlanningAgentState, PlanStepState
from .steps import StepOutcome, failed

_RECORDED = ("prompt_version", "model")
_MOST_NOT_READ = 50


@dataclass(frozen=True, slots=True)
class _Stage:
    """One of the three repository agents.

    Attributes:
        role: in `GraphServices.agents`.
        agent: its name in contracts and artifacts.
        file: where its result is written, in the run's folder.
        upstream: the step type whose artifact is its input; None for the first.
    """

    role: str
    agent: str
    file: str
    upstream: str | None = None

    def schema(self, side: str) -> str:
        """Return the path of its input or output schema."""
        return f"schemas/{self.agent}/{side}.json"


STAGES = {
    "crawl_repository": _Stage("crawler", "repo_crawler", "repository.json"),
    "write_test_cases": _Stage("case", "test_case_generator", "test-cases.json", "crawl_repository"),
    "engineer_tests": _Stage("engineer", "test_engineer", "engineered.json", "write_test_cases"),
}


async def run_repository_step(
    step: PlanStepState, state: PlanningAgentState, context: RunContext, services: GraphServices
) -> StepOutcome:
    """Call the step's agent, store its result as an artifact and as a file of the run, and stage test files.

    Raises:
        ToolFailure: the repository cannot be listed, or a file of the run cannot be written.
        AgentUnreachable: the agent could not be reached; the step may be tried again.
    """
    stage = STAGES[step["type"]]
    inputs = await _inputs(stage, step, state, context, services)
    runtime = Runtime(context=context)
    response = await call_agent(state, runtime, stage.role, step["type"], inputs, step_id=step["id"])
    usage = usage_of(response.metadata)
    result = response.result if not response.is_error() else None
    if not isinstance(result, dict):
        fault = agent_fault(response.error, stage.role, response)
        return failed(fault, {"not_written": _not_written(response)}, usage)
    try:
        if stage.agent == "test_engineer":
            result = {**result, "files": confine_files(result["files"], str(result["framework"]))}
        artifact_id = await asyncio.to_thread(_persisted, stage, result, response, context, services)
    except SchemaValidationError as error:
        return failed(fault_of(error), usage=usage)
    await services.tools.call("write_file", {"path": stage.file, "contents": pretty_json(result)})
    for file in result.get("files") or () if stage.agent == "test_engineer" else ():
        await services.tools.call("write_file", {"path": staged(file["path"]), "contents": file["contents"]})
    summary = {**_summary(stage, result), "not_written": _not_written(response), "left_out": _left_out(response)}
    outcome = {"artifact_id": artifact_id, "kind": f"{stage.agent}_output", "file": stage.file, **summary}
    return StepOutcome("completed", StepExit.COMPLETED, outcome, usage=usage)


def staged_by_engineer(plan: Sequence[PlanStepState]) -> list[str]:
    """Paths in the project of the test files that completed engineer steps staged, in plan order."""
    completed = [step for step in plan if step["type"] == "engineer_tests" and step["status"] == "completed"]
    return [str(path) for step in completed for path in (step["result"] or {}).get("staged") or ()]


async def _inputs(
    stage: _Stage, step: PlanStepState, state: PlanningAgentState, context: RunContext, services: GraphServices
) -> JsonObject:
    params = step["params"]
    if stage.upstream is None:
        ref = {"ref": params["ref"]} if params.get("ref") else {}
        tree = await services.tools.call("repo.tree", ref)
        return {
            "run_id": context.run_id,
            "repo_full_name": tree["repo_full_name"],
            "ref": tree["ref"],
            "depth_level": params["depth_level"],
        }
    upstream = _upstream_artifact(step, state, stage.upstream)
    if stage.agent == "test_case_generator":
        parameters = {"depth_level": params.get("depth_level")}
    else:
        parameters = {"target_framework": params.get("framework")}
    return await asyncio.to_thread(
        hydrate,
        services.artifacts,
        context.run_id,
        upstream,
        schema=stage.schema("input"),
        parameters=parameters,
        validate=services.validate,
    )


def _upstream_artifact(step: PlanStepState, state: PlanningAgentState, wanted: str) -> str:
    """Return the artifact id of the dependency with the wanted step type."""
    before = step["params"].get("depends_on") or ()
    for other in state["plan"]:
        found = (other["result"] or {}).get("artifact_id")
        if other["id"] in before and other["type"] == wanted and isinstance(found, str):
            return found
    raise SchemaValidationError(
        f"{step['id']} depends on no completed {wanted} step",
        advice=f"List a {wanted} step in its depends_on.",
        details={"errors": []},
    )


def _persisted(
    stage: _Stage, result: JsonObject, response: AgentResponse, context: RunContext, services: GraphServices
) -> str:
    meta = {key: response.metadata[key] for key in _RECORDED if response.metadata.get(key)}
    producer = Producer(stage.agent, stage.schema("output"))
    return persist_output(services.artifacts, context.run_id, producer, result, meta=meta, validate=services.validate)


def _summary(stage: _Stage, result: Mapping[str, Any]) -> JsonObject:
    """Summarise a result for the plan's state; the whole is the artifact."""
    if stage.agent == "repo_crawler":
        stack = result["detected_stack"]
        return {
            "repo_full_name": result["repo_full_name"],
            "ref": result["ref"],
            "file_count": len(result["file_tree"]),
            "entry_points": len(result["entry_points"]),
            "runtime": str(stack.get("runtime") or ""),
            "frameworks": [str(name) for name in stack.get("frameworks") or ()][:20],
            "cache_hits": result["cache_hits"],
        }
    if stage.agent == "test_case_generator":
        return {"cases": len(result["test_cases"]), "coverage_notes": result["coverage_notes"][:4000]}
    return {"staged": [file["path"] for file in result["files"]], "framework_used": result["framework"]}


def _not_written(response: AgentResponse) -> list[JsonObject]:
    found = response.metadata.get("not_written")
    return [dict(row) for row in found][:200] if isinstance(found, list) else []


def _left_out(response: AgentResponse) -> list[JsonObject]:
    """Files of the repository that the crawler did not read or list, as rows of the report's `skipped`."""
    found = response.metadata.get("not_read")
    rows = [row for row in found if isinstance(row, Mapping)] if isinstance(found, list) else []
    shown: list[JsonObject] = []
    if response.metadata.get("truncated") is True:
        shown.append({"target": "further files", "reason": "the repository has more files than are listed"})
    shown += [{"target": str(row.get("path")), "reason": str(row.get("reason"))} for row in rows[:_MOST_NOT_READ]]
    if len(rows) > _MOST_NOT_READ:
        more = counted(len(rows) - _MOST_NOT_READ, "more file")
        shown.append({"target": more, "reason": "not read, for reasons like those above"})
    return shown
