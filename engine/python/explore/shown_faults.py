"""Counts among what tests notice the faults that they were made to show: an option that is ignored, an argument that is
changed, an edge that is treated as any other value. No operator of mutation makes these."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from dataclasses import replace

from ..model.mutant_search import Kills
from ..scenarios.independent_copies import SPARES
from ..scenarios.scenario import LISTED, FurtherRow, ShownBehaviour
from ..search.influence_trials import Control, shown_option
from ..search.trial_search import TrialRecord

_FIRST_NUMBER = 1_000_000
"""The number of the first such fault: those of mutants are lower."""


def with_shown_faults(kills: Kills, records: Sequence[TrialRecord]) -> Kills:
    """The kills with those faults; all calls that show one option notice the same. Nothing is added to no kills."""
    if not kills.by_record:
        return kills
    found = {record.number: list(_faults(record)) for record in records}
    distinct = dict.fromkeys(fault for faults in found.values() for fault in faults)
    numbers = {fault: _FIRST_NUMBER + at for at, fault in enumerate(distinct)}
    by_record = dict(kills.by_record)
    for number, faults in found.items():
        if faults:
            by_record[number] = by_record.get(number, frozenset()) | {numbers[fault] for fault in faults}
    return replace(kills, by_record=by_record)


def _faults(record: TrialRecord) -> Iterator[Hashable]:
    notes, subject = record.notes, record.trial.subject
    if (option := shown_option(record)) and Control in notes:
        yield "ignored", subject, option
    if (shown := notes.get(ShownBehaviour)) in (SPARES, LISTED):
        yield "scenario", subject, shown
    if FurtherRow in notes:
        yield "edge", subject, notes[FurtherRow]
