"""Executes a generate step: one testing graph for one target, on a checkpoint thread of its own."""

from __future__ import annotations

import contextlib
from collections.abc import Mapping
from typing import Any, cast

from langchain_core.runnables import RunnableConfig
from langgraph.graph.state import CompiledStateGraph

from ...core.errors import ToolFailure
from ...core.outcome import StepExit
from ...core.usage import NOTHING_USED
from ...utils.names.counted import counted
from ..context import GraphServices, RunContext, isolated, run_graph
from ..execution_graph.graph import RECURSION_LIMIT, build_testing_graph, retries_of
from ..execution_graph.state import TestingAgentState, TestType, new_testing_state
from ..faults import Fault, fault_from_dict
from ..state_format import require_version
from .planning_state import PlanningAgentState, PlanStepState
from .steps import StepOutcome, depends_on, failed, planned_test_type

# pyrefly: ignore[bad-specialization] - it does not see the keys that the class of a TypedDict has
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
    "evidence",
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
    StepExit.SPEC_EXHAUSTED: "the spec was still not valid after {spec_attempts}",
    StepExit.CODE_EXHAUSTED: "the test code was still not valid after {code_attempts}",
    StepExit.NOTHING_KEPT: "no test was kept",
    StepExit.NOTHING_TO_TEST: "nothing to test was found",
}


def thread_id(context: RunContext, step_id: str) -> str:
    """The checkpoint thread of a step's testing graph."""
    return f"{context.run_id}:{step_id}"


def thread_of(context: RunContext, step_id: str) -> RunnableConfig:
    """The checkpoint thread of a step's testing graph, and its recursion limit."""
    return {"configurable": {"thread_id": thread_id(context, step_id)}, "recursion_limit": RECURSION_LIMIT}


async def run_generate_step(
    step: PlanStepState, state: PlanningAgentState, context: RunContext, services: GraphServices
) -> StepOutcome:
    """Run the step's testing graph, or continue the one that a fault or a crash interrupted.

    Nodes that finished are not executed again, and a graph that finished is only read. When the target's file differs
    from the one that the checkpoint is about, the graph starts from the beginning.

    Raises:
        What a node raises once its retries are used up; the checkpoint stays, so calling again continues from there.
        StateVersionError: the checkpoint is of another version.
    """
    graph = build_testing_graph(services.checkpointer, retry=retries_of(services))
    thread = thread_id(context, step["id"])
    config = thread_of(context, step["id"])
    values = await _checkpointed(graph, thread, services)
    if values is None:
        values = await run_graph(graph, initial_step_state(step, state), config, context)
    elif values.get("exit_reason") is None:
        values = await run_graph(graph, None, config, context)
    if services.checkpointer is not None:
        # Only the last checkpoint of a finished graph is kept: with a hundred targets the others would fill the disk.
        with contextlib.suppress(NotImplementedError):  # pruning is optional for a saver
            await services.checkpointer.aprune([thread])
    return outcome_of(cast(TestingAgentState, values))


async def interrupted_at(
    step: PlanStepState, context: RunContext, services: GraphServices
) -> tuple[dict[str, Any], str | None] | None:
    """The state of an interrupted testing graph and the node that is next; None without a checkpoint."""
    if services.checkpointer is None:
        return None
    graph = build_testing_graph(services.checkpointer)
    snapshot = await isolated(graph.aget_state(thread_of(context, step["id"])))
    return (snapshot.values, next(iter(snapshot.next), None)) if snapshot.values else None


async def failed_step(step: PlanStepState, fault: Fault, context: RunContext, services: GraphServices) -> StepOutcome:
    """The outcome of a generate step that a fault ended, with the partial result in its checkpoint."""
    found = await interrupted_at(step, context, services)
    if found is None:
        return failed(fault)
    values, _ = found
    return failed(fault, step_result(values), values.get("usage", NOTHING_USED))


