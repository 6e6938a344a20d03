"""Node `write_evidence_report`: the report agent synthesises what is known, however the loop ended."""

from __future__ import annotations

from typing import Any

from langgraph.runtime import Runtime

from ....agents.evidence.inputs import report_inputs
from ....agents.evidence.memory import EvidenceMemory
from ....agents.evidence.model import EvidenceReport, reference
from ....core.events import EventType
from ...context import RunContext
from ..asking import announce, ask
from ..state import EvidenceState

ROLE = "evidence_report"


async def write_evidence_report(state: EvidenceState, runtime: Runtime[RunContext]) -> dict[str, Any]:
    """Ask for the report; where no agent can write one, the memory's summary is it. References are always ours."""
    announce(state, runtime, EventType.SYNTHESIZING, ROLE, f"writing the report ({state['exit_reason']})")
    memory = EvidenceMemory.from_dict(state["memory"])
    pieces = memory.get_relevant_evidence(len(memory.evidence_ids))
    inputs = report_inputs(memory.query, pieces, memory.hypotheses, state["knowledge_gaps"], state["assessment"])
    result, update = await ask(state, runtime, ROLE, "write_report", inputs, is_last=True)
    written = (result or {}).get("report")
    references = tuple({"number": number, **reference(piece)} for number, piece in enumerate(pieces, start=1))
    if not isinstance(written, dict) or not written.get("summary"):
        questions = tuple(state["knowledge_gaps"])
        summary = memory.get_context_summary()
        written = EvidenceReport(memory.query, summary, questions=questions).to_dict()
    return {**update, "report": {**written, "references": [dict(one) for one in references]}}
