"""What is selected so far, and what that covers together."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field

from ..model.model import Arc
from .candidates import Goal, TrialCandidate
from .representative import Representation


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
