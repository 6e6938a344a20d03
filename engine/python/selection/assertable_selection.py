"""Replaces selected trials whose outcome cannot be asserted, before the expensive confirmation runs.

A trial can reach new code and still leave nothing to assert: an unchanged object, or a result that no source can
express. Its callable then gets other trials.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence

from ..judge.finding_selection import judge_findings
from ..model.model import Arc, ModuleFacts, TrialFinding
from ..search.trial_search import TrialRecord, behaviour_of
from .candidates import TrialCandidate, candidates_of
from .select_trials import SelectedTrials, select_from, select_trials
from .surplus_tests import without_surplus_tests

_ROUNDS = 12
_MOST_ALIKE = 60


def replace_unassertable(
    records: Sequence[TrialRecord],
    facts: ModuleFacts,
    reached: frozenset[Arc],
    kills: Mapping[int, frozenset[int]] | None = None,
) -> list[TrialRecord]:
    """Selects as `select_trials` does, among trials that leave something to assert.

    Trials whose outcome depends on the day are a last resort: confirmation decides whether anything of them is stable.

    Args:
        reached: arcs that importing the module runs; they need no test.
        kills: mutants that records detect, by record number.
    """
    lasting = [record for record in records if not record.time_dependent]
    unassertable: set[int] = set()
    strong: list[TrialRecord] = []
    chosen = SelectedTrials(())
    known, is_known = candidates_of(lasting, facts, kills), True
    for _ in range(_ROUNDS):
        chosen = select_from(known, facts, reached, kills)
        picked = [candidate.record for candidate in chosen.candidates]
        strong = _strong(facts, picked, kills or {})
        failed = {record.number for record in picked} - {record.number for record in strong}
        unassertable |= failed
        if failed:
            # Where one call of a callable shows nothing, its like do not either: each would take a round of its own.
            unassertable |= _like_failed(
                facts, [one for one in known if one.record.number in failed], known, kills or {}
            )
            known, is_known = [one for one in known if one.record.number not in unassertable], False
        elif is_known:
            break
        else:
            # What cannot be asserted is no reason to leave out another one. To judge all anew takes most of the time.
            left = [one for one in lasting if one.number not in unassertable]
            known, is_known = candidates_of(left, facts, kills), True
    if kills:
        # Only what can be asserted makes another row unnecessary.
        numbers = {record.number for record in strong}
        held = [candidate for candidate in chosen.candidates if candidate.record.number in numbers]
        strong = [candidate.record for candidate in without_surplus_tests(held, reached, chosen.controls)]
    covered = reached.union(*(record.covered for record in strong))
    moving = [record for record in records if record.time_dependent and not record.covered <= covered]
    strong += [one for one in select_trials(moving, facts, covered) if not one.covered <= covered] if moving else []
    order = {subject.qualname: index for index, subject in enumerate(facts.callables())}
    return sorted(strong, key=lambda record: order.get(record.trial.subject, len(order)))


def _like_failed(
    facts: ModuleFacts,
    failed: Sequence[TrialCandidate],
    known: Sequence[TrialCandidate],
    kills: Mapping[int, frozenset[int]],
) -> set[int]:
    """The numbers of the candidates that cannot be asserted either, of those with an outcome like that of one which
    cannot: of the same callable and kind, with as little behind it."""
    outcomes = {_kind_of(one) for one in failed}
    alike: dict[tuple[object, ...], list[TrialRecord]] = defaultdict(list)
    for one in known:
        if (kind := _kind_of(one)) in outcomes and len(alike[kind]) < _MOST_ALIKE:
            alike[kind].append(one.record)
    records = [one for found in alike.values() for one in found]
    strong = {one.number for one in _strong(facts, records, kills, beside=[one.record for one in known])}
    return {one.number for one in records if one.number not in strong}


def _kind_of(candidate: TrialCandidate) -> tuple[object, ...]:
    value = candidate.record.observation.value
    return candidate.subject, behaviour_of(candidate.record.observation), value is not None and value.unchanged


def _strong(
    facts: ModuleFacts,
    picked: Sequence[TrialRecord],
    kills: Mapping[int, frozenset[int]],
    beside: Sequence[TrialRecord] = (),
) -> list[TrialRecord]:
    """Returns the picked records with a strong assertion.

    A documented example counts as strong: whether it agrees with its document is only known after confirmation.

    Args:
        beside: further records that show the usual behaviour of callables: what is never refused tells nothing by None.
    """
    findings, others = (
        [TrialFinding(record.trial, record.observation, covered=record.covered) for record in records]
        for records in (picked, beside)
    )
    judged = judge_findings(facts, findings, others)[0]
    return [
        record
        for record, one in zip(picked, judged, strict=True)
        if record.trial.wanted or (one is not None and not one.weak and (record.number in kills or not one.silent))
    ]
