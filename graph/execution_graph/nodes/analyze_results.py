"""Node `analyze_results`: the analyzer says what the results mean; what it condemns is pruned."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from langgraph.runtime import Runtime

from ....core.events import EventType
from ....core.outcome import StepExit
from ...agent_calls import ask_role
from ...context import RunContext, services_of
from ...faults import agent_fault
from ...node import reported
from ..answers import asked_with
from ..pruning import prune
from ..state import TestingAgentState


@reported
async def analyze_results(state: TestingAgentState, runtime: Runtime[RunContext]) -> dict[str, Any]:
    """Ask the analyzer. Tests that ran are kept without it: an analyzer that fails costs a warning, not the step.

    Expectations that it finds wrong go back to the spec agent while refinements are left; the tests that hold are kept
    meanwhile.

    Raises:
        AgentUnreachable: the way to the agent failed. ToolFailure: the file could not be pruned.
    """
    response = await ask_role(
        runtime,
        "analyzer",
        goal=state["user_request"],
        task="analyze_results",
        inputs={
            "run_id": runtime.context.run_id,
            "test_results": state["test_results"] or {},
            "spec": state["spec_json"] or {},
            "target": state["target_info"],
        },
        step_id=state["step_id"],
    )
    result = response.result if isinstance(response.result, dict) else None
    if result is None or response.is_error():
        fault = agent_fault(response.error, "analyzer", response)
        warning = f"the results were not analysed: {fault.message}"
        return {**asked_with(response, "analyzer"), "warnings": [warning], **_ended(state["kept"])}
    condemned = [str(case_id) for case_id in result.get("drop") or []]
    kept = await prune(state, runtime, condemned, state["kept"])
    known = {one.get("case_id") for one in state["dropped"]}
    reasons = {finding.get("case_id"): finding for finding in result.get("findings") or []}
    defects = _merged(state["suspected_defects"], result.get("suspected_defects") or [])
    _tell(state, runtime, defects)
    analysed = {
        "analysis": str(result.get("summary") or ""),
        "findings": _added(state["findings"], result.get("findings") or []),
        "suspected_defects": defects,
        "dropped": state["dropped"] + [_reason(one, reasons) for one in condemned if one not in known],
        "kept": kept,
        **asked_with(response, "analyzer"),
    }
    wrong = [one for one in result.get("refine") or [] if one.get("case_id") in condemned]
    if wrong and state["spec_attempts"] < state["max_retries"]:
        return {**analysed, **refinement(state["spec_json"] or {}, condemned, wrong, defects)}
    return {**analysed, **_ended(kept)}


def refinement(
    spec: dict[str, Any], condemned: list[str], wrong: list[dict[str, Any]], defects: list[dict[str, Any]]
) -> dict[str, Any]:
    """The update that sends wrong expectations back to the spec agent.

    Condemned cases that are not to be refined leave the spec: they are judged already. Defects go along in it.
    """
    names = {one["case_id"] for one in wrong}
    cases = [case for case in spec.get("cases") or [] if case["id"] in names or case["id"] not in condemned]
    places = {case["id"]: index for index, case in enumerate(cases)}
    errors = [
        {**{key: value for key, value in one.items() if key != "case_id"}, "path": f"$.cases[{places[name]}].expect"}
        for one in wrong
        if (name := one["case_id"]) in places
    ]
    return {
        "spec_json": {**spec, "cases": cases, "suspected_defects": defects},
        "spec_errors": errors,
        "should_retry": True,
        "phase": "spec_generation",
        "exit_reason": None,
    }


def _added(before: list[dict[str, Any]], found: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Findings of all runs of the tests, each once: what was refined stays on record."""
    return before + [one for one in found if one not in before]


def _ended(kept: list[str]) -> dict[str, Any]:
    return {"phase": "complete", "exit_reason": str(StepExit.COMPLETED if kept else StepExit.NOTHING_KEPT)}


def _reason(case_id: str, findings: dict[Any, dict[str, Any]]) -> dict[str, Any]:
    finding = findings.get(case_id, {})
    reason = finding.get("title") or "dropped by the analysis"
    return {"case_id": case_id, "nodeid": "", "reason": reason, "class": finding.get("class", "test_defect")}


def _merged(one: Iterable[dict[str, Any]], other: Iterable[dict[str, Any]]) -> list[dict[str, Any]]:
    """Defects of both, each id once, the earlier one first."""
    merged: dict[str, dict[str, Any]] = {}
    for defect in (*one, *other):
        merged.setdefault(str(defect.get("id") or defect.get("title") or len(merged)), defect)
    return list(merged.values())


def _tell(state: TestingAgentState, runtime: Runtime[RunContext], defects: list[dict[str, Any]]) -> None:
    for defect in defects:
        services_of(runtime).emit(
            EventType.DEFECT_SUSPECTED, str(defect.get("title") or defect.get("id")), state["step_id"] or None, **defect
        )
