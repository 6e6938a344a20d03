"""An exploration becomes a unit test spec, valid against the unit test schema (B-02, B-04, B-06, T-08)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from .case_titles import CaseNamer
from .defects import suspected_defects
from .grouping import grouped
from .import_names import ImportNames, at_their_source
from .judging import judged_findings
from .model import Exploration, ModuleFacts
from .oracle import Verdict
from .render import render_cases
from .size import Built, fitted, limits_for
from .spec_case import WEAK_KINDS, Case
from .worth import Judged

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
    names: ImportNames = ImportNames(())

    def build(judged: Sequence[Judged]) -> Built:
        nonlocal names
        expected = [text for one in judged for text in (*one.finding.trial.imports, *one.verdict.imports)]
        names = ImportNames(expected)
        namer = CaseNamer(facts, [one.finding for one in judged])
        cases = [_case(one, facts, namer, names) for one in judged]
        return Built(tuple(one.id for one in cases), tuple(grouped(cases, facts)))

    def written(cases: Sequence[Case]) -> str:
        return render_cases(cases, framework, imports=names.statements(), module=facts.module)

    cases = fitted(judged, build, written, limits_for(exploration.source_lines)).cases
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
