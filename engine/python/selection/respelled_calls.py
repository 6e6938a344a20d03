"""Leaves out trials that pass by keyword what others pass by position: `wrap(text, width=5)` and `wrap(text, 5)`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ..judge.readability import reading_cost
from ..model.model import RICH_SOURCES, ModuleFacts
from ..scenarios.scenario import ShownBehaviour
from ..search.influence_trials import Distinction
from ..search.trial_search import TrialRecord
from ..source.shown_calls import by_position
from .idle_arguments import outcome_of

_Key = tuple[object, ...]


def without_respelled_calls(
    records: Sequence[TrialRecord], facts: ModuleFacts, kills: Mapping[int, frozenset[int]]
) -> tuple[list[TrialRecord], dict[int, frozenset[int]]]:
    """Leaves out all but one of the records that make the same call with the same values and the same outcome.

    What a person wrote stays; else the one that reads best.

    Args:
        kills: mutants that records detect, by record number.

    Returns:
        The records that are left, and `kills` for them.
    """
    subjects = {one.qualname: one for one in facts.callables()}
    alike: dict[_Key, list[TrialRecord]] = {}
    for record in records:
        subject = subjects.get(record.trial.subject)
        act = by_position(record.trial.act, subject) if subject is not None else None
        if act is not None and not record.time_dependent:
            trial = record.trial
            key = (trial.subject, trial.mode, trial.arrange, act, record.arcs, outcome_of(record.observation))
            alike.setdefault(key, []).append(record)
    known, gone = dict(kills), set[int]()
    for group in alike.values():
        best = min(group, key=_difficulty)
        others = [
            one for one in group if one is not best and one.trial.act != best.trial.act and not _is_shown_as_it_is(one)
        ]
        gone.update(one.number for one in others)
        noticed = known.get(best.number, frozenset()).union(
            *(known.pop(one.number, frozenset[int]()) for one in others)
        )
        if noticed:
            known[best.number] = noticed
    return [one for one in records if one.number not in gone], known


def _difficulty(record: TrialRecord) -> tuple[float, ...]:
    trial = record.trial
    return (
        not trial.wanted,
        not _is_shown_as_it_is(record),
        reading_cost(trial, record.observation),
        record.number,
    )


def _is_shown_as_it_is(record: TrialRecord) -> bool:
    written = record.trial.source in RICH_SOURCES or record.trial.wanted is not None
    return written or ShownBehaviour in record.notes or Distinction in record.notes
