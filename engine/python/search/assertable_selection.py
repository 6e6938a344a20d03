"""Choosing again in place of trials that no test could tell anything of, before any is confirmed (B-06).

A trial may run new code and still say nothing: an object that is as it was, a result that cannot be written down. The
code it runs is then given to other trials, and only where there are none to such as say little.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from ..judge.assertability import verdicts
from ..model.model import Arc, Finding, ModuleFacts
from .choice import choose
from .search import Record

_ROUNDS = 8
_FOR_EACH = 12


def choose_telling(
    records: Sequence[Record],
    facts: ModuleFacts,
    reached: frozenset[Arc],
    kills: Mapping[int, frozenset[int]] | None = None,
) -> list[Record]:
    """As `choose`, with trials that tell something in place of those that do not, as far as there are any.

    Args:
        reached: arcs that need no test, because importing runs them.
        kills: mutants that records notice, by the records' numbers.
    """
    lasting = [one for one in records if not one.moving]
    chosen = choose(lasting, facts, reached, kills)
    wanted = _covered(chosen, reached)
    kept: list[Record] = []
    mute: set[int] = set()
    little: list[Record] = []
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
    kept += _needed([one for one in records if one.moving], facts, frozenset(covered))
    order = {one.qualname: index for index, one in enumerate(facts.callables())}
    return sorted(kept, key=lambda one: order.get(one.trial.subject, len(order)))


def _covered(records: Iterable[Record], reached: frozenset[Arc]) -> frozenset[Arc]:
    return reached.union(*(one.covered for one in records))


def _needed(records: Sequence[Record], facts: ModuleFacts, covered: frozenset[Arc]) -> list[Record]:
    """The chosen among some records, without those that only show more of what is reached."""
    gathered = set(covered)
    return [one for one in choose(records, facts, covered) if _adds(one, gathered)]


def _plainest(records: Sequence[Record], lost: frozenset[Arc]) -> list[Record]:
    """A few records for each lost arc, the shortest: choosing among all of them again would take long."""
    taken = dict.fromkeys(lost, 0)
    found: list[Record] = []
    for one in sorted(records, key=lambda one: (len(one.trial.act) + sum(map(len, one.trial.arrange)), one.number)):
        wanted = [arc for arc in one.covered & lost if taken[arc] < _FOR_EACH]
        if wanted:
            found.append(one)
            for arc in wanted:
                taken[arc] += 1
    return sorted(found, key=lambda one: one.number)


def _adds(one: Record, covered: set[Arc]) -> bool:
    """Whether a record runs something new; it counts as run then."""
    new = not one.covered <= covered
    covered |= one.covered
    return new


def _told(
    facts: ModuleFacts, kept: Sequence[Record], picked: Sequence[Record], kills: Mapping[int, frozenset[int]]
) -> tuple[list[Record], list[Record]]:
    """Those picked that tell something in the company of those kept, and those that say little.

    A record whose document may disagree is judged later, once it has been repeated.
    """
    found = verdicts(facts, _findings(picked), _findings(kept))[0]
    telling = [
        one
        for one, judged in zip(picked, found, strict=True)
        if one.trial.wanted or (judged is not None and (one.number in kills or not (judged.weak or judged.silent)))
    ]
    known = {one.number for one in telling}
    weak = [one for one, judged in zip(picked, found, strict=True) if judged is not None and one.number not in known]
    return telling, weak


def _findings(records: Sequence[Record]) -> list[Finding]:
    return [Finding(one.trial, one.observation) for one in records]
