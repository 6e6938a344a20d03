"""A generate step: one testing graph for one target, on a checkpoint thread of its own (T-03, B-08)."""

from __future__ import annotations

import contextlib
from collections.abc import Mapping
from typing import Any, cast

from langchain_core.runnables import RunnableConfig
from langgraph.graph.state import CompiledStateGraph

from ...core.errors import ToolFailure
from ...core.outcome import StepExit
from ...core.usage import NOTHING_USED
from ..context import GraphServices, RunContext
from ..execution_graph.graph import RECURSION_LIMIT, build_testing_graph, transient_retries
from ..execution_graph.state import TestingAgentState, TestType, new_testing_state
from ..faults import Fault
from ..isolation import isolated, run_graph
from ..state_version import require_version
from .plan_check import depends_on
from .planning_state import PlanningAgentState, PlanStep
from .step_outcome import StepOutcome
from .step_types import planned_test_type

TestingGraph = CompiledStateGraph[TestingAgentState, RunContext, Any, Any]

_RESULT_FIELDS = (
    "target_info",
    "framework",
    "spec_json",
    "spec_path",
    "test_path",
    "generated_code_path",
    "generated_files",
    "spec_artifact_id",
    "code_artifact_id",
    "target_digest",
    "spec_attempts",
    "code_attempts",
    "executed",
    "kept",
    "dropped",
    "test_results",
    "analysis",
    "findings",
    "suspected_defects",
    "warnings",
    "failure",
)
_WHY = {
    StepExit.SPEC_EXHAUSTED: "the spec was still not valid after {spec_attempts} refinements",
    StepExit.CODE_EXHAUSTED: "the test code was still not valid after {code_attempts} refinements",
    StepExit.NOTHING_KEPT: "no test was kept",
    StepExit.NOTHING_TO_TEST: "nothing to test was found",
}


def thread_id(context: RunContext, step_id: str) -> str:
    """The checkpoint thread of a step's testing graph."""
    return f"{context.run_id}:{step_id}"


def thread_of(context: RunContext, step_id: str) -> RunnableConfig:
    """Where a step's testing graph keeps its checkpoints, and how far it may go."""
    return {"configurable": {"thread_id": thread_id(context, step_id)}, "recursion_limit": RECURSION_LIMIT}


async def run_generate_step(
    step: PlanStep, state: PlanningAgentState, context: RunContext, services: GraphServices
) -> StepOutcome:
    """Run the step's testing graph, or go on with the one that a fault or a crash interrupted.

    Nodes that finished are not executed again, and a graph that finished is only read. When the target's file is not
    the one that the checkpoint is about, the graph starts from the beginning.

    Raises:
        What a node raises once its retries are used up; the checkpoint stays, so calling again goes on from there.
        StateVersionError: the checkpoint is of another version.
    """
    retry = transient_retries(services.node_attempts, services.node_wait)
    graph = build_testing_graph(services.checkpointer, retry=retry)
    config = thread_of(context, step["id"])
    values = await _begun(graph, thread_id(context, step["id"]), services)
    if values is None:
        values = await run_graph(graph, beginning_of_step(step, state), config, context)
    elif values.get("exit_reason") is None:
        values = await run_graph(graph, None, config, context)
    await _tidied(thread_id(context, step["id"]), services)
    return outcome_of(cast(TestingAgentState, values))


async def _tidied(thread: str, services: GraphServices) -> None:
    """Keep only the last checkpoint of a finished graph: a hundred targets would fill the disk with the others."""
    if services.checkpointer is not None:
        with contextlib.suppress(NotImplementedError):  # pruning is optional for a saver
            await services.checkpointer.aprune([thread])


async def reached(
    step: PlanStep, context: RunContext, services: GraphServices
) -> tuple[dict[str, Any], str | None] | None:
    """How far an interrupted testing graph came: its state, and the node that is next.

    None when it had not begun, or nothing was kept of it.
    """
    if services.checkpointer is None:
        return None
    graph = build_testing_graph(services.checkpointer)
    snapshot = await isolated(lambda: graph.aget_state(thread_of(context, step["id"])))
    return (snapshot.values, next(iter(snapshot.next), None)) if snapshot.values else None


