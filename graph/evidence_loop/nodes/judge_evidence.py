"""Node `judge_evidence`: the judge scores the evidence; then the loop ends, or goes on with the judge's queries."""

from __future__ import annotations

from typing import Any

from langgraph.runtime import Runtime

from ....agents.evidence.inputs import judge_inputs
from ....agents.evidence.memory import EvidenceMemory
from ....agents.evidence.model import MOST_FOR_JUDGE, JudgeAssessment
from ....core.events import EventType
from ....core.outcome import EvidenceExit
from ....core.usage import NOTHING_USED, add_usage
from ...context import RunContext, services_of
from ..asking import announce, ask, seconds_left
from ..state import EvidenceState

ROLE = "evidence_judge"


async def judge_evidence(state: EvidenceState, runtime: Runtime[RunContext]) -> dict[str, Any]:
    """Ask for an assessment of at most 30 pieces. Whether it is sufficient follows from its numbers alone."""
    announce(state, runtime, EventType.JUDGING, ROLE, "judging the evidence")
    memory = EvidenceMemory.from_dict(state["memory"])
    inputs = judge_inputs(memory.query, state["names"], memory.get_relevant_evidence(MOST_FOR_JUDGE))
    result, update = await ask(state, runtime, ROLE, "judge_evidence", inputs)
    warnings = list(update.get("warnings", []))
    assessment: JudgeAssessment | None = None
    if result is not None:
        said = result.get("assessment")
        try:
            assessment = JudgeAssessment.from_dict(said or {})
        except (KeyError, TypeError, ValueError) as error:
            warnings.append(f"{ROLE}: the assessment could not be read: {error!r}")
        else:
            warnings += assessment.contradictions(said or {})
    known = assessment.to_dict() if assessment is not None else state["assessment"]
    services_of(runtime).emit(
        EventType.JUDGE_COMPLETE, _verdict(assessment), state["step_id"] or None, assessment=known
    )
    exit_reason = update.get("exit_reason") or _exit(state, runtime, assessment, update)
    queries = list(assessment.next_search_queries) if assessment is not None else []
    return {
        **update,
        "warnings": warnings,
        "assessment": known,
        "exit_reason": exit_reason,
        "queries": queries or state["queries"],
    }


def _exit(
    state: EvidenceState, runtime: Runtime[RunContext], assessment: JudgeAssessment | None, update: dict[str, Any]
) -> str | None:
    """Why the loop ends after this round; None where it goes on. Approval comes before every limit."""
    limits = state["limits"]
    used = add_usage(state["usage"], update.get("usage", NOTHING_USED))
    if assessment is not None and assessment.sufficient:
        return str(EvidenceExit.APPROVED)
    if seconds_left(state, runtime) <= 0:
        return str(EvidenceExit.TIMEOUT)
    if used["tokens"] >= limits["tokens"]:
        return str(EvidenceExit.TOKEN_BUDGET)
    if state["stalls"] >= limits["stalls"]:
        return str(EvidenceExit.STALLED)
    return str(EvidenceExit.MAX_ROUNDS) if state["rounds"] >= limits["rounds"] else None


def _verdict(assessment: JudgeAssessment | None) -> str:
    if assessment is None:
        return "the evidence could not be judged"
    return "sufficient evidence" if assessment.sufficient else "insufficient evidence"
