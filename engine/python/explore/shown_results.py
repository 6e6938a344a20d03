"""Leaves out what documents say of calls that turned out otherwise.

A prompt of a document rarely stands alone: a trial has the statements that its act needs, of all before it. So a result
that differs contradicts nothing, and the call stays as one whose arguments a person chose.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from ..judge.comparison import compare_with_document
from ..search.trial_search import TrialRecord


def without_other_results(records: Sequence[TrialRecord]) -> list[TrialRecord]:
    """The records, those of documents without a result that the call did not have."""
    return [_plain(one) if _ends_otherwise(one) else one for one in records]


def _ends_otherwise(record: TrialRecord) -> bool:
    trial = record.trial
    shown = trial.source == "document" and trial.wanted_path
    return bool(shown) and not compare_with_document(trial, record.seen).agrees


def _plain(record: TrialRecord) -> TrialRecord:
    return replace(record, trial=replace(record.trial, wanted=None, wanted_line=0, wanted_path=""))
