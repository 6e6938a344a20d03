"""An exploration becomes a unit test spec, valid against the unit test schema (B-02, B-04, B-06, T-08)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from .case_titles import CaseNamer
from .defects import contradiction, suspected_defects
from .group import MOST_COLUMNS, Group, buckets, tabulate
from .import_names import ImportNames
from .model import Exploration, Finding, ModuleFacts
from .normal_form import normal_form
from .oracle import Oracle, Verdict
from .spec_case import WEAK_KINDS, Case
from .titles import cut_slug, slug, snake_case, subject_slug

SCHEMA_VERSION = "1.0.0"
_LONGEST_GROUP = 150


@dataclass(frozen=True, slots=True)
class Judged:
    """A finding in normal form, with its verdict."""

    finding: Finding
    verdict: Verdict


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
    judged, without = _judged(exploration)
    names = ImportNames()
    namer = CaseNamer(facts, [one.finding for one in judged])
    cases = [_case(one, namer, names) for one in judged]
    cases = _grouped(_without_repeats(cases), facts)
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


def _judged(exploration: Exploration) -> tuple[list[Judged], dict[str, str]]:
    """Findings with an oracle, in source order of their subjects, and the reason for each subject that has none."""
    facts = exploration.facts
    raising = frozenset(one.trial.subject for one in exploration.findings if one.observation.outcome == "raised")
    oracle = Oracle(facts, raising)
    callables = {one.qualname: one for one in facts.callables()}
    order = {name: at for at, name in enumerate(callables)}
    judged: list[Judged] = []
    without: dict[str, str] = {}
    for found in exploration.findings:
        subject = found.trial.subject
        if contradiction(found, callables.get(subject)) is not None:
            continue
        finding = normal_form(found, facts)
        verdict = oracle.judge(finding) if finding is not None else Verdict(reason="its call cannot stand in a test")
        if finding is None or not verdict.expectations:
            without.setdefault(subject, verdict.reason)
            continue
        judged.append(Judged(finding, verdict))
    judged.sort(key=lambda one: order.get(one.finding.trial.subject, len(order)))
    return judged, without


def _case(judged: Judged, namer: CaseNamer, names: ImportNames) -> Case:
    trial, verdict = judged.finding.trial, judged.verdict
    source = names.adopt(trial.arrange, trial.act, trial.imports, verdict.expectations, verdict.imports)
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


def _without_repeats(cases: Sequence[Case]) -> list[Case]:
    """Each call once: the first documented one, else the first."""
    found: dict[tuple[Any, ...], Case] = {}
    for case in cases:
        key = (case.subject, case.statements, case.expression, case.mode)
        if key not in found or (case.origin == "documented" and found[key].origin != "documented"):
            found[key] = case
    return list(found.values())


def _grouped(cases: Sequence[Case], facts: ModuleFacts) -> list[Case]:
    """The cases with `group` set where they share a shape, rows of one group one after another, subjects in order."""
    parameters = {one.qualname: one for one in facts.callables()}
    by_name: dict[str, list[str]] = {}
    for one in parameters.values():
        name = one.qualname if one.kind == "constructor" else one.name
        known = [p.name for p in one.parameters if p.kind in ("positional_only", "positional_or_keyword")]
        by_name.setdefault(name, known[1:] if known[:1] in (["self"], ["cls"]) else known)
    used: set[str] = set()
    order = {case.subject: at for at, case in reversed(list(enumerate(cases)))}
    placed: list[Case] = []
    for members in buckets(cases):
        table = tabulate(members, (), lambda call, at: _parameter(by_name, call, at))
        if table is None or len(table.columns) > MOST_COLUMNS:
            placed += members
            continue
        group = Group(_group_name(members, table.columns, used), tuple(snake_case(one) for one in table.columns))
        used.add(group.name)
        text = group.text if len(group.text) <= _LONGEST_GROUP else group.name
        placed += [replace(case, group=text) for case in members]
    return sorted(placed, key=lambda case: order[case.subject])


def _parameter(by_name: dict[str, list[str]], call: Any, at: int) -> str | None:
    name = getattr(call.func, "attr", None) or getattr(call.func, "id", "")
    known = by_name.get(name, [])
    return known[at].strip("_") or None if at < len(known) else None


def _group_name(members: Sequence[Case], columns: Sequence[str], used: set[str]) -> str:
    """What the table shows: the subject, the exception, and only if needed its columns."""
    first = members[0]
    words = [subject_slug(first.subject)]
    raised = next((one.exception for one in first.expect if one.kind == "raises"), None)
    if raised:
        words.append(f"raises_{snake_case(raised.rpartition('.')[2])}")
    name = cut_slug("_".join(words))
    inputs = [slug(one) for one in columns if not one.startswith("expected") and one != "message"]
    candidates = [name, cut_slug(f"{name}_with_{'_and_'.join(inputs[-2:])}") if inputs else name]
    for number in range(2, len(used) + 3):
        candidates.append(f"{name}_{number}")
    return next(one for one in candidates if one not in used)


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
