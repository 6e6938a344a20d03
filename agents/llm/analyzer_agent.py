"""The analyzer that asks a model where a test and the code disagree: defect of the code, or wrong expectation?

What the gate knows without a model (what held, what is flaky, what never ended) is taken from the embedded analysis.
What its verdicts may change is held in `verdicts.py`: none replaces what is known silently.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from ...utils.canonical import canonical_json
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
    """Analyses results as the embedded analyzer does, and has a model judge every disagreement.

    Result: as of the embedded analyzer, and `refine`: errors about the cases whose expectations were wrong, for the
    spec agent. Cases without a usable verdict stay as the embedded analysis judged them.

    Args:
        chat: the model.
        root: the project.
        repairs: how often an unreadable answer is given back.
        contract: the schemas the agent is held to.
    """

    def __init__(self, chat: ModelChat, root: Path, *, repairs: int = 1, contract: AgentContract | None = None) -> None:
        super().__init__("analyzer", chat, repairs=repairs, contract=contract)
        self._root = root

    async def _work(self, request: AgentRequest) -> AgentResponse | JsonObject:
        inputs = request.inputs or {}
        results, spec = inputs.get("test_results") or {}, inputs.get("spec") or {}
        base = analyse_results(results, spec, inputs.get("target"))
        contested = contested_cases(results, spec)
        if not contested or str(spec.get("test_type") or "unit") != "unit":
            return base  # flows and requests have no one place in one file to judge by
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
        return (self._root / path).read_text(encoding="utf-8", errors="replace")

    async def _verdicts(
        self, contested: Sequence[Mapping[str, Any]], spec: Mapping[str, Any], source: str, attempt: int
    ) -> dict[str, Mapping[str, Any]]:
        path = str((spec.get("target") or {}).get("path") or "")
        subjects = [str(disagreement["case"].get("subject")) for disagreement in contested]
        room = max(_LEAST_SEEN, _MOST_SEEN // len(contested))
        user = self._prompt.text(
            "judge",
            {
                "count": str(len(contested)),
                "path": path,
                "source": data("source", relevant_lines(source, subjects)),
                "disagreements": "\n".join(
                    data("disagreement", _told(disagreement, room)) for disagreement in contested
                ),
            },
        )
        answer: Any = (await self._asked(user, ANSWER_SCHEMA, attempt)).parsed
        asked = {str(disagreement["case"]["id"]) for disagreement in contested}
        found: dict[str, Mapping[str, Any]] = {}
        for verdict in answer["verdicts"]:
            if verdict["case_id"] in asked:
                found.setdefault(str(verdict["case_id"]), verdict)
        return found


def contested_cases(results: Mapping[str, Any], spec: Mapping[str, Any]) -> list[JsonObject]:
    """The cases whose expectation did not hold: `case`, and `result`, what the gate dropped."""
    cases = {str(case.get("id")): case for case in spec.get("cases") or ()}
    found: dict[str, JsonObject] = {}
    for row in results.get("dropped") or ():
        name = str(row.get("case_id"))
        if row.get("class") in _CONTESTED and name in cases and row.get("nodeid"):
            found.setdefault(name, {"case": cases[name], "result": row})
    return list(found.values())[:_MOST_CONTESTED]


def _told(one: Mapping[str, Any], room: int) -> str:
    """A case and what was seen instead, in about `room` characters of the latter."""
    result = one["result"]
    message = str(result.get("message") or "")[:room]
    reason = str(result.get("reason") or "")[: max(0, room - len(message))]
    seen = {"class": result.get("class"), "message": message, "reason": reason if reason not in message else ""}
    return canonical_json(
        {"case": case_for_model(one["case"]), "result": {key: value for key, value in seen.items() if value}}
    )
