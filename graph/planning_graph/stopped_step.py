"""Ends a generate step that a ceiling stopped, with the tests that passed already or with the engine's.

What stopped it is no node's result, so the testing graph's checkpoint still stands before the node that was cut off,
and the step can continue there in a later session.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any, cast

from langchain_core.runnables import RunnableConfig
from langgraph.runtime import Runtime

from ...agents.embedded.analyzer_agent import analyse_results
from ...core.errors import StorageError, TestwrightError, ToolFailure
from ...core.outcome import StepExit
from ...core.usage import NOTHING_USED
from ..context import GraphServices, RunContext, run_graph
from ..execution_graph.graph import RECURSION_LIMIT, build_testing_graph, retries_of
from ..execution_graph.nodes.analyze_results import analysis_update, merged_defects
from ..execution_graph.staging import dropped_ids, prune, read_staged, restore_kept, staged
from ..execution_graph.state import TestingAgentState
from ..faults import Fault
from .generate_step import initial_step_state, interrupted_at, outcome_of, step_result
from .planning_state import PlanningAgentState, PlanStepState
from .steps import StepOutcome, failed

_ASIDE = "unfinished"
"""Folder of the run for files that were being refined when the step was stopped."""

_REFINED = frozenset({"validate_code", "refine_code"})
_STAGED_ANEW = _REFINED | {"generate_code", "run_tests"}


async def stopped_step(
    step: PlanStepState, state: PlanningAgentState, fault: Fault, context: RunContext, services: GraphServices
) -> StepOutcome:
    """The outcome of a generate step that a ceiling stopped: completed with the tests that passed.

    Where none ran yet and a model's ceiling stopped it, the engine's tests take their place until the run goes on;
    without them it failed.

    Raises:
        StorageError, ToolFailure: the kept tests cannot be staged again.
    """
    found = await interrupted_at(step, context, services)
    if found is None:
        return failed(fault)
    values, following = found
    drop: list[str] = []
    if values.get("test_results") and values.get("analyze") and values.get("analysis") is None:
        drop, analysed = _embedded_analysis(values)
        values = {**values, **analysed}
    used = {"usage": values.get("usage", NOTHING_USED)}
    # Cases of the test file that ran, passed, and have not been dropped since.
    ran = set((values.get("test_results") or {}).get("kept") or ())
    kept = [case_id for case_id in values.get("kept") or () if case_id in ran and case_id not in drop]
    if not kept:
        stood_in = await _engine_step(step, state, values, fault, context, services)
        return stood_in or failed(fault, {**step_result(values), **used}, used["usage"])
    aside: list[str] = []
    if following in _REFINED:
        # The kept files take the place of those that were being refined; a later session continues with the latter.
        aside = await _put_aside(step, values["generated_files"], context, services)
    left = cast(TestingAgentState, {**values, "kept": kept, "dropped": _dropped(values, kept, fault)})
    if following in _STAGED_ANEW:
        left["generated_files"] = await restore_kept(left, Runtime(context=context))
    elif drop:
        await prune(left, Runtime(context=context), drop, [*kept, *drop])
    warnings = [*values["warnings"], fault.message]
    accepted = step_result({**left, "warnings": warnings, "exit_reason": StepExit.COMPLETED})
    result = {**accepted, **used, "put_aside": aside}
    return StepOutcome("completed", StepExit.BUDGET_EXHAUSTED, result, fault.message, used["usage"])


async def _engine_step(
    step: PlanStepState,
    state: PlanningAgentState,
    values: Mapping[str, Any],
    fault: Fault,
    context: RunContext,
    services: GraphServices,
) -> StepOutcome | None:
    """The engine's tests for a step whose models met a ceiling; None where no model is asked or no time is left.

    The interrupted testing graph keeps its checkpoint, with which a later session goes on.
    """
    budget = services.budget
    if not services.model_roles or context.without_models or (budget is not None and budget.seconds_left == 0):
        return None
    aside = await _put_aside(step, values.get("generated_files") or (), context, services)
    graph = build_testing_graph(retry=retries_of(services))
    alone = replace(context, without_models=True)
    config: RunnableConfig = {"recursion_limit": RECURSION_LIMIT}
    try:
        made = outcome_of(
            cast(TestingAgentState, await run_graph(graph, initial_step_state(step, state), config, alone))
        )
    except StorageError:
        raise
    except (TestwrightError, OSError):
        return None
    if made.exit_reason is not StepExit.COMPLETED:
        return None
    said = f"the engine's tests stand in for the model's until the run goes on: {fault.message}"
    warnings = [*(made.result or {}).get("warnings", []), said]
    result: dict[str, Any] = {**(made.result or {}), "warnings": warnings, "put_aside": aside}
    found = merged_defects(result.get("suspected_defects") or [], values.get("suspected_defects") or [])
    result["suspected_defects"] = found
    usage = values.get("usage", NOTHING_USED)
    return StepOutcome("completed", StepExit.BUDGET_EXHAUSTED, {**result, "usage": usage}, fault.message, usage)


def _embedded_analysis(values: Mapping[str, Any]) -> tuple[list[str], dict[str, Any]]:
    """What the analysis without a model drops and finds, so that no known defect is hidden. It asks no agent, which
    might be what the step waited for."""
    found = analyse_results(values["test_results"], values.get("spec_json") or {}, values.get("target_info"))
    return found["drop"], analysis_update(values, found)


async def put_back(step: PlanStepState, services: GraphServices) -> None:
    """Stage the files that were set aside, for a step that continues. Raises ToolFailure."""
    for path in (step["result"] or {}).get("put_aside") or ():
        found = await services.tools.call("read_file", {"path": _aside(step, path)})
        await services.tools.call("write_file", {"path": staged(path), "contents": found["contents"]})


async def _put_aside(
    step: PlanStepState, paths: Iterable[str], context: RunContext, services: GraphServices
) -> list[str]:
    try:
        files = await read_staged(paths, Runtime(context=context))
    except ToolFailure:
        return []  # cancelled while they were written: the step then refines the kept ones
    for file in files:
        await services.tools.call("write_file", {"path": _aside(step, file["path"]), "contents": file["contents"]})
    return [file["path"] for file in files]


def _aside(step: PlanStepState, path: str) -> str:
    return f"{_ASIDE}/{step['id']}/{path}"


def _dropped(values: Mapping[str, Any], kept: list[str], fault: Fault) -> list[dict[str, Any]]:
    """Cases dropped before, and each case that was not finished."""
    known = {*dropped_ids(values["dropped"]), *kept}
    open_cases = [case["id"] for case in (values["spec_json"] or {}).get("cases") or [] if case["id"] not in known]
    return values["dropped"] + [
        {"case_id": case_id, "nodeid": "", "reason": fault.message, "class": "test_defect"} for case_id in open_cases
    ]
