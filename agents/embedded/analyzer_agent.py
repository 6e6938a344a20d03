"""The analyzer without a model: classifies the gate's results.

A failure is never explained away: where the code contradicts its documentation the defect is reported, and the test is
dropped instead of being adapted to the code.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from ...utils.names.counted import counted
from ..contract.lifecycle import Agent
from ..contract.protocol import AgentRequest, JsonObject
from .case_identity import act_of

_TITLES = {
    "product_defect": "contradicts its documentation",
    "test_defect": "expects what does not hold",
    "environment": "meets a gap in the environment",
    "flaky": "holds only sometimes",
    "timeout": "does not come to an end",
}
_TITLE_LENGTH = 160
_TEXT_LENGTH = 4000


class EmbeddedAnalyzerAgent(Agent):
    """Summarises the results of a file, classifies failures, and lists suspected defects and the cases to drop.

    Inputs: `test_results` (the answer of the tool `run_tests`), `spec`, `target`. Result: `summary`, `findings` (class,
    case_id, title, detail, evidence), `suspected_defects` in the spec's form, `drop` (case ids).

    Args: as of `Agent`.
    """

    role = "analyzer"

    async def _work(self, request: AgentRequest) -> JsonObject:
        inputs = request.inputs or {}
        return analyse_results(inputs.get("test_results") or {}, inputs.get("spec") or {}, inputs.get("target"))


def analyse_results(
    results: Mapping[str, Any], spec: Mapping[str, Any], target: object = None, *, pins: bool = True
) -> JsonObject:
    """Analyse results. Deterministic.

    Args:
        pins: whether cases that pin the outcome of a suspected defect's very call are dropped.
    """
    cases = {str(case["id"]): case for case in spec.get("cases") or ()}
    dropped = [row for row in results.get("dropped") or () if isinstance(row, Mapping)]
    known = list(spec.get("suspected_defects") or ())
    defects = [*known, *_new_defects(dropped, cases, known, _path_of(target, spec))]
    findings = [_defect_finding(defect) for defect in known] + [_finding(row, cases) for row in dropped]
    drop = dict.fromkeys(str(row["case_id"]) for row in dropped if row.get("case_id"))
    contradicting = [row["case_id"] for row in dropped if row.get("class") == "product_defect" and row.get("case_id")]
    pinned = contradicted_pins(spec, map(str, contradicting)) if pins else {}
    drop |= dict.fromkeys(pinned)
    findings += pinned.values()
    return {
        "summary": _summary(results, dropped, defects, by_case=bool(cases)),
        "findings": findings,
        "suspected_defects": defects,
        "drop": list(drop),
    }


def contradicted_pins(spec: Mapping[str, Any], defective: Iterable[str]) -> dict[str, JsonObject]:
    """The cases that pin, for the very call of a suspected defect, what the code does today; with a finding for each.

    Args:
        defective: ids of the cases whose expectation shows the defect.
    """
    cases = {str(case["id"]): case for case in spec.get("cases") or ()}
    shown = [name for name in defective if name in cases]
    calls = {act_of(cases[name]): cases[name] for name in shown if cases[name].get("act")}
    found: dict[str, JsonObject] = {}
    for name, case in cases.items():
        other = calls.get(act_of(case)) if case.get("act") else None
        documented = any(row.get("origin") == "documented" for row in case.get("expect") or ())
        if other is None or name in shown or documented:
            continue
        detail = f"It pins today's outcome of a call that {other['id']} shows to be a suspected defect."
        title = _cut(f"{case.get('title') or name}: pins a suspected defect", _TITLE_LENGTH)
        row = {"class": "product_defect", "case_id": name, "title": title, "detail": detail, "evidence": None}
        found[name] = row
    return found


def _new_defects(
    dropped: Sequence[Mapping[str, Any]],
    cases: Mapping[str, Mapping[str, Any]],
    known: Sequence[Mapping[str, Any]],
    path: str,
) -> list[JsonObject]:
    """Build defects for failed documented expectations, each case once, without those that the spec has already."""
    taken = {defect.get("id") for defect in known}
    found: dict[str, JsonObject] = {}
    for row in dropped:
        case = cases.get(str(row.get("case_id")))
        if row.get("class") != "product_defect" or case is None:
            continue
        defect = _defect(case, row, path)
        if defect["id"] not in taken:
            found.setdefault(defect["id"], defect)
    return list(found.values())


def _defect(case: Mapping[str, Any], row: Mapping[str, Any], path: str) -> JsonObject:
    documented = next(
        (expectation for expectation in case["expect"] if expectation.get("origin") == "documented"), case["expect"][0]
    )
    subject, acted = subject_and_act(case)
    statements = [*(case.get("arrange") or {}).get("statements", ()), *acted]
    told = str(case["title"])
    title = _cut(told if told.startswith(subject) else f"{subject}: {told}", _TITLE_LENGTH)
    return {
        "id": "sd_" + str(case["id"]).removeprefix("tc_"),
        "title": title,
        "subject": subject,
        "documented": _cut(str(case.get("expected") or _expectation_text(documented)), _TEXT_LENGTH),
        "observed": _cut(str(row.get("message") or row.get("reason") or "it does something else"), _TEXT_LENGTH),
        "reproduce": "\n".join(statements),
        "evidence": documented.get("evidence") or {"path": path, "lines": [1, 1]},
    }


def subject_and_act(case: Mapping[str, Any]) -> tuple[str, list[str]]:
    """Return a case's subject and its calls: one for a unit case, several for a flow between components."""
    act = case.get("act") or {}
    steps = [step for step in act.get("steps") or () if isinstance(step, Mapping)]
    called = [str(step.get("expression") or "") for step in steps] or [str(act.get("expression") or "")]
    component = str(steps[-1].get("component") or "") if steps else ""
    operation = case.get("operation")
    asked = f"{operation['method']} {operation['path']}" if isinstance(operation, Mapping) else operation
    return str(case.get("subject") or component or asked or "it"), [call for call in called if call]


