"""The judge without a model: scores the evidence by how many of the target's names it explains and shows values of."""

from __future__ import annotations

from collections.abc import Sequence

from ....utils.names.counted import counted
from ...contract.lifecycle import Agent
from ...contract.protocol import AgentRequest, AgentResponse, success_response
from ...evidence.model import MOST_FOR_JUDGE, AssessmentDetails, Evidence, JudgeAssessment
from .coverage import NameCoverage, coverage_of

ROLE = "evidence_judge"
_MOST_QUERIES = 5
_MOST_EXAMPLES = 10


class EmbeddedJudgeAgent(Agent):
    """Assesses the evidence about a target, and writes nothing.

    Inputs and result are those of `schemas/evidence_judge/`.
    """

    role = ROLE

    async def _work(self, request: AgentRequest) -> AgentResponse:
        inputs = request.consumer_inputs()
        pieces = [Evidence.from_dict(row) for row in inputs["evidence"][:MOST_FOR_JUDGE]]
        found = assess([str(name) for name in inputs.get("names") or ()], pieces)
        return success_response({"assessment": found.to_dict(), "text": assessment_text(found)})


def assess(names: Sequence[str], pieces: Sequence[Evidence]) -> JudgeAssessment:
    """Score evidence: the shares of names with code, explanation and values, weighted."""
    known = coverage_of(names, pieces)
    code, explained, shown = known.share(known.in_code), known.share(known.explained), known.share(known.shown)
    confidence = round(0.4 + 0.3 * code + 0.3 * explained, 2) if pieces else 0.0
    examples = [f"{one.act} -> {one.expected}" for piece in pieces for one in piece.examples]
    details = AssessmentDetails(
        round(6 * code + 2 * explained + 2 * shown),
        f"{len(known.in_code)} of {counted(len(names), 'name')} found in the code",
        round(6 * explained + 4 * shown),
        f"{len(known.explained)} of them are explained outside the module, {len(known.shown)} with values",
        tuple(examples[:_MOST_EXAMPLES]),
        tuple(f"{piece.title} ({piece.path}:{piece.lines[0]})" for piece in pieces[:5]),
    )
    reasoning = f"{details.mechanism_reasoning}; {details.evidence_reasoning}"
    return JudgeAssessment(details, confidence, tuple(_next_queries(known)), reasoning)


def _next_queries(known: NameCoverage) -> list[str]:
    """What to search for next: names that nothing explains, then names without values."""
    unshown = [name for name in known.names if name in known.explained and name not in known.shown]
    queries = [f"{name} documentation usage" for name in known.unexplained]
    return [*queries, *(f"{name} example returns" for name in unshown)][:_MOST_QUERIES]


def assessment_text(found: JudgeAssessment) -> str:
    """An assessment in words, as the event stream shows it."""
    verdict = "SUFFICIENT EVIDENCE" if found.sufficient else "INSUFFICIENT"
    return (
        f"{verdict} (confidence {found.confidence:.0%}): mechanism {found.details.mechanism_score}/10, "
        f"evidence {found.details.evidence_score}/10. {found.reasoning}"
    )
