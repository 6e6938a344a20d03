"""Node `analyze_results`: the analyzer classifies the results; cases that it drops are pruned."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from langgraph.runtime import Runtime

from ....agents.contract.protocol import WITHOUT_MODEL, AgentResponse
from ....core.events import EventType
from ...context import RunContext, services_of
from ...faults import AgentUnreachable, agent_fault
from ...node import call_agent, reported_node
from ..answers import ended_with, usage_update
from ..floor import has_model
from ..staging import prune
from ..state import TestingAgentState


@reported_node
async def analyze_results(state: TestingAgentState, runtime: Runtime[RunContext]) -> dict[str, Any]:
    """Request the analysis. Tests that ran are kept without it: an analyzer that fails costs a warning, not the step.

    Expectations that it finds wrong go back to the spec agent while refinements are left; the tests that passed are
    kept meanwhile.

    Raises:
        AgentUnreachable: the agent could not be reached. ToolFailure: the file could not be pruned.
    """
    inputs = {
        "run_id": runtime.context.run_id,
        "test_results": state["test_results"] or {},
        "spec": state["spec_json"] or {},
        "target": state["target_info"],
        "codebase_context": state["codebase_context"],
        "ast_analysis": state["ast_analysis"],
        "checks": state["checks"],
    }
    response = await call_agent(state, runtime, "analyzer", "analyze_results", inputs)
    warnings: list[str] = []
    used = usage_update(response, "analyzer")
    if _failed(response):
        # What ran stays kept: the gate has judged it without the analyzer. A model that fails hides no defect.
        warnings = [f"the results were not analysed: {_why(response, runtime)}"]
        if not has_model(runtime, "analyzer"):
            return {**used, "warnings": warnings, **ended_with(kept=bool(state["kept"]))}
        response = await call_agent(
            state, runtime, "analyzer", "analyze_results", inputs, constraints=dict(WITHOUT_MODEL)
        )
        if _failed(response):
            return {**used, "warnings": warnings, **ended_with(kept=bool(state["kept"]))}
        warnings = [
            line.replace("the results were not analysed", "the model did not judge the results") for line in warnings
        ]
    result = response.result if isinstance(response.result, dict) else {}
    dropped = [str(case_id) for case_id in result.get("drop") or []]
    kept = await prune(state, runtime, dropped, state["kept"])
    analysed: dict[str, Any] = {**analysis_update(state, result), "kept": kept, "warnings": warnings, **used}
    _emit_defects(state, runtime, analysed["suspected_defects"])
    # An error about a case that was kept has no effect: it passed.
    wrong = [error for error in result.get("refine") or [] if error.get("case_id") in dropped]
    # Back to the spec agent; the graph returns here with the refined cases.
    if wrong and state["spec_attempts"] < state["max_retries"]:
        return {**analysed, **refinement(state["spec_json"] or {}, dropped, wrong, analysed["suspected_defects"])}
    if not kept and _is_a_models(state["spec_json"] or {}) and has_model(runtime, "spec"):
        # Nothing of the model's spec holds: the engine's takes its place, once, as it has no case of a model.
        return {**analysed, "spec_errors": [], "should_retry": True, "phase": "spec_generation", "exit_reason": None}
    return {**analysed, **ended_with(kept=bool(kept))}


def analysis_update(state: Mapping[str, Any], result: Mapping[str, Any]) -> dict[str, Any]:
    """What an analysis adds to a state: its findings and defects beside the earlier ones, and the cases it drops."""
    findings = result.get("findings") or []
    known = {row.get("case_id") for row in state["dropped"]}
    reasons = {finding.get("case_id"): finding for finding in findings}
    dropped = [_reason(row, reasons) for row in map(str, result.get("drop") or []) if row not in known]
    return {
        "analysis": str(result.get("summary") or ""),
        "findings": _added(state["findings"], findings),
        "suspected_defects": merged_defects(state["suspected_defects"], result.get("suspected_defects") or []),
        "dropped": state["dropped"] + dropped,
    }


def _failed(response: AgentResponse) -> bool:
    return response.is_error() or not isinstance(response.result, dict)


def _why(response: AgentResponse, runtime: Runtime[RunContext]) -> str:
    """Why there is no analysis. Raises AgentUnreachable, where no model is asked and a repetition may help."""
    try:
        return agent_fault(response.error, "analyzer", response).message
    except AgentUnreachable as error:
        if not has_model(runtime, "analyzer"):
            raise
        return error.message


def _is_a_models(spec: dict[str, Any]) -> bool:
    return any(case.get("written_by") == "model" for case in spec.get("cases") or [])


def refinement(
    spec: dict[str, Any], dropped: list[str], wrong: list[dict[str, Any]], defects: list[dict[str, Any]]
) -> dict[str, Any]:
    """Build the update that sends wrong expectations back to the spec agent.

    Dropped cases that are not to be refined leave the spec, because they are decided already. Suspected defects stay.
    """
    names = {error["case_id"] for error in wrong}
    cases = [case for case in spec.get("cases") or [] if case["id"] in names or case["id"] not in dropped]
    places = {case["id"]: index for index, case in enumerate(cases)}
    errors = [
        {**{key: value for key, value in error.items() if key != "case_id"}, "path": f"$.cases[{places[name]}].expect"}
        for error in wrong
        if (name := error["case_id"]) in places
    ]
    return {
        "spec_json": {**spec, "cases": cases, "suspected_defects": defects},
        "spec_errors": errors,
        "should_retry": True,
        "phase": "spec_generation",
        "exit_reason": None,
    }


def _added(before: list[dict[str, Any]], found: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Findings of all runs of the tests, each once, those of refined cases included."""
    return before + [finding for finding in found if finding not in before]


def _reason(case_id: str, findings: dict[Any, dict[str, Any]]) -> dict[str, Any]:
    finding = findings.get(case_id, {})
    reason = finding.get("title") or "dropped by the analysis"
    return {"case_id": case_id, "nodeid": "", "reason": reason, "class": finding.get("class", "test_defect")}


def merged_defects(before: Iterable[dict[str, Any]], found: Iterable[dict[str, Any]]) -> list[dict[str, Any]]:
    """Merge defects by id; the earlier one wins."""
    merged: dict[str, dict[str, Any]] = {}
    for defect in (*before, *found):
        merged.setdefault(str(defect.get("id") or defect.get("title") or len(merged)), defect)
    return list(merged.values())


def _emit_defects(state: TestingAgentState, runtime: Runtime[RunContext], defects: list[dict[str, Any]]) -> None:
    for defect in defects:
        services_of(runtime).emit(
            EventType.DEFECT_SUSPECTED, str(defect.get("title") or defect.get("id")), state["step_id"] or None, **defect
        )
