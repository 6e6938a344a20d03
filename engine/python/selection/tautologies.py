"""Finds trials whose test would say nothing: `Point(1, 2) == Point(1, 2)`, or that two hashes differ."""

from __future__ import annotations

import ast

from ....utils.python_source import expression_or_none
from ..search.trial_search import TrialRecord


class _SaysNothing:
    """Key of the notes of records: whether a test of it says nothing."""


def says_nothing(record: TrialRecord) -> bool:
    """Whether a test would compare a call with itself, or pin that hashes differ, which nothing promises.

    What a document shows stays.
    """
    if record.trial.wanted:
        return False
    found = record.notes.get(_SaysNothing)
    if found is None:
        found = record.notes[_SaysNothing] = _is_own_result(record) or _tells_hashes_apart(record)
    return found is True


def _is_own_result(record: TrialRecord) -> bool:
    """Whether the source of the result is the act itself."""
    value, act = record.observation.value, record.trial.act
    if value is None or value.source is None or not value.source.endswith(")") or record.observation.effects:
        return False
    written, found = expression_or_none(act), expression_or_none(value.source)
    return isinstance(written, ast.Call) and found is not None and ast.dump(written) == ast.dump(found)


def _tells_hashes_apart(record: TrialRecord) -> bool:
    value, act = record.observation.value, record.trial.act
    if value is None or not act.startswith("hash("):
        return False
    node = expression_or_none(act)
    if not isinstance(node, ast.Compare) or len(node.ops) != 1:
        return False
    apart = {"False": ast.Eq, "True": ast.NotEq}.get(value.source or "")
    return apart is not None and isinstance(node.ops[0], apart)
