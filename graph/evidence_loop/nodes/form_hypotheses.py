"""Node `form_hypotheses`: the hypothesis agent states what the target should do, and what is not known."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from langgraph.runtime import Runtime

from ....agents.evidence.inputs import hypothesis_inputs
from ....agents.evidence.memory import EvidenceMemory
from ....agents.evidence.model import MOST_FOR_JUDGE, Hypothesis
from ....core.events import EventType
from ...context import RunContext
from ..asking import announce, ask
from ..state import EvidenceState

ROLE = "evidence_hypothesis"
_MOST = 60


async def form_hypotheses(state: EvidenceState, runtime: Runtime[RunContext]) -> dict[str, Any]:
    """Ask for hypotheses and knowledge gaps; a round that found nothing new keeps those of the last one."""
    if state["stalls"] and state["rounds"] > 1:
        return {}
    announce(state, runtime, EventType.HYPOTHESIZING, ROLE, "forming hypotheses")
    memory = EvidenceMemory.from_dict(state["memory"])
    pieces = memory.get_relevant_evidence(MOST_FOR_JUDGE)
    conflicts = [asdict(one) for one in memory.conflicts]
    inputs = hypothesis_inputs(memory.query, state["names"], pieces, conflicts, state["undocumented"])
    result, update = await ask(state, runtime, ROLE, "form_hypotheses", inputs)
    if result is None:
        return update
    for row in (result.get("hypotheses") or ())[:_MOST]:
        try:
            memory.add_hypothesis(Hypothesis.from_dict(row))
        except (KeyError, TypeError, ValueError):
            continue
    gaps = [str(gap) for gap in result.get("knowledge_gaps") or ()]
    return {**update, "memory": memory.to_dict(), "knowledge_gaps": gaps}
