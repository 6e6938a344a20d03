"""An exploration becomes a unit test spec, valid against the unit test schema (B-02, B-04, B-06, T-08)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from .case_titles import CaseNamer
from .defects import contradiction, suspected_defects
from .grouping import grouped
from .import_names import ImportNames, at_their_source
from .model import Exploration, Finding, ModuleFacts
from .normal_form import normal_form
from .oracle import Oracle, Verdict
from .spec_case import WEAK_KINDS, Case
from .worth import Judged, unfit, without_repeats, without_weak

SCHEMA_VERSION = "1.0.0"


def compose_spec(
    exploration: Exploration, *, framework: str, request: str = "", import_roots: Sequence[str] = ()
) -> dict[str, Any]:
    """The unit spec of one module. `cases` is empty where nothing could be told; `not_reached` then says why.

    Args:
        framework: pytest or unittest.
        request: what the user asked for; it does not change what is true of the code, so only the title may show it.
        import_roots: the layout's import roots; the first one is taken when the facts name none.
    """
    facts = exploration.facts
    judged, without = judged_findings(exploration)
    expected = [text for one in judged for text in (*one.finding.trial.imports, *one.verdict.imports)]
    names = ImportNames(expected)
    namer = CaseNamer(facts, [one.finding for one in judged])
    cases = grouped([_case(one, facts, namer, names) for one in judged], facts)
    defects = suspected_defects(exploration)
    covered = {case.subject for case in cases} | {str(one["subject"]) for one in defects}
    spec: dict[str, Any] = {
        "schema_version": SCHEMA_VERSION,
        "test_type": "unit",
        "title": f"Unit tests for {facts.module}",
        "language": "python",
        "framework": framework,
        "target": {
            "path": facts.path,
            "module": facts.module,
            "import_root": facts.import_root or next(iter(import_roots), "."),
            "digest": facts.digest,
        },
        "imports": names.statements(),
        "cases": [case.to_json() for case in cases],
        "suspected_defects": defects,
        "not_reached": _not_reached(exploration, without, covered),
    }
    return spec


def judged_findings(exploration: Exploration) -> tuple[list[Judged], dict[str, str]]:
    """Findings with an oracle, in source order of their subjects, and the reason for each subject that has none."""
    facts = exploration.facts
    raising = frozenset(one.trial.subject for one in exploration.findings if one.observation.outcome == "raised")
    oracle = Oracle(facts, raising)
    callables = {one.qualname: one for one in facts.callables()}
    order = {name: at for at, name in enumerate(callables)}
    texts = frozenset(one.trial.subject for one in exploration.findings if _is_text(one))
    traced = any(one.observation.arcs for one in exploration.findings)
    judged: list[Judged] = []
    without: dict[str, str] = {}
    for found in exploration.findings:
        subject = found.trial.subject
        if contradiction(found, callables.get(subject)) is not None:
            continue
        finding = normal_form(found, facts, texts)
        if finding is None:
            verdict = Verdict(reason="its call cannot stand in a test")
        else:
            verdict = Verdict(reason=unfit(finding, callables.get(subject), traced=traced))
            verdict = verdict if verdict.reason else oracle.judge(finding)
        if finding is None or not verdict.expectations:
            without.setdefault(subject, verdict.reason)
            continue
        judged.append(Judged(finding, verdict))
    judged = without_weak(without_repeats(judged))
    judged.sort(key=lambda one: order.get(one.finding.trial.subject, len(order)))
    return judged, without


def _is_text(finding: Finding) -> bool:
    """Whether a plain call of the subject returned a string."""
    value = finding.observation.value
    if value is None or value.type_name != "str" or finding.trial.mode != "call":
        return False
    called = finding.trial.act.partition("(")[0].rpartition(".")[2]
    return called == finding.trial.subject.rpartition(".")[2]


def _case(judged: Judged, facts: ModuleFacts, namer: CaseNamer, names: ImportNames) -> Case:
    trial, verdict = judged.finding.trial, judged.verdict
    imports = at_their_source(trial.imports, facts)
    source = names.adopt(trial.arrange, trial.act, imports, verdict.expectations, verdict.imports)
    named = namer.name(trial.subject, source.statements, source.expression, trial.mode, source.expect)
    return Case(
        id=named.id,
        title=named.title,
        subject=trial.subject,
        priority=_priority(verdict),
        preconditions=tuple(" ".join(one.split())[:900] for one in source.statements[:50]),
        steps=(named.step,),
        expected=named.expected,
        fixtures=trial.fixtures,
        statements=source.statements,
        expression=source.expression,
        mode=trial.mode,
        expect=source.expect,
    )


def _priority(verdict: Verdict) -> str:
    if any(one.origin == "documented" for one in verdict.expectations):
        return "high"
    if all(one.kind in WEAK_KINDS for one in verdict.expectations):
        return "low"
    return "medium"


def _not_reached(exploration: Exploration, without: dict[str, str], covered: set[str]) -> list[dict[str, Any]]:
    lines = {one.qualname: one.lines[0] for one in exploration.facts.callables()}
    found: dict[str, dict[str, Any]] = {}
    for one in exploration.unreached:
        if one.qualname not in covered:
            found[one.qualname] = _unreached(one.qualname, one.reason, one.line or lines.get(one.qualname, 0))
    for subject, reason in without.items():
        if subject not in covered:
            found[subject] = _unreached(subject, reason, lines.get(subject, 0))
    return sorted(found.values(), key=lambda one: (one.get("line", 0), one["subject"]))


def _unreached(subject: str, reason: str, line: int) -> dict[str, Any]:
    entry: dict[str, Any] = {"subject": subject, "reason": reason or "no input was found that calls it"}
    if line > 0:
        entry["line"] = line
    return entry
