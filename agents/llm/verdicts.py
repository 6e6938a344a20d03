"""Applies a model's verdicts on disagreements to the analysis, within limits that keep them grounded.

A defect needs a documented or inferred expectation. A documented expectation is overruled only by a verdict that cites
lines of the target which show it to be wrong; without them the suspected defect stays. Every finding has both the
expectation and the observation, with the deciding argument.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ..contract.protocol import JsonObject

RULE = "wrong_expectation"
_GROUNDED_ORIGINS = ("documented", "inferred")
_MOST_LINES = 60
_TEXT = 1000
_EXCERPT = 160


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
    others = [finding for finding in base["findings"] if not finding.get("case_id")]
    counted = f" The model judged {len(verdicts)} of {len(contested)} disagreements: {len(refine)} to refine."
    return {
        **base,
        "summary": base["summary"] + counted,
        "findings": [*others, *findings.values()],
        "suspected_defects": list(defects.values()),
        "refine": refine,
    }


def _decided(
    case: Mapping[str, Any], result: Mapping[str, Any], verdict: Mapping[str, Any], lines: Sequence[str]
) -> tuple[bool, str]:
    """Decide whether a disagreement is a suspected defect. Returns the decision and the reason."""
    reason = str(verdict["reason"]).strip()
    if verdict["verdict"] == "defect":
        if _grounded_expectation(case) is None:
            return False, f"The model calls it a defect ({reason}), but nothing documents or implies what was expected."
        return True, f"The model holds it for a defect: {reason}"
    if not _is_documented(case, result):
        return False, f"The model holds the expectation for wrong: {reason}"
    place = _place(verdict, lines)
    if place is None:
        return True, (
            "It is documented, and stays a suspected defect: the model holds the expectation for wrong "
            f"({reason}), but names no lines of the target that show it."
        )
    first, last = place
    shown = " ".join(" ".join(lines[first - 1 : last]).split())[:_EXCERPT]
    return False, f"The model holds the documented reading for wrong by the lines {first} to {last} ({shown}): {reason}"


def _is_documented(case: Mapping[str, Any], result: Mapping[str, Any]) -> bool:
    """Whether the failed expectation is documented, by the gate's class or because all of the case's are."""
    expected = case.get("expect") or ()
    documented = bool(expected) and all(expectation.get("origin") == "documented" for expectation in expected)
    return documented or result.get("class") == "product_defect"


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
