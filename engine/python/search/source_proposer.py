"""The proposer that exploring asks: trials at first, then more of what observations say is worth it (B-06).

The same observations in the same order always give the same trials.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from ..model.arcs import branch_arcs
from ..model.model import Arc, CallableFacts, ModuleFacts, Observation, Trial
from ..project.layout import Layout
from ..usage.usage import find_usage
from .havoc import havoc_mutations
from .initial_trials import (
    ProposalContext,
    callable_trials,
    context_from_index,
    in_turns,
    initial_trials,
    is_public_name,
    proposal_context,
    testable_callables,
    trial_key,
    unseen_trials,
)
from .stories import Story, stories_of
from .trial_mutation import mutations_of, result_calls

_MAXIMUM_FOLLOW_UP = 12
_MAXIMUM_NEAR = 16
_MAXIMUM_HAVOC = 12
_MAXIMUM_WAVES = 6
_ENOUGH_OBSERVED = 20


class SourceProposer:
    """Proposes trials from the source of a project; fulfils `Proposer` of search.py.

    Args:
        root: the project's root folder.
        layout: its layout.
        facts: the target module.
        usage: uses of the target, found anew when not given.
        known: of another proposer for the same module, whose reading of the project serves again.

    Attributes:
        observed: observations taken in so far.
    """

    def __init__(
        self,
        root: Path,
        layout: Layout,
        facts: ModuleFacts,
        usage: tuple[Trial, ...] | None = None,
        known: ProposalContext | None = None,
    ) -> None:
        self.facts = facts
        self._place = root, layout
        self._usage = usage if usage is not None else find_usage(root, layout, facts)
        if known is None:
            self.context: ProposalContext = proposal_context(root, layout, facts, self._usage)
        else:
            self.context = context_from_index(facts, known.index, known.seeds)
        self.observed = 0
        self._seen: set[tuple[str, ...]] = set()
        self._stories: dict[str, list[Story]] = {}
        self._reached: set[Arc] = set()
        self._frontier = Frontier(set(_branch_arcs(root, facts)))

    def restart(self, reached: frozenset[Arc]) -> SourceProposer:
        """Another proposer for the same module that has observed nothing and aims at what is not reached."""
        other = SourceProposer(*self._place, self.facts, self._usage, self.context)
        other._reached |= reached
        other._frontier.missing -= reached
        return other

    def initial(self) -> Iterator[Trial]:
        """Trials from documents, usage and signatures; then, as observations come in, waves that use what was learned,
        and mutations of the trials that stand before a way not taken.

        The iterator may end for the moment and go on after further observations; it has ended for good when it yields
        nothing although what it gave was observed.
        """
        return _Stream(self)

    def wave(self, number: int) -> Iterator[Trial]:
        """The trials of one wave: the first needs no observation, later ones use what was learned until they begin."""
        if not number:
            yield from self._living(initial_trials(self.facts, self.context))
            return
        self.context.values.refresh()
        turns = [self._at_frontier(number), *([self._wave(number)] if number <= _MAXIMUM_WAVES else [])]
        yield from self._living(in_turns(turns))

    def follow_up(self, trial: Trial, observation: Observation) -> list[Trial]:
        """Trials to run because of what one did: none when it reached nothing new."""
        self.observed += 1
        self._seen.add(trial_key(trial))
        new = observation.arcs - self._reached
        self._reached |= observation.arcs
        self._frontier.missing -= observation.arcs
        self.context.learned.take(trial, observation, bool(new))
        if observation.outcome not in ("returned", "raised"):
            return []
        opened = self._frontier.keep(trial, observation)
        if not new:
            return []
        lines = frozenset(opened) if opened else None
        found = [*result_calls(trial, observation), *mutations_of(trial, observation, self.facts, self.context, lines)]
        return list(self._living(found[: _MAXIMUM_FOLLOW_UP * 2]))[:_MAXIMUM_FOLLOW_UP]

    def near(self, trial: Trial, observation: Observation, line: int, wave: int) -> list[Trial]:
        """Trials like one that runs a line, with other values: those that comparisons there met, then any near."""
        if not wave:
            found = mutations_of(trial, observation, self.facts, self.context, frozenset({line}))[:_MAXIMUM_NEAR]
        else:
            found = havoc_mutations(trial, self.facts, line, _MAXIMUM_WAVES + wave, _MAXIMUM_HAVOC)
        return list(self._living(found))

    def object_stories(self, line: int) -> list[Trial]:
        """Stories of objects of the class that holds a line, and of those made from it, that call its method."""
        holder = next((one for one in self.facts.classes if one.lines[0] <= line <= one.lines[1]), None)
        if holder is None:
            return []
        members = [one for one in holder.members if one.lines[0] <= line <= one.lines[1]]
        turns: list[Iterator[Trial]] = []
        for owner in self.facts.classes:
            if holder in (one for _, one in self.context.index.lineage(self.facts, owner)):
                if owner.name not in self._stories:
                    self._stories[owner.name] = stories_of(self.context, owner)
                told = self._stories[owner.name]
                turns.append(iter([one.trial for one in told if not members or members[0].name in one.members]))
        return [one for one in in_turns(turns) if not self.context.learned.is_dead(one)]

    def _living(self, trials: Iterable[Trial]) -> Iterator[Trial]:
        """Those not seen before whose arrangement is not known to fail."""
        for trial in trials:
            if not self.context.learned.is_dead(trial):
                yield from unseen_trials([trial], self._seen)

    def _wave(self, wave: int) -> Iterator[Trial]:
        """Further trials of the callables that still have a way to be taken."""
        return in_turns([callable_trials(one, self.context, wave) for one in self._open_callables()])

    def _open_callables(self) -> list[CallableFacts]:
        """Callables with ways not taken, also those of private classes whose objects were met."""
        found = testable_callables(self.facts, self.context)
        known = {one.qualname for one in found}
        met = self.context.learned.objects
        for owner in self.facts.classes:
            if owner.name in met:
                members = [one for one in owner.members if is_public_name(one.name) and one.qualname not in known]
                found.extend(members)
        return [one for one in found if self._frontier.is_open(one) or self._frontier.leads_on(one.qualname)]

    def _at_frontier(self, wave: int) -> Iterator[Trial]:
        """Mutations of the trials kept before each way not taken."""
        for line in self._frontier.lines():
            for kept in list(self._frontier.at.get(line, [])):
                yield from self._further(kept, line, wave)

    def _further(self, kept: FrontierTrial, line: int, wave: int) -> Iterator[Trial]:
        found = mutations_of(kept.trial, kept.observation, self.facts, self.context, frozenset({line}))
        piece = found[kept.tried : kept.tried + _MAXIMUM_NEAR]
        kept.tried += len(piece)
        mixed = havoc_mutations(
            kept.trial, self.facts, line, wave, _MAXIMUM_HAVOC, self._frontier.neighbours(kept.trial)
        )
        for trial in (*piece, *mixed):
            if not self._frontier.is_open_line(line):
                return
            yield trial


class _Stream:
    """The waves one after another; a new one begins only once the last was observed in good part."""

    def __init__(self, proposer: SourceProposer) -> None:
        self._proposer = proposer
        self._number = 0
        self._wave = proposer.wave(0)
        self._given = 0
        self._observed_before = 0

    def __iter__(self) -> Iterator[Trial]:
        return self

    def __next__(self) -> Trial:
        for trial in self._wave:
            self._given += 1
            return trial
        # Asked far ahead of observations, a wave would find nothing learned.
        observed = self._proposer.observed - self._observed_before
        if observed < min(_ENOUGH_OBSERVED, (self._given + 1) // 2) or not observed:
            raise StopIteration
        self._number += 1
        self._observed_before = self._proposer.observed
        self._given = 0
        self._wave = self._proposer.wave(self._number)
        for trial in self._wave:
            self._given += 1
            return trial
        raise StopIteration


def _branch_arcs(root: Path, facts: ModuleFacts) -> frozenset[Arc]:
    """What branch coverage counts; empty when the file has changed so that it does not parse."""
    try:
        return branch_arcs((root / facts.path).read_text(encoding="utf-8"))
    except (OSError, SyntaxError, UnicodeDecodeError):
        return frozenset()


_MAXIMUM_KEPT = 4


@dataclass(slots=True)
class FrontierTrial:
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
    at: dict[int, list[FrontierTrial]] = field(default_factory=dict)
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
            one = FrontierTrial(trial, observation)
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
