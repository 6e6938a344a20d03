"""Which findings tell something that a test may demand, and which of those deserve their place (B-02, B-06)."""

from __future__ import annotations

from collections.abc import Sequence

from ..model.model import Arc, Exploration, Finding, ModuleFacts
from .defects import contradiction
from .normal_form import normal_form
from .oracle import Oracle, Verdict
from .selection import Judged, call_of, unfit, without_repeats, without_weak


def judged_findings(exploration: Exploration) -> tuple[list[Judged], dict[str, str]]:
    """Findings with an oracle, in source order of their subjects, and the reason for each subject that has none.

    What repeats another, or says little, goes; unless it alone runs a part of the code or notices a mutant.
    """
    facts = exploration.facts
    order = {one.qualname: at for at, one in enumerate(facts.callables())}
    found, without = verdicts(facts, exploration.findings)
    judged = [one for one in found if one is not None]
    kept = without_weak(without_repeats(judged))
    kept += _alone(judged, kept)
    kept.sort(key=lambda one: order.get(one.finding.trial.subject, len(order)))
    return kept, without


def verdicts(
    facts: ModuleFacts, findings: Sequence[Finding], beside: Sequence[Finding] = ()
) -> tuple[list[Judged | None], dict[str, str]]:
    """Each finding judged, or None where there is no oracle, and the reason for each subject that has one of those.

    Args:
        beside: further findings that tell what is usual for a subject.
    """
    company = (*findings, *beside)
    raising = frozenset(one.trial.subject for one in company if one.observation.outcome == "raised")
    oracle = Oracle(facts, raising)
    callables = {one.qualname: one for one in facts.callables()}
    texts = frozenset(one.trial.subject for one in company if _is_text(one))
    traced = any(one.observation.arcs for one in findings)
    judged: list[Judged | None] = []
    without: dict[str, str] = {}
    for found in findings:
        subject = found.trial.subject
        if contradiction(found, callables.get(subject)) is not None:
            judged.append(None)
            continue
        finding = normal_form(found, facts, texts)
        if finding is None:
            verdict = Verdict(reason="its call cannot stand in a test")
        else:
            verdict = Verdict(reason=unfit(finding, callables.get(subject), traced=traced))
            verdict = verdict if verdict.reason else oracle.judge(finding)
        if finding is None or not verdict.expectations:
            without.setdefault(subject, verdict.reason)
            judged.append(None)
            continue
        judged.append(Judged(finding, verdict))
    return judged, without


def _alone(judged: Sequence[Judged], kept: Sequence[Judged]) -> list[Judged]:
    """Those left out that run, or notice, what none of the others does; what tells more first."""
    covered: set[Arc] = set().union(*(one.finding.covered for one in kept))
    noticed: set[int] = set().union(*(one.finding.kills for one in kept))
    calls = {call_of(one) for one in kept}
    found: list[Judged] = []
    for one in sorted(judged, key=lambda one: (one.weak, one.silent)):
        if not (one.finding.covered <= covered and one.finding.kills <= noticed) and call_of(one) not in calls:
            covered |= one.finding.covered
            noticed |= one.finding.kills
            found.append(one)
    return found


def _is_text(finding: Finding) -> bool:
    """Whether a plain call of the subject returned a string."""
    value = finding.observation.value
    if value is None or value.type_name != "str" or finding.trial.mode != "call":
        return False
    called = finding.trial.act.partition("(")[0].rpartition(".")[2]
    return called == finding.trial.subject.rpartition(".")[2]