async def partial_result(step: PlanStep, context: RunContext, services: GraphServices) -> StepOutcome | None:
    """What an interrupted testing graph had reached, or None when it had not begun or nothing was kept of it."""
    found = await reached(step, context, services)
    if found is None:
        return None
    values, _ = found
    return StepOutcome("failed", StepExit.DEFECT, step_result(values), usage=values.get("usage", NOTHING_USED))


def outcome_of(values: TestingAgentState) -> StepOutcome:
    """How a finished testing graph ends its step."""
    exit_reason = StepExit(values["exit_reason"] or StepExit.DEFECT)
    failure = values["failure"]
    status = {StepExit.COMPLETED: "completed", StepExit.NOTHING_TO_TEST: "skipped"}.get(exit_reason, "failed")
    message = failure["message"] if failure else _why(exit_reason, values)
    fault = None
    if failure:
        details = {key: value for key, value in failure.items() if key not in ("exit_reason", "message", "ends_run")}
        fault = Fault(exit_reason, message, ends_run=failure["ends_run"], details=details)
    return StepOutcome(cast(Any, status), exit_reason, step_result(values), message, values["usage"], fault)


def _why(exit_reason: StepExit, values: TestingAgentState) -> str:
    """Why a step without a fault is not completed, with what stood in the way of the first symbol that got no test."""
    unreached = (values["spec_json"] or {}).get("not_reached") or []
    if exit_reason is StepExit.NOTHING_TO_TEST and unreached:
        others = f", and {len(unreached) - 1} more like it" if len(unreached) > 1 else ""
        return f"no test could be made: {unreached[0].get('subject')} {unreached[0].get('reason')}{others}"
    return _WHY.get(exit_reason, "").format(**values)


def step_result(values: Mapping[str, Any]) -> dict[str, Any]:
    """What a step hands to the steps after it and to the report; only a completed one has kept or staged anything."""
    result = {key: values.get(key) for key in _RESULT_FIELDS}
    for key in ("spec_errors", "code_errors"):
        if values.get(key):
            result[key] = values[key]
    if values.get("exit_reason") != StepExit.COMPLETED:
        unaccepted = values.get("generated_files") or []
        result |= {"kept": [], "generated_files": [], "generated_code_path": None, "unaccepted_files": unaccepted}
    return {"target": values.get("target"), **result}


def beginning_of_step(step: PlanStep, state: PlanningAgentState) -> TestingAgentState:
    """The state a step's testing graph begins with."""
    params = step["params"]
    return new_testing_state(
        user_request=state["user_request"],
        test_type=cast(TestType, params.get("test_type") or planned_test_type(step["type"])),
        target=params["target"],
        framework=params["framework"],
        spec_path=params["spec_path"],
        test_path=params["test_path"],
        step_id=step["id"],
        run=state["run"],
        analyze=state["analyze"],
        max_retries=state["max_retries"],
        codebase_context=_shared_context(step, state),
    )


def _shared_context(step: PlanStep, state: PlanningAgentState) -> dict[str, Any] | None:
    """What a step before this one looked up for all that come after it; None without one, or when it failed."""
    before = set(depends_on(step))
    for one in state["plan"]:
        if one["id"] in before and one["type"] == "retrieve_context" and one["status"] == "completed":
            return one["result"]
    return None


async def _begun(graph: TestingGraph, thread: str, services: GraphServices) -> dict[str, Any] | None:
    """The state of a testing graph that has begun and whose target is unchanged, or None to begin."""
    if services.checkpointer is None:
        return None
    config: RunnableConfig = {"configurable": {"thread_id": thread}}
    snapshot = await isolated(lambda: graph.aget_state(config))
    if not snapshot.values:
        return None
    require_version(snapshot.values, thread)
    if await target_changed(snapshot.values.get("target_digest"), snapshot.values.get("target_info", {}), services):
        await services.checkpointer.adelete_thread(thread)
        return None
    return snapshot.values


async def target_changed(digest: str | None, target: Mapping[str, Any], services: GraphServices) -> bool:
    """Whether a target's file is another than the one with this digest; a file that is gone has changed."""
    if digest is None or not target.get("path"):
        return False
    try:
        analysis = await services.tools.call("get_ast_analysis", {"file_path": target["path"]})
    except ToolFailure:
        return True
    return analysis.get("digest") != digest
