"""Replaces selected trials whose outcome cannot be asserted, before the expensive confirmation runs.

A trial can reach new code and still leave nothing to assert: an unchanged object, or a result that no source can
express. Its arcs are then assigned to other trials; trials with a weak assertion are used only where no other reaches
the arcs.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from ..judge.finding_selection import judge_findings
from ..model.model import Arc, ModuleFacts, TrialFinding
from .trial_search import TrialRecord
from .trial_selection import select_trials

_ROUNDS = 8
_CANDIDATES_PER_ARC = 12


def replace_unassertable(
    records: Sequence[TrialRecord],
    facts: ModuleFacts,
    reached: frozenset[Arc],
    kills: Mapping[int, frozenset[int]] | None = None,
) -> list[TrialRecord]:
    """Selects as `select_trials` does, with assertable trials in place of others as far as there are any.

    Args:
        reached: arcs that importing the module runs; they need no test.
        kills: mutants that records detect, by record number.
    """
    lasting = [record for record in records if not record.time_dependent]
    picked = select_trials(lasting, facts, reached, kills)
    wanted = _covered(picked, reached)
    kept: list[TrialRecord] = []
    weak: list[TrialRecord] = []
    unassertable: set[int] = set()
    for _ in range(_ROUNDS):
        strong, poor = _by_strength(facts, kept, picked, kills or {})
        kept += strong
        weak += poor
        unassertable |= {record.number for record in picked} - {record.number for record in strong}
        lost = wanted - _covered(kept, reached)
        if not lost:
            break
        tried = unassertable | {record.number for record in kept}
        candidates = _plainest([record for record in lasting if record.number not in tried], lost)
        picked = _needed(candidates, facts, _covered(kept, reached))
        if not picked:
            break
    covered = set(_covered(kept, reached))
    kept += [record for record in weak if _adds_arcs(record, covered)]
    # Last resort for what is still uncovered: confirmation decides whether anything of them is stable.
    kept += _needed([record for record in records if record.time_dependent], facts, frozenset(covered))
    order = {subject.qualname: index for index, subject in enumerate(facts.callables())}
    return sorted(kept, key=lambda record: order.get(record.trial.subject, len(order)))


def _covered(records: Iterable[TrialRecord], reached: frozenset[Arc]) -> frozenset[Arc]:
    return reached.union(*(record.covered for record in records))


def _needed(records: Sequence[TrialRecord], facts: ModuleFacts, covered: frozenset[Arc]) -> list[TrialRecord]:
    """Selects among the records, without those that add no arc."""
    gathered = set(covered)
    return [record for record in select_trials(records, facts, covered) if _adds_arcs(record, gathered)]


def _plainest(records: Sequence[TrialRecord], lost: frozenset[Arc]) -> list[TrialRecord]:
    """Returns the few shortest records for each lost arc: selecting among all of them again would take long."""
    taken = dict.fromkeys(lost, 0)
    found: list[TrialRecord] = []
    for record in sorted(
        records, key=lambda item: (len(item.trial.act) + sum(map(len, item.trial.arrange)), item.number)
    ):
        wanted = [arc for arc in record.covered & lost if taken[arc] < _CANDIDATES_PER_ARC]
        if wanted:
            found.append(record)
            for arc in wanted:
                taken[arc] += 1
    return sorted(found, key=lambda record: record.number)


def _adds_arcs(record: TrialRecord, covered: set[Arc]) -> bool:
    """Whether a record runs new arcs; adds them to `covered`."""
    new = not record.covered <= covered
    covered |= record.covered
    return new


def _by_strength(
    facts: ModuleFacts, kept: Sequence[TrialRecord], picked: Sequence[TrialRecord], kills: Mapping[int, frozenset[int]]
) -> tuple[list[TrialRecord], list[TrialRecord]]:
    """Splits the picked records into those with a strong and with a weak assertion; drops those without any.

    A documented example counts as strong: whether it agrees with its document is only known after confirmation.
    """
    strong: list[TrialRecord] = []
    weak: list[TrialRecord] = []
    for record, judged in zip(picked, judge_findings(facts, _findings(picked), _findings(kept))[0], strict=True):
        has_strong = judged is not None and (record.number in kills or not (judged.weak or judged.silent))
        if record.trial.wanted or has_strong:
            strong.append(record)
        elif judged is not None:
            weak.append(record)
    return strong, weak


def _findings(records: Sequence[TrialRecord]) -> list[TrialFinding]:
    return [TrialFinding(record.trial, record.observation) for record in records]
