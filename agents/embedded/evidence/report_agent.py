"""The report agent without a model: a structured report in which each finding names its sources by number."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ....utils.names.counted import counted
from ...contract.lifecycle import Agent
from ...contract.protocol import AgentRequest, AgentResponse, success_response
from ...evidence.model import Evidence, EvidenceReport, Hypothesis, reference

ROLE = "evidence_report"


class EmbeddedReportAgent(Agent):
    """Writes the report on a target. Inputs and result are those of `schemas/evidence_report/`."""

    role = ROLE

    async def _work(self, request: AgentRequest) -> AgentResponse:
        inputs = request.consumer_inputs()
        pieces = [Evidence.from_dict(row) for row in inputs["evidence"]]
        hypotheses = [Hypothesis.from_dict(row) for row in inputs.get("hypotheses") or ()]
        gaps = [str(gap) for gap in inputs.get("knowledge_gaps") or ()]
        report = synthesize(str(inputs["query"]), pieces, hypotheses, gaps, inputs.get("assessment"))
        return success_response({"report": report.to_dict(), "text": report_markdown(report)})


def synthesize(
    query: str,
    pieces: Sequence[Evidence],
    hypotheses: Sequence[Hypothesis],
    gaps: Sequence[str],
    assessment: Mapping[str, object] | None,
) -> EvidenceReport:
    """Write the report: hypotheses with the numbers of their sources, the gaps as questions, every source listed."""
    numbers = {piece.id: number for number, piece in enumerate(pieces, start=1)}
    findings: list[str] = []
    for one in hypotheses:
        cited = "".join(f"[{numbers[name]}]" for name in one.evidence_ids if name in numbers)
        confirmed = "confirmed" if one.is_confirmed else f"confidence {one.confidence:.0%}"
        kind = "suspected defect: " if one.suspected_defect else ""
        findings.append(f"{kind}{one.statement} ({confirmed}) {cited}".rstrip())
    reasoning = str((assessment or {}).get("reasoning") or "")
    examples = counted(sum(len(piece.examples) for piece in pieces), "example")
    counts = f"{counted(len(pieces), 'source')}, {examples} with values."
    return EvidenceReport(
        title=query,
        summary=f"{counts} {reasoning}".strip(),
        findings=tuple(findings),
        questions=tuple(gaps),
        references=tuple({"number": numbers[piece.id], **reference(piece)} for piece in pieces),
    )


def report_markdown(report: EvidenceReport) -> str:
    """A report in Markdown, the references last."""
    lines = [f"## {report.title}", "", report.summary]
    lines += ["", "### Findings", *(f"- {one}" for one in report.findings)] if report.findings else []
    lines += ["", "### Questions", *(f"- {one}" for one in report.questions)] if report.questions else []
    places = [f"{one['number']}. {one['title']} ({one['path']}:{one['lines'][0]})" for one in report.references]
    return "\n".join([*lines, "", "### References", *places])
