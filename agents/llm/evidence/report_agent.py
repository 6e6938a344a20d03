"""The report agent with a model: findings that name no source, or one that does not exist, are left out."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from ...contract.protocol import AgentRequest, AgentResponse, JsonObject, success_response
from ...embedded.evidence.report_agent import report_markdown
from ...evidence.model import Evidence, EvidenceReport, reference
from ...guardrails.problems import problem
from ..model_agent import ModelAgent, closed, list_of, text_of
from ..prompt import bullets, data
from .source_list import numbered_sources

_SCHEMA = closed(
    summary={**text_of(1000), "minLength": 1}, findings=list_of(text_of(500), 20), questions=list_of(text_of(300), 10)
)
_CITED = re.compile(r"\[(\d{1,4})\]")


class ModelReportAgent(ModelAgent):
    """Writes the report; inputs and result as of the embedded report agent. References are made by the program."""

    role = "evidence_report"

    async def _answer(self, request: AgentRequest) -> AgentResponse:
        inputs = request.consumer_inputs()
        pieces = [Evidence.from_dict(row) for row in inputs["evidence"]]
        gaps = [str(gap) for gap in inputs.get("knowledge_gaps") or ()]
        hypotheses = [f"{row['statement']} ({row['confidence']:.0%})" for row in inputs.get("hypotheses") or ()]
        values = {
            "query": data("query", str(inputs["query"])),
            "hypotheses": data("hypotheses", bullets(hypotheses)),
            "gaps": data("gaps", bullets(gaps)),
            "evidence": numbered_sources(pieces),
        }

        def problems(answer: Any) -> list[JsonObject]:
            return [
                problem(f"$.findings[{at}]", "names no source of the list", suggestion="end it in [1] or the like")
                for at, finding in enumerate(answer["findings"])
                if not _is_cited(finding, len(pieces))
            ]

        said = await self._valid_answer(self._prompt.text("report", values), _SCHEMA, problems)
        report = EvidenceReport(
            title=str(inputs["query"]),
            summary=said["summary"],
            findings=tuple(one for one in said["findings"] if _is_cited(one, len(pieces))),
            # A question that the program has found is asked, whatever the model makes of it.
            questions=tuple(dict.fromkeys([*gaps, *said["questions"]])),
            references=_references(pieces),
        )
        return success_response({"report": report.to_dict(), "text": report_markdown(report)})


def _is_cited(finding: str, count: int) -> bool:
    numbers = [int(found) for found in _CITED.findall(finding)]
    return bool(numbers) and all(1 <= number <= count for number in numbers)


def _references(pieces: Sequence[Evidence]) -> tuple[JsonObject, ...]:
    return tuple({"number": number, **reference(piece)} for number, piece in enumerate(pieces, start=1))
