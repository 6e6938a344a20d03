"""Choosing again in place of trials that no test could tell anything of, before any is confirmed (B-06).

A trial may run new code and still say nothing: an object that is as it was, a result that cannot be written down. The
code it runs is then given to other trials, and only where there are none to such as say little.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from ..judge.finding_selection import judge_findings
from ..model.model import Arc, ModuleFacts, TrialFinding
from .trial_search import TrialRecord
from .trial_selection import select_trials

_ROUNDS = 8
_FOR_EACH = 12


def replace_unassertable(
    records: Sequence[TrialRecord],
    facts: ModuleFacts,
    reached: frozenset[Arc],
    kills: Mapping[int, frozenset[int]] | None = None,
) -> list[TrialRecord]:
    """As `select_trials`, with trials that tell something in place of those that do not, as far as there are any.

    Args:
        reached: arcs that need no test, because importing runs them.
        kills: mutants that records notice, by the records' numbers.
    """
    lasting = [one for one in records if not one.time_dependent]
    chosen = select_trials(lasting, facts, reached, kills)
    wanted = _covered(chosen, reached)
    kept: list[TrialRecord] = []
    mute: set[int] = set()
    little: list[TrialRecord] = []
    picked = chosen
    for _ in range(_ROUNDS):
        telling, weak = _told(facts, kept, picked, kills or {})
        kept += telling
        little += weak
        mute |= {one.number for one in picked} - {one.number for one in telling}
        lost = wanted - _covered(kept, reached)
        if not lost:
            break
        known = mute | {one.number for one in kept}
        rest = _plainest([one for one in lasting if one.number not in known], lost)
        picked = _needed(rest, facts, _covered(kept, reached))
        if not picked:
            break
    covered = set(_covered(kept, reached))
    kept += [one for one in little if _adds(one, covered)]
    kept += _needed([one for one in records if one.time_dependent], facts, frozenset(covered))
    order = {one.qualname: index for index, one in enumerate(facts.callables())}
    return sorted(kept, key=lambda one: order.get(one.trial.subject, len(order)))


def _covered(records: Iterable[TrialRecord], reached: frozenset[Arc]) -> frozenset[Arc]:
    return reached.union(*(one.covered for one in records))


def _needed(records: Sequence[TrialRecord], facts: ModuleFacts, covered: frozenset[Arc]) -> list[TrialRecord]:
    """The chosen among some records, without those that only show more of what is reached."""
    gathered = set(covered)
    return [one for one in select_trials(records, facts, covered) if _adds(one, gathered)]


def _plainest(records: Sequence[TrialRecord], lost: frozenset[Arc]) -> list[TrialRecord]:
    """A few records for each lost arc, the shortest: choosing among all of them again would take long."""
    taken = dict.fromkeys(lost, 0)
    found: list[TrialRecord] = []
    for one in sorted(records, key=lambda one: (len(one.trial.act) + sum(map(len, one.trial.arrange)), one.number)):
        wanted = [arc for arc in one.covered & lost if taken[arc] < _FOR_EACH]
        if wanted:
            found.append(one)
            for arc in wanted:
                taken[arc] += 1
    return sorted(found, key=lambda one: one.number)


def _adds(one: TrialRecord, covered: set[Arc]) -> bool:
    """Whether a record runs something new; it counts as run then."""
    new = not one.covered <= covered
    covered |= one.covered
    return new


def _told(
    facts: ModuleFacts, kept: Sequence[TrialRecord], picked: Sequence[TrialRecord], kills: Mapping[int, frozenset[int]]
) -> tuple[list[TrialRecord], list[TrialRecord]]:
    """Those picked that tell something in the company of those kept, and those that say little.

    A record whose document may disagree is judged later, once it has been repeated.
    """
    found = judge_findings(facts, _findings(picked), _findings(kept))[0]
    telling = [
        one
        for one, judged in zip(picked, found, strict=True)
        if one.trial.wanted or (judged is not None and (one.number in kills or not (judged.weak or judged.silent)))
    ]
    known = {one.number for one in telling}
    weak = [one for one, judged in zip(picked, found, strict=True) if judged is not None and one.number not in known]
    return telling, weak


def _findings(records: Sequence[TrialRecord]) -> list[TrialFinding]:
    return [TrialFinding(one.trial, one.observation) for one in records]
