"""Rows that stand beside a callable's usual examples, whatever else they add: the edges of what it takes."""

from __future__ import annotations

from ..search.influence_trials import Distinction
from ..search.trial_search import TrialRecord


class FurtherRow:
    """Key of the notes of records that become rows beside an example of the same form; the value says what is shown."""


def mark_further_row(record: TrialRecord, shows: str) -> None:
    """Has a record become a row, if an example of the same form becomes a test."""
    record.notes.setdefault(FurtherRow, shows)
    record.notes.setdefault(Distinction, shows)


def is_further_row(record: TrialRecord) -> bool:
    """Whether a record is such a row."""
    return FurtherRow in record.notes
