"""Chooses among documented examples: one of a class or module that repeats what a member's own document shows is left
out."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from ....utils.python_source import expression_or_none
from ..model.model import Trial
from .candidates import TrialCandidate

Lines = tuple[int, int]


def without_repeated_examples(candidates: Sequence[TrialCandidate], own: Lines | None) -> list[TrialCandidate]:
    """Leaves out examples from elsewhere that make the same kind of call as one of the callable's own and run no more.

    Args:
        candidates: all of one callable; those that are no documented examples stay.
        own: first and last line of the callable, with its docstring; None where they are not known.
    """
    if own is None:
        return list(candidates)
    inside = [one for one in candidates if one.example and own[0] <= one.record.trial.wanted_line <= own[1]]
    return [
        one
        for one in candidates
        if not one.example
        or one in inside
        or not any(
            _form(one.record.trial) == _form(other.record.trial)
            and one.record.arcs <= other.record.arcs
            and one.raises == other.raises
            for other in inside
        )
    ]


def _form(trial: Trial) -> tuple[object, ...]:
    """What kind of call the act is: how many arguments, and which by name; the act itself where it is no call."""
    act = expression_or_none(trial.act)
    if not isinstance(act, ast.Call):
        return (trial.act,)
    return trial.mode, len(act.args), tuple(sorted(keyword.arg or "" for keyword in act.keywords))
