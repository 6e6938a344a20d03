"""Ways of a file that no trial has taken yet, and the trials that came to where they part (B-06)."""

from __future__ import annotations

from dataclasses import dataclass, field

from ..model.model import Arc, CallableFacts, Observation, Trial

_MAXIMUM_KEPT = 4


@dataclass(slots=True)
class Kept:
    """A trial that reached a line beyond which something is unseen; `tried` counts its mutations so far."""

    trial: Trial
    observation: Observation
    tried: int = 0

    def size(self) -> int:
        """Length of its text."""
        return len(self.trial.act) + sum(map(len, self.trial.arrange))


@dataclass(slots=True)
class Frontier:
    """Branch arcs not yet taken.

    Attributes:
        missing: those arcs.
        at: trials by the line they reached.
        by_subject: lines that trials of a subject reached, private helpers' included.
    """

    missing: set[Arc]
    at: dict[int, list[Kept]] = field(default_factory=dict)
    by_subject: dict[str, set[int]] = field(default_factory=dict)

    def lines(self) -> list[int]:
        """Lines that were reached and still have a way not taken."""
        return sorted({start for start, _ in self.missing} & set(self.at))

    def is_open_line(self, line: int) -> bool:
        """Whether a way out of the line is not taken."""
        return any(start == line for start, _ in self.missing)

    def is_open(self, one: CallableFacts) -> bool:
        """Whether a way inside the callable's lines is not taken."""
        first, last = one.lines
        return any(first <= abs(start) <= last for start, _ in self.missing)

    def leads_on(self, subject: str) -> bool:
        """Whether trials of the subject came to a line with a way not taken."""
        reached = self.by_subject.get(subject, set())
        return any(start in reached for start, _ in self.missing)

    def neighbours(self, trial: Trial) -> list[Trial]:
        """Other kept trials of the same subject, in the order of the lines they reached."""
        found = [one.trial for line in sorted(self.at) for one in self.at[line]]
        return [one for one in dict.fromkeys(found) if one.subject == trial.subject and one is not trial]

    def keep(self, trial: Trial, observation: Observation) -> list[int]:
        """Remember the trial at each line it reached that has a way not taken; those lines, sorted."""
        open_lines = {start for start, _ in self.missing}
        reached = sorted({start for start, _ in observation.arcs} & open_lines)
        self.by_subject.setdefault(trial.subject, set()).update(reached)
        for line in reached:
            kept = self.at.setdefault(line, [])
            one = Kept(trial, observation)
            if len(kept) < _MAXIMUM_KEPT:
                kept.append(one)
                continue
            # Different callables come to a line with different things in hand: each is given a place.
            subjects = [item.trial.subject for item in kept]
            if trial.subject not in subjects and len(set(subjects)) < len(subjects):
                doubled = [item for item in kept if subjects.count(item.trial.subject) > 1]
                kept[kept.index(max(doubled, key=lambda item: (item.tried, item.size())))] = one
                continue
            # Once all have been tried at length, a shorter or fresher trial takes the place of the most tried one.
            worst = max(kept, key=lambda item: (item.tried, item.size()))
            if worst.tried >= _MAXIMUM_KEPT * 8 or (worst.size() > one.size() and worst.tried):
                kept[kept.index(worst)] = one
        return reached