def _expectation_text(expectation: Mapping[str, Any]) -> str:
    value = expectation.get("exception") or expectation.get("value") or expectation.get("actual") or ""
    return f"{expectation.get('kind', 'equals')} {value}".strip()


def _finding(row: Mapping[str, Any], cases: Mapping[str, Mapping[str, Any]]) -> JsonObject:
    case = cases.get(str(row.get("case_id"))) or {}
    failure_class = row.get("class") if row.get("class") in _TITLES else "test_defect"
    name = str(case.get("title") or row.get("case_id") or row.get("nodeid") or "a test")
    evidence = {key: row[key] for key in ("nodeid", "verdict", "message") if row.get(key)}
    return {
        "class": failure_class,
        "case_id": row.get("case_id"),
        "title": _cut(f"{name}: {_TITLES[str(failure_class)]}", _TITLE_LENGTH),
        "detail": _cut(str(row.get("reason") or row.get("message") or ""), _TEXT_LENGTH),
        "evidence": evidence or None,
    }


def _defect_finding(defect: Mapping[str, Any]) -> JsonObject:
    return {
        "class": "product_defect",
        "case_id": None,
        "title": _cut(str(defect.get("title")), _TITLE_LENGTH),
        "detail": _cut(f"documented: {defect.get('documented')}; observed: {defect.get('observed')}", _TEXT_LENGTH),
        "evidence": defect.get("evidence"),
    }


def _summary(
    results: Mapping[str, Any],
    dropped: Sequence[Mapping[str, Any]],
    defects: Sequence[Mapping[str, Any]],
    *,
    by_case: bool,
) -> str:
    kept = len(results.get("kept") or ())
    said = f"{_count(kept, 'case')} kept"
    if not by_case and not kept and results.get("passed"):  # tests written by a person belong to no spec
        kept = int(results["passed"])
        said = f"{_count(kept, 'test')} {'holds' if kept == 1 else 'hold'}"
    repeats = int(results.get("repeats") or 0)
    confirmed = f", each passing {repeats + 1} times in different orders and processes" if kept and repeats else ""
    parts = [f"{said}{confirmed}."]
    if dropped:
        classes = Counter(str(row.get("class") or "test_defect") for row in dropped)
        named = ", ".join(f"{classes[name]} {name.replace('_', ' ')}" for name in _TITLES if classes[name])
        parts.append(f"{_count(len(dropped), 'test')} dropped: {named}.")
    if defects:
        parts.append(f"{_count(len(defects), 'suspected defect')}: the code contradicts its documentation.")
    after = (results.get("coverage") or {}).get("after") or {}
    if isinstance(after.get("branches"), int):
        before = (results.get("coverage") or {}).get("before") or {}
        rise = f" ({before['covered_branches']} before)" if isinstance(before.get("covered_branches"), int) else ""
        branches = (
            f"{after['covered_branches']} of {after['branches']} branches{rise} and " if after["branches"] else ""
        )
        parts.append(f"{branches}{after['covered']} of {after['statements']} statements covered.")
    return " ".join(parts)


def _count(number: int, noun: str) -> str:
    return counted(number, noun) if number else f"no {noun}s"


def _path_of(target: object, spec: Mapping[str, Any]) -> str:
    if isinstance(target, Mapping) and target.get("path"):
        return str(target["path"])
    return str((spec.get("target") or {}).get("path") or "unknown")


def _cut(text: str, limit: int) -> str:
    text = " ".join(text.split()) if limit == _TITLE_LENGTH else text.strip()
    return text if len(text) <= limit else text[: limit - 1].rstrip() + "…"