def outcome_of(values: TestingAgentState) -> StepOutcome:
    """Return the outcome of a step whose testing graph has finished."""
    exit_reason = StepExit(values["exit_reason"] or StepExit.DEFECT)
    failure = values["failure"]
    status = {StepExit.COMPLETED: "completed", StepExit.NOTHING_TO_TEST: "skipped"}.get(exit_reason, "failed")
    message = failure["message"] if failure else _why(exit_reason, values)
    fault = fault_from_dict({**failure, "exit_reason": exit_reason}) if failure else None
    return StepOutcome(cast(Any, status), exit_reason, step_result(values), message, values["usage"], fault)


def _why(exit_reason: StepExit, values: TestingAgentState) -> str:
    """Explain why a step without a fault is not completed, with the reason of the first symbol that got no test."""
    unreached = (values["spec_json"] or {}).get("not_reached") or []
    if exit_reason is StepExit.NOTHING_TO_TEST and unreached:
        others = f", and {len(unreached) - 1} more like it" if len(unreached) > 1 else ""
        return f"no test could be made: {unreached[0].get('subject')}: {unreached[0].get('reason')}{others}"
    made = {name: counted(values[name], "refinement") for name in ("spec_attempts", "code_attempts")}
    return _WHY.get(exit_reason, "").format(**made)


def step_result(values: Mapping[str, Any]) -> dict[str, Any]:
    """Build the result of a step for later steps and the report; only a completed one has kept or staged files."""
    result = {key: values.get(key) for key in _RESULT_FIELDS}
    for key in ("spec_errors", "code_errors"):
        if values.get(key):
            result[key] = values[key]
    if values.get("exit_reason") != StepExit.COMPLETED:
        unaccepted = values.get("generated_files") or []
        result |= {"kept": [], "generated_files": [], "generated_code_path": None, "unaccepted_files": unaccepted}
    return {"target": values.get("target"), **result}


def initial_step_state(step: PlanStepState, state: PlanningAgentState) -> TestingAgentState:
    """Return the initial state of a step's testing graph."""
    params = step["params"]
    not_run = str(params.get("not_run") or "")
    state_of_step = new_testing_state(
        user_request=state["user_request"],
        test_type=cast(TestType, params.get("test_type") or planned_test_type(step["type"])),
        target=params["target"],
        framework=params["framework"],
        spec_path=params["spec_path"],
        test_path=params["test_path"],
        step_id=step["id"],
        run=state["run"] and not not_run,
        analyze=state["analyze"],
        max_retries=state["max_retries"],
        codebase_context=_shared_context(step, state),
    )
    return {**state_of_step, "warnings": [not_run]} if not_run else state_of_step


def _shared_context(step: PlanStepState, state: PlanningAgentState) -> dict[str, Any] | None:
    """Return the context that an earlier step retrieved for all others; None without one, or when it failed."""
    before = set(depends_on(step))
    for other in state["plan"]:
        if other["id"] in before and other["type"] == "retrieve_context" and other["status"] == "completed":
            return other["result"]
    return None


async def _checkpointed(graph: TestingGraph, thread: str, services: GraphServices) -> dict[str, Any] | None:
    """Return the checkpointed state of a testing graph whose target is unchanged; None to start from the beginning."""
    if services.checkpointer is None:
        return None
    config: RunnableConfig = {"configurable": {"thread_id": thread}}
    snapshot = await isolated(graph.aget_state(config))
    if not snapshot.values:
        return None
    require_version(snapshot.values, thread)
    if await target_changed(snapshot.values.get("target_digest"), snapshot.values.get("target_info", {}), services):
        await services.checkpointer.adelete_thread(thread)
        return None
    return snapshot.values


async def target_changed(digest: str | None, target: Mapping[str, Any], services: GraphServices) -> bool:
    """Whether a target's file differs from the one with this digest; a missing file has changed."""
    if digest is None or not target.get("path"):
        return False
    try:
        analysis = await services.tools.call("get_ast_analysis", {"file_path": target["path"]})
    except ToolFailure:
        return True
    return analysis.get("digest") != digest
