"""Runs the evidence loop for a target, and shapes what it found for the state, the spec agent and the report."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

from langgraph.runtime import Runtime

from ...agents.evidence.memory import EvidenceMemory
from ...agents.evidence.model import MOST_FOR_JUDGE
from ...core.errors import ToolFailure
from ...core.events import EventType
from ..context import RunContext, run_graph, services_of
from ..evidence_loop.decision import AGENTS, LoopDecision, decide, public_names
from ..evidence_loop.evidence_graph import RECURSION_LIMIT, build_evidence_graph
from ..evidence_loop.state import EvidenceState, new_evidence_state
from ..state_format import within_limit
from .state import TestingAgentState

_MOST_EXAMPLES = 60
_QUERY_NAMES = 12
_MOST_SNIPPETS = 40


async def evidence_update(
    state: TestingAgentState, runtime: Runtime[RunContext], context: Mapping[str, Any]
) -> dict[str, Any]:
    """The update with what the loop found, with its usage and warnings; what `auto` decides is told by an event.

    Args:
        context: the update of `retrieve_context` so far.

    Raises:
        BudgetExhausted: a ceiling of the run is reached.
    """
    services = services_of(runtime)
    if any(role not in services.agents for role in AGENTS):
        return {}
    names, undocumented = public_names(context["ast_analysis"], state["target_info"].get("symbols"))
    decision = await _decision(state, runtime, context, names)
    step_id = state["step_id"] or None
    does = "collecting evidence" if decision.runs else "no evidence is collected"
    services.emit(EventType.PROGRESS, f"{does}: {decision.reason}", step_id, evidence=decision.to_dict())
    if not decision.runs:
        return {"evidence": {"decision": decision.to_dict()}}
    values = await run_graph(
        build_evidence_graph(),
        new_evidence_state(
            user_request=state["user_request"],
            step_id=state["step_id"],
            target_info=state["target_info"],
            test_type=state["test_type"],
            names=names,
            undocumented=undocumented,
            symbols=(context["ast_analysis"] or {}).get("symbols") or (),
            api_document=str(((context["openapi"] or {}).get("origin") or {}).get("location") or ""),
            # Models read why code changed; the engine has no use for it.
            with_history=bool(services.model_roles) or runtime.context.evidence == "on",
            began=services.clock(),
        ),
        {"recursion_limit": RECURSION_LIMIT},
        runtime.context,
    )
    return {
        "evidence": within_limit(_found(values, decision)),
        "usage": values["usage"],
        "warnings": values["warnings"],
    }


async def _decision(
    state: TestingAgentState, runtime: Runtime[RunContext], context: Mapping[str, Any], names: Sequence[str]
) -> LoopDecision:
    setting, of_api = runtime.context.evidence, state["test_type"] in ("api", "integration")
    snippets = (context["codebase_context"] or {}).get("snippets") or ()
    if setting == "auto":
        # What was retrieved for the request has the code first, and need not say anything of this target.
        path = state["target_info"].get("path")
        query = " ".join([str(state["target_info"].get("module") or path or ""), *names[:_QUERY_NAMES]]).strip()
        try:
            arguments = {"query": query, "file_paths": [path] if path else [], "limit": _MOST_SNIPPETS}
            answer = await services_of(runtime).tools.call("get_codebase_context", arguments) if query else {}
        except ToolFailure:
            answer = {}
        snippets = [*snippets, *(answer.get("snippets") or ())]
    return decide(setting, names, snippets, of_api=of_api)


def _found(values: Mapping[str, Any] | EvidenceState, decision: LoopDecision) -> dict[str, Any]:
    memory = EvidenceMemory.from_dict(values["memory"])
    pieces = memory.get_relevant_evidence(MOST_FOR_JUDGE)
    examples = [example.to_dict() for piece in memory.get_all_evidence() for example in piece.examples]
    rows = [{key: value for key, value in piece.to_dict().items() if key != "examples"} for piece in pieces]
    return {
        "decision": decision.to_dict(),
        "exit_reason": values["exit_reason"],
        "rounds": values["rounds"],
        "found": len(memory.evidence_ids),
        "examples": examples[:_MOST_EXAMPLES],
        "conflicts": [asdict(one) for one in memory.conflicts],
        "hypotheses": [one.to_dict() for one in memory.hypotheses],
        "knowledge_gaps": values["knowledge_gaps"],
        "assessment": values["assessment"],
        "report": values["report"],
        "pieces": rows,
    }
