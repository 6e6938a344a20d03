"""What is selected so far, and what that covers together; takes what stands beside a callable's examples."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field

from ..model.model import RICH_SOURCES, Arc
from ..scenarios.scenario import is_further_row
from ..search.influence_trials import Control, shown_option
from .candidates import TrialCandidate
from .goals import Goal
from .representative import Representation

MOST_OPTIONS = 4
_MOST_SHOWN_OPTIONS = 24
_ODD_OPTION = 2


@dataclass(slots=True)
class Selection:
    """The selected candidates by record number, and what they cover together.

    Attributes:
        counts_goals: whether kinds of results and sides of comparisons count, because no mutants were run.
        kept: numbers of records that no other makes unnecessary: examples, anchors, and rows that exclude trivial
            implementations.
        anchors: numbers of the representative examples.
        controls: numbers of the records beside which an option's effect shows.
        rows: representations of the selected candidates, by subject.
    """

    covered: set[Arc]
    counts_goals: bool = False
    chosen: dict[int, TrialCandidate] = field(default_factory=dict)
    kept: set[int] = field(default_factory=set)
    shown: set[Goal] = field(default_factory=set)
    killed: set[int] = field(default_factory=set)
    anchors: set[int] = field(default_factory=set)
    controls: set[int] = field(default_factory=set)
    rows: dict[str, list[Representation]] = field(default_factory=lambda: defaultdict(list))

    def take(self, candidate: TrialCandidate, *, keep: bool = False) -> None:
        if candidate.record.number not in self.chosen:
            self.rows[candidate.subject].append(candidate.representation)
        self.chosen[candidate.record.number] = candidate
        self.covered.update(candidate.record.covered)
        self.shown.update(candidate.goals)
        self.killed.update(candidate.kills)
        if keep:
            self.kept.add(candidate.record.number)


def take_further_rows(candidates: Sequence[TrialCandidate], selection: Selection) -> None:
    """Takes the rows that stand beside an example of the same form."""
    rows = [one for one in candidates if is_further_row(one.record) and one.asserts and not one.misfits]
    for row in sorted(rows, key=lambda one: one.record.number):
        shapes = {one.representation.shape for one in selection.chosen.values() if one.subject == row.subject}
        if row.representation.shape in shapes:
            selection.take(row, keep=True)


def take_options(candidates: Sequence[TrialCandidate], selection: Selection) -> None:
    """Takes for each option that no test shows yet the plainest call that does, beside the same call without it."""
    found: dict[str, list[TrialCandidate]] = defaultdict(list)
    for one in (one for one in candidates if one.representation.options <= MOST_OPTIONS):
        option = shown_option(one.record)
        fits = one.asserts and one.meant and not (one.misfits or one.idle) and one.oddness < _ODD_OPTION
        if option and fits and option not in one.invented:
            found[option].append(one)
    for showing in list(found.values())[:_MOST_SHOWN_OPTIONS]:
        if not any(one.record.number in selection.chosen for one in showing):
            best = min(showing, key=_plainness)
            selection.take(best, keep=True)
            take_control(best, [one for one in candidates if one.asserts and one.meant and not one.misfits], selection)


def take_control(candidate: TrialCandidate, fit: Sequence[TrialCandidate], selection: Selection) -> bool:
    """Takes the call that a candidate is compared with: what an option changes shows beside the call without it.

    Returns whether it was none of the tests yet, and became one.
    """
    control = next((one for one in fit if one.record.number == candidate.record.notes.get(Control)), None)
    if control is None or control.record.number in selection.chosen or control.shows_little or control.idle:
        return False
    selection.controls.add(control.record.number)
    selection.take(control, keep=True)
    return True


def _plainness(one: TrialCandidate) -> tuple[object, ...]:
    return one.record.trial.source not in RICH_SOURCES, one.shows_little, one.cost, one.record.number
