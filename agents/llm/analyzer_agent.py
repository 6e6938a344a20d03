"""The analyzer with a model, which decides where a test and the code disagree: defect, or wrong expectation.

What the gate found without a model (passed, flaky, timed out) comes from the embedded analysis. `verdicts.py` defines
what a verdict may change.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from ...utils.canonical import canonical_json
from ...utils.untrusted_files import read_source
from ..contract.lifecycle import AgentContract
from ..contract.protocol import AgentRequest, AgentResponse, JsonObject, success_response
from ..embedded.analyzer_agent import analyse_results
from ..model.chat import ModelChat
from .model_agent import ModelAgent, UnusableAnswer, closed, list_of, optional, text_of
from .prompt import data
from .source_view import relevant_lines
from .spec_answer import case_for_model
from .verdicts import apply_verdicts

_CONTESTED = ("product_defect", "test_defect")
_MOST_CONTESTED = 40
_TEXT = 1000
_LEAST_SEEN, _MOST_SEEN = 160, 1500

ANSWER_SCHEMA: JsonObject = closed(
    verdicts=list_of(
        closed(
            case_id=text_of(160),
            verdict={"type": "string", "enum": ["defect", "wrong_expectation"]},
            reason=text_of(600),
            documented=text_of(600),
            lines=optional(list_of({"type": "integer"}, 2)),
        ),
        _MOST_CONTESTED,
    )
)


class ModelAnalyzerAgent(ModelAgent):
    """Analyses results as the embedded analyzer does, and lets a model decide every disagreement.

    Result: as of the embedded analyzer, and `refine`: errors about the cases whose expectations were wrong, for the
    spec agent. Cases without a usable verdict stay as in the embedded analysis.

    Args:
        chat: the model.
        root: the project.
        contract: the schemas to check.
    """

    role = "analyzer"

    def __init__(self, chat: ModelChat, root: Path, *, contract: AgentContract | None = None) -> None:
        super().__init__(chat, contract=contract)
        self._root = root

    async def _work(self, request: AgentRequest) -> AgentResponse | JsonObject:
        inputs = request.inputs or {}
        results, spec = inputs.get("test_results") or {}, inputs.get("spec") or {}
        base = analyse_results(results, spec, inputs.get("target"))
        contested = contested_cases(results, spec)
        if not contested or str(spec.get("test_type") or "unit") != "unit":
            return base  # flows and requests have no single place in one file to cite
        try:
            source = await asyncio.to_thread(self._source, spec)
            verdicts = await self._verdicts(contested, spec, source, int(inputs.get("attempt") or 1))
        except UnusableAnswer as unusable:
            trace: list[JsonObject] = [{"event": "not_judged", "reason": unusable.message}]
            return success_response(base, trace=trace)
        trace = [
            {"event": "judged", "case_id": name, "verdict": verdict["verdict"]} for name, verdict in verdicts.items()
        ]
        return success_response(apply_verdicts(base, contested, verdicts, spec, source.splitlines()), trace=trace)

    def _source(self, spec: Mapping[str, Any]) -> str:
        path = str((spec.get("target") or {}).get("path") or "")
        return read_source(self._root, path, errors="replace")

    async def _verdicts(
        self, contested: Sequence[Mapping[str, Any]], spec: Mapping[str, Any], source: str, attempt: int
    ) -> dict[str, Mapping[str, Any]]:
        path = str((spec.get("target") or {}).get("path") or "")
        subjects = [str(disagreement["case"].get("subject")) for disagreement in contested]
        limit = max(_LEAST_SEEN, _MOST_SEEN // len(contested))
        user = self._prompt.text(
            "judge",
            {
                "count": str(len(contested)),
                "path": path,
                "source": data("source", relevant_lines(source, subjects)),
                "disagreements": "\n".join(
                    data("disagreement", _disagreement_text(disagreement, limit)) for disagreement in contested
                ),
            },
        )
        answer: Any = (await self._ask_model(user, ANSWER_SCHEMA, attempt)).parsed
        known = {str(disagreement["case"]["id"]) for disagreement in contested}
        found: dict[str, Mapping[str, Any]] = {}
        for verdict in answer["verdicts"]:
            if verdict["case_id"] in known:
                found.setdefault(str(verdict["case_id"]), verdict)
        return found


def contested_cases(results: Mapping[str, Any], spec: Mapping[str, Any]) -> list[JsonObject]:
    """Select the cases whose expectation failed: `case`, and `result`, the gate's row about it."""
    cases = {str(case.get("id")): case for case in spec.get("cases") or ()}
    found: dict[str, JsonObject] = {}
    for row in results.get("dropped") or ():
        name = str(row.get("case_id"))
        if row.get("class") in _CONTESTED and name in cases and row.get("nodeid"):
            found.setdefault(name, {"case": cases[name], "result": row})
    return list(found.values())[:_MOST_CONTESTED]


def _disagreement_text(disagreement: Mapping[str, Any], limit: int) -> str:
    """Render a case and its failure, with at most about `limit` characters of the latter."""
    result = disagreement["result"]
    message = str(result.get("message") or "")[:limit]
    reason = str(result.get("reason") or "")[: max(0, limit - len(message))]
    seen = {"class": result.get("class"), "message": message, "reason": reason if reason not in message else ""}
    return canonical_json(
        {"case": case_for_model(disagreement["case"]), "result": {key: value for key, value in seen.items() if value}}
    )
