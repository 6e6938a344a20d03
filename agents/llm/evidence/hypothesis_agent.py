"""The hypothesis agent with a model: its hypotheses join those that examples show; only one with a source can count."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ...contract.protocol import AgentRequest, AgentResponse, success_response
from ...evidence.model import MOST_FOR_JUDGE, Evidence
from ..model_agent import ModelAgent, closed, list_of, text_of
from ..prompt import bullets, data
from .source_list import numbered_sources

_HYPOTHESIS = closed(
    statement=text_of(400),
    confidence={"type": "number", "minimum": 0, "maximum": 1},
    suspected_defect={"type": "boolean"},
    sources=list_of({"type": "integer", "minimum": 1}, 10),
)
_SCHEMA = closed(hypotheses=list_of(_HYPOTHESIS, 20), knowledge_gaps=list_of(text_of(300), 10))
_GUESS = 0.5


class ModelHypothesisAgent(ModelAgent):
    """States hypotheses; inputs and result as of the embedded hypothesis agent."""

    role = "evidence_hypothesis"

    async def _answer(self, request: AgentRequest) -> AgentResponse:
        shown = await self._embedded(request)
        if not isinstance(shown, AgentResponse) or not isinstance(shown.result, dict):
            return shown if isinstance(shown, AgentResponse) else success_response(shown)
        inputs = request.consumer_inputs()
        pieces = [Evidence.from_dict(row) for row in inputs["evidence"]][:MOST_FOR_JUDGE]
        conflicts = [f"{row['act']}: {row['one']} or {row['other']}" for row in inputs.get("conflicts") or ()]
        values = {
            "query": data("query", str(inputs["query"])),
            "names": data("names", bullets(inputs.get("names") or ())),
            "conflicts": data("conflicts", bullets(conflicts)),
            "evidence": numbered_sources(pieces),
        }
        said: Any = (await self._ask_model(self._prompt.text("hypotheses", values), _SCHEMA)).parsed
        known = {row["statement"] for row in shown.result["hypotheses"]}
        added = [_with_sources(row, pieces) for row in said["hypotheses"] if row["statement"] not in known]
        gaps = [*shown.result["knowledge_gaps"], *said["knowledge_gaps"]]
        text = "\n".join([shown.result["text"], *(f"{row['statement']} ({row['confidence']:.0%})" for row in added)])
        hypotheses = [*shown.result["hypotheses"], *added]
        return success_response({"hypotheses": hypotheses, "knowledge_gaps": list(dict.fromkeys(gaps)), "text": text})


def _with_sources(row: Mapping[str, Any], pieces: Sequence[Evidence]) -> dict[str, Any]:
    """A hypothesis with the ids of the sources that exist; one without any is a guess, however sure the model is."""
    ids = [pieces[number - 1].id for number in row["sources"] if number <= len(pieces)]
    confidence = row["confidence"] if ids else min(_GUESS, row["confidence"])
    return {
        "statement": row["statement"],
        "confidence": confidence,
        "suspected_defect": row["suspected_defect"],
        "evidence_ids": list(dict.fromkeys(ids)),
    }
