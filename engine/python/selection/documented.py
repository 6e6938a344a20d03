"""Chooses among documented examples: one of a class or module that repeats what a member's own document shows is left
out, and of one line in several states the plainest stays."""

from __future__ import annotations

import ast
from collections.abc import Hashable, Sequence

from ....utils.python_source import expression_or_none
from ..model.arcs import arcs_within
from ..model.model import Lines, Trial
from .candidates import TrialCandidate
from .degeneracy import MILD


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


def plainest_of_each_line(candidates: Sequence[TrialCandidate], own: Lines | None = None) -> list[TrialCandidate]:
    """Leaves out examples that ask what a document's line asks, after more or fewer of its steps.

    Of those that answer as the document says, one stays: it notices the most mutants, its object holds something, and
    it has the fewest steps. The document's own form stays, too, where it runs further code of the callable.

    Args:
        candidates: all of one callable.
        own: first and last line of the callable, with its docstring; None where they are not known.
    """
    lines: dict[Hashable, list[TrialCandidate]] = {}
    for one in candidates:
        trial = one.record.trial
        if one.example and trial.wanted_line:
            lines.setdefault((trial.wanted_path, trial.wanted_line, trial.act, trial.mode), []).append(one)
    gone = set[int]()
    for alike in lines.values():
        written = max(alike, key=lambda one: len(one.record.trial.arrange))
        if not _answers_as_said(written):
            continue  # whoever reads the report must see the line that the code contradicts
        first = min((one for one in alike if _answers_as_said(one)), key=_plainness)
        further = written.record.arcs - first.record.arcs
        kept = (first, written) if further and (own is None or arcs_within(own, further)) else (first,)
        numbers = {one.record.number for one in kept}
        gone.update(one.record.number for one in alike if one.record.number not in numbers)
    return [one for one in candidates if one.record.number not in gone]


def _answers_as_said(one: TrialCandidate) -> bool:
    value = one.record.observation.value
    return value is not None and (one.record.trial.wanted or "").strip() in (value.source, value.text)


def _plainness(one: TrialCandidate) -> tuple[object, ...]:
    shown = one.representation
    return (
        -len(one.kills),
        shown.degeneracy > MILD,
        len(one.record.trial.arrange),
        shown.degeneracy,
        one.record.number,
    )


def _form(trial: Trial) -> tuple[object, ...]:
    """What kind of call the act is: how many arguments, and which by name; the act itself where it is no call."""
    act = expression_or_none(trial.act)
    if not isinstance(act, ast.Call):
        return (trial.act,)
    return trial.mode, len(act.args), tuple(sorted(keyword.arg or "" for keyword in act.keywords))
