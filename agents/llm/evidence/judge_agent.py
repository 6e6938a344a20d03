"""The judge with a model; whether the evidence is sufficient follows from its numbers, not from what it says."""

from __future__ import annotations

from typing import Any

from ...contract.protocol import AgentRequest, AgentResponse, JsonObject, success_response
from ...embedded.evidence.judge_agent import assessment_text
from ...evidence.model import MOST_FOR_JUDGE, Evidence, JudgeAssessment
from ..model_agent import ModelAgent, closed, list_of, text_of
from ..prompt import bullets, data
from .source_list import numbered_sources

_SCORE: JsonObject = {"type": "integer", "minimum": 0, "maximum": 10}


def _reason(least: int) -> JsonObject:
    return {**text_of(600), "minLength": least}


_SCHEMA = closed(
    mechanism_score=_SCORE,
    mechanism_reasoning=_reason(10),
    evidence_score=_SCORE,
    evidence_reasoning=_reason(10),
    key_findings=list_of(text_of(200), 10),
    confidence={"type": "number", "minimum": 0, "maximum": 1},
    next_search_queries=list_of(text_of(200), 5),
    reasoning=_reason(20),
)
_DETAILS = ("mechanism_score", "mechanism_reasoning", "evidence_score", "evidence_reasoning", "key_findings")


class ModelJudgeAgent(ModelAgent):
    """Assesses evidence; inputs and result as of the embedded judge."""

    role = "evidence_judge"

    async def _answer(self, request: AgentRequest) -> AgentResponse:
        inputs = request.consumer_inputs()
        pieces = [Evidence.from_dict(row) for row in inputs["evidence"]][:MOST_FOR_JUDGE]
        values = {
            "query": data("query", str(inputs["query"])),
            "names": data("names", bullets(inputs.get("names") or ())),
            "evidence": numbered_sources(pieces),
        }
        said: Any = (await self._ask_model(self._prompt.text("judge", values), _SCHEMA)).parsed
        examples = [f"{one.act} -> {one.expected}" for piece in pieces for one in piece.examples][:10]
        details = {**{name: said[name] for name in _DETAILS}, "value_examples": examples}
        rest = {name: said[name] for name in ("confidence", "next_search_queries", "reasoning")}
        found = JudgeAssessment.from_dict({"details": details, **rest})
        return success_response({"assessment": found.to_dict(), "text": assessment_text(found)})
