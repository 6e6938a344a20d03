"""A generate step that a ceiling stopped (B-08): its tests that hold already stay, and it can go on where it was.

What stopped it is no node's result, so the testing graph's checkpoint still stands before the node that was cut off.
Files that were being refined then are put aside, because the kept ones take their place.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, cast

from langgraph.runtime import Runtime

from ...core.errors import ToolFailure
from ...core.outcome import StepExit
from ...core.usage import NOTHING_USED
from ..context import GraphServices, RunContext
from ..execution_graph.pruning import dropped_ids
from ..execution_graph.restoring import restored
from ..execution_graph.staging import read_staged, staged
from ..execution_graph.state import TestingAgentState
from ..faults import Fault
from .generate_step import reached, step_result
from .planning_state import PlanStep
from .step_outcome import StepOutcome, failed

_ASIDE = "unfinished"
_REFINED = frozenset({"validate_code", "refine_code"})
_STAGED_ANEW = _REFINED | {"generate_code", "run_tests"}


async def stopped(step: PlanStep, fault: Fault, context: RunContext, services: GraphServices) -> StepOutcome:
    """The outcome of a generate step that a ceiling stopped: completed with the tests that ran and held, else failed.

    Raises:
        StorageError, ToolFailure: the kept tests cannot be staged again.
    """
    found = await reached(step, context, services)
    if found is None:
        return failed(fault)
    values, following = found
    used = {"usage": values.get("usage", NOTHING_USED)}
    kept = _held(values)
    if not kept:
        return failed(fault, {**step_result(values), **used}, used["usage"])
    aside: list[str] = []
    if following in _REFINED:
        aside = await _put_aside(step, values["generated_files"], context, services)
    state = cast(TestingAgentState, {**values, "kept": kept, "dropped": _dropped(values, kept, fault)})
    if following in _STAGED_ANEW:
        state["generated_files"] = await restored(state, Runtime(context=context))
    warnings = [*values["warnings"], fault.message]
    accepted = step_result({**state, "warnings": warnings, "exit_reason": StepExit.COMPLETED})
    result = {**accepted, **used, "put_aside": aside}
    return StepOutcome("completed", StepExit.BUDGET_EXHAUSTED, result, fault.message, used["usage"])


async def put_back(step: PlanStep, services: GraphServices) -> None:
    """Stage what was put aside, for a step that goes on. Raises ToolFailure."""
    for path in (step["result"] or {}).get("put_aside") or ():
        found = await services.tools.call("read_file", {"path": _aside(step, path)})
        await services.tools.call("write_file", {"path": staged(path), "contents": found["contents"]})


async def _put_aside(step: PlanStep, paths: Iterable[str], context: RunContext, services: GraphServices) -> list[str]:
    try:
        files = await read_staged(paths, Runtime(context=context))
    except ToolFailure:
        return []  # cut off while they were written: the step then refines what is kept
    for file in files:
        await services.tools.call("write_file", {"path": _aside(step, file["path"]), "contents": file["contents"]})
    return [file["path"] for file in files]


def _aside(step: PlanStep, path: str) -> str:
    return f"{_ASIDE}/{step['id']}/{path}"


def _held(values: Mapping[str, Any]) -> list[str]:
    """The cases of the test file that ran, held, and have not been condemned since."""
    ran = set((values.get("test_results") or {}).get("kept") or ())
    return [case_id for case_id in values.get("kept") or () if case_id in ran]


def _dropped(values: Mapping[str, Any], kept: list[str], fault: Fault) -> list[dict[str, Any]]:
    """What was dropped before, and each case that was still in work."""
    known = {*dropped_ids(values["dropped"]), *kept}
    open_cases = [case["id"] for case in (values["spec_json"] or {}).get("cases") or [] if case["id"] not in known]
    return values["dropped"] + [
        {"case_id": one, "nodeid": "", "reason": fault.message, "class": "test_defect"} for one in open_cases
    ]
