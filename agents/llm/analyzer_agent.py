"""The analyzer with a model, which decides where a test and the code disagree: defect, or wrong expectation.

What the gate found without a model (passed, flaky, timed out) comes from the embedded analysis. A verdict may report a
defect, or send an expectation back to the spec agent; it changes no test.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from ...utils.canonical import canonical_json
from ...utils.names.counted import counted
from ...utils.python_source import source_lines
from ...utils.untrusted_files import read_source
from ..contract.lifecycle import AgentContract
from ..contract.protocol import AgentRequest, AgentResponse, JsonObject, success_response
from ..embedded.analyzer_agent import analyse_results, contradicted_pins
from ..guardrails.oracles import Documentation
from ..model.chat import ModelChat
from .model_agent import ModelAgent, UnusableAnswer, closed, list_of, optional, text_of
from .prompt import data
from .source_view import relevant_lines
from .specs.spec_answer import case_for_model
from .specs.surroundings import tool_context

_CONTESTED = ("product_defect", "test_defect")
_MOST_CONTESTED = 40
_TEXT = 1000
RULE = "wrong_expectation"
_GROUNDED_ORIGINS = ("documented", "inferred")
_MOST_LINES = 60
_EXCERPT = 160
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

    async def _answer(self, request: AgentRequest) -> AgentResponse | JsonObject:
        inputs = request.inputs or {}
        results, spec = inputs.get("test_results") or {}, inputs.get("spec") or {}
        base = analyse_results(results, spec, inputs.get("target"))
        contested = contested_cases(results, spec)
        if not contested or str(spec.get("test_type") or "unit") != "unit":
            return base  # flows and requests have no single place in one file to cite
        try:
            source = await asyncio.to_thread(self._source, spec)
            verdicts = await self._verdicts(contested, spec, source, inputs)
        except UnusableAnswer as unusable:
            trace: list[JsonObject] = [{"event": "not_judged", "reason": unusable.message}]
            return success_response(base, trace=trace)
        trace = [
            {"event": "judged", "case_id": name, "verdict": verdict["verdict"]} for name, verdict in verdicts.items()
        ]
        plain = analyse_results(results, spec, inputs.get("target"), pins=False)
        return success_response(apply_verdicts(plain, contested, verdicts, spec, source_lines(source)), trace=trace)

    async def _embedded(self, request: AgentRequest) -> JsonObject:
        inputs = request.inputs or {}
        return analyse_results(inputs.get("test_results") or {}, inputs.get("spec") or {}, inputs.get("target"))

    def _source(self, spec: Mapping[str, Any]) -> str:
        path = str((spec.get("target") or {}).get("path") or "")
        return read_source(self._root, path, errors="replace")

    async def _verdicts(
        self, contested: Sequence[Mapping[str, Any]], spec: Mapping[str, Any], source: str, inputs: Mapping[str, Any]
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
                "context": data("context", tool_context(inputs, path) or "nothing"),
                "disagreements": "\n".join(
                    data("disagreement", _disagreement_text(disagreement, limit))
                    for disagreement in sorted(contested, key=_cited)
                ),
            },
        )
        answer: Any = (await self._ask_model(user, ANSWER_SCHEMA, int(inputs.get("attempt") or 1))).parsed
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


def _cited(disagreement: Mapping[str, Any]) -> list[int]:
    """The lines that a contested case cites, so that those about the same promise stand together."""
    places = [(row.get("evidence") or {}).get("lines") for row in disagreement["case"].get("expect") or ()]
    return next((list(lines) for lines in places if lines), [0, 0])


def _disagreement_text(disagreement: Mapping[str, Any], limit: int) -> str:
    """Render a case and its failure, with at most about `limit` characters of the latter."""
    result = disagreement["result"]
    message = str(result.get("message") or "")[:limit]
    reason = str(result.get("reason") or "")[: max(0, limit - len(message))]
    seen = {"class": result.get("class"), "message": message, "reason": reason if reason not in message else ""}
    return canonical_json(
        {"case": case_for_model(disagreement["case"]), "result": {key: value for key, value in seen.items() if value}}
    )


def apply_verdicts(
    base: JsonObject,
    contested: Sequence[Mapping[str, Any]],
    verdicts: Mapping[str, Mapping[str, Any]],
    spec: Mapping[str, Any],
    lines: Sequence[str],
) -> JsonObject:
    """Apply verdicts to the embedded analysis.

    Args:
        contested: cases whose expectation failed, each with `case` and `result`.
        verdicts: of the model, by case id; a case without one stays as in the analysis.
        lines: of the target, to check the places that verdicts cite.
    """
    known = {str(defect.get("id")) for defect in spec.get("suspected_defects") or ()}
    defects = {str(defect["id"]): defect for defect in base["suspected_defects"]}
    findings = {str(finding.get("case_id")): finding for finding in base["findings"] if finding.get("case_id")}
    refine: list[JsonObject] = []
    for disagreement in contested:
        case, result = disagreement["case"], disagreement["result"]
        name = str(case["id"])
        verdict = verdicts.get(name)
        if verdict is None:
            continue
        is_defect, why = _decided(case, result, verdict, lines)
        defect_id = "sd_" + name.removeprefix("tc_")
        kind = "product_defect" if is_defect else "test_defect"
        findings[name] = _finding(findings.get(name), case, kind, why, result)
        if is_defect:
            if defect_id not in known:
                defects[defect_id] = _defect(defect_id, case, result, verdict, spec, lines)
            continue
        if defect_id not in known:
            defects.pop(defect_id, None)
        refine.append(_error(case, verdict, result))
    # Of all that the gate found, not only of those that the model was shown.
    defective = [name for name in base["drop"] if _is_suspected(name, defects)]
    pins = contradicted_pins(spec, defective)
    findings.update(pins)
    others = [finding for finding in base["findings"] if not finding.get("case_id")]
    judged = f"{len(verdicts)} of {counted(len(contested), 'disagreement')}"
    said = f" The model judged {judged}: {len(refine)} to refine."
    return {
        **base,
        "summary": base["summary"] + said,
        "findings": [*others, *findings.values()],
        "suspected_defects": list(defects.values()),
        "drop": list(dict.fromkeys([*base["drop"], *pins])),
        "refine": refine,
    }


def _is_suspected(case_id: str, defects: Mapping[str, Any]) -> bool:
    return "sd_" + case_id.removeprefix("tc_") in defects


def _decided(
    case: Mapping[str, Any], result: Mapping[str, Any], verdict: Mapping[str, Any], lines: Sequence[str]
) -> tuple[bool, str]:
    """Decide whether a disagreement is a suspected defect. Returns the decision and the reason."""
    reason = str(verdict["reason"]).strip()
    if verdict["verdict"] == "defect":
        if _grounded_expectation(case) is None:
            return False, f"The model calls it a defect ({reason}), but nothing documents or implies what was expected."
        return True, f"The model holds it for a defect: {reason}"
    # Whether the failed expectation is documented, by the gate's class or because all of the case's are.
    expected = case.get("expect") or ()
    documented = bool(expected) and all(expectation.get("origin") == "documented" for expectation in expected)
    if not (documented or result.get("class") == "product_defect"):
        return False, f"The model holds the expectation for wrong: {reason}"
    place = _place(verdict, lines)
    if _is_said(case, lines):
        return True, (
            "The documentation says the expected value, so it stays a suspected defect, although the model holds the "
            f"expectation for wrong: {reason}"
        )
    if place is None:
        return True, (
            "It is documented, and stays a suspected defect: the model holds the expectation for wrong "
            f"({reason}), but names no lines of the target that show it."
        )
    first, last = place
    shown = " ".join(" ".join(lines[first - 1 : last]).split())[:_EXCERPT]
    return False, f"The model holds the documented reading for wrong by the lines {first} to {last} ({shown}): {reason}"


def _is_said(case: Mapping[str, Any], lines: Sequence[str]) -> bool:
    """Whether the prose that a documented expectation cites holds the expected value itself."""
    documentation = Documentation("\n".join(lines))
    return any(
        documentation.says_value(expected, (expected.get("evidence") or {}).get("lines"))
        for expected in case.get("expect") or ()
        if expected.get("origin") == "documented"
    )


def _grounded_expectation(case: Mapping[str, Any]) -> Mapping[str, Any] | None:
    """Return the first documented expectation of the case, else the first inferred one, else None."""
    for origin in _GROUNDED_ORIGINS:
        for expectation in case.get("expect") or ():
            if expectation.get("origin") == origin:
                return expectation
    return None


def _place(verdict: Mapping[str, Any], lines: Sequence[str]) -> tuple[int, int] | None:
    """Return the lines that a verdict cites if the target has them, they are not blank, and not a whole file."""
    named = sorted(verdict.get("lines") or ())
    if len(named) != 2 or named[0] < 1 or named[1] > len(lines) or named[1] - named[0] >= _MOST_LINES:
        return None
    return (named[0], named[1]) if any(line.strip() for line in lines[named[0] - 1 : named[1]]) else None


def _defect(
    defect_id: str,
    case: Mapping[str, Any],
    result: Mapping[str, Any],
    verdict: Mapping[str, Any],
    spec: Mapping[str, Any],
    lines: Sequence[str],
) -> JsonObject:
    path = str((spec.get("target") or {}).get("path") or "unknown")
    called_defect = verdict["verdict"] == "defect"
    named = _place(verdict, lines) if called_defect else None
    place = {"path": path, "lines": list(named)} if named else (_grounded_expectation(case) or {}).get("evidence")
    documented = str(verdict.get("documented") or "") if called_defect else ""
    statements = [*((case.get("arrange") or {}).get("statements") or ()), str(case["act"]["expression"])]
    return {
        "id": defect_id,
        "title": " ".join(f"{case['subject']}: {case['title']}".split())[:160],
        "subject": case["subject"],
        "documented": (documented or str(case.get("expected") or "") or "what the test expects")[:_TEXT],
        "observed": _seen(result)[:_TEXT],
        "reproduce": "\n".join(statements),
        "evidence": place or {"path": path, "lines": [1, 1]},
    }


def _finding(
    before: Mapping[str, Any] | None, case: Mapping[str, Any], kind: str, why: str, result: Mapping[str, Any]
) -> JsonObject:
    word = "the code contradicts what is promised" if kind == "product_defect" else "the expectation was wrong"
    origins = "/".join(dict.fromkeys(str(expectation.get("origin")) for expectation in case.get("expect") or ()))
    expected = str(case.get("expected") or "").strip()[:_TEXT]
    return {
        "class": kind,
        "case_id": str(case["id"]),
        "title": f"{case['id']}: {word}"[:160],
        "detail": f"{why[:_TEXT]} Expected ({origins}): {expected} Seen: {_seen(result)[:_TEXT]}",
        "evidence": (before or {}).get("evidence"),
    }


def _error(case: Mapping[str, Any], verdict: Mapping[str, Any], result: Mapping[str, Any]) -> JsonObject:
    return {
        "case_id": case["id"],
        "message": f"{case['id']} does not hold: {verdict['reason']}"[:_TEXT],
        "severity": "error",
        "suggestion": "expect what the code rightly does, exactly; origin and evidence must say who promises it",
        "rule": RULE,
        "excerpt": _seen(result)[:400],
    }


def _seen(result: Mapping[str, Any]) -> str:
    return str(result.get("message") or result.get("reason") or "it does something else").strip()
