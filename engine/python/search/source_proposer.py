"""Proposes trials for a module: from its source at first, then mutations of trials that reached new code.

The same observations in the same order always give the same trials.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from ....utils.in_turns import in_turns
from ....utils.untrusted_files import read_source
from ..inputs.announced_exceptions import with_announced_exceptions
from ..inputs.given_examples import ExampleRecord, GivenExamples
from ..model.arcs import branch_arcs
from ..model.model import Arc, CallableFacts, ClassFacts, ModuleFacts, Observation, Trial
from ..outside.databases import Closing
from ..outside.own_files import OwnFiles
from ..outside.stand_ins import StandIns
from ..project.layout import Layout
from ..usage.usage import ProjectUsage, find_usage
from .called_results import result_calls
from .havoc import havoc_mutations
from .initial_trials import (
    ProposalContext,
    callable_trials,
    context_from_index,
    initial_trials,
    is_public_name,
    proposal_context,
    testable_callables,
    trial_key,
    unseen_trials,
)
from .passed_results import PassedResults
from .result_queries import ReopenedFiles, ResultQueries
from .stories import Story, module_queries, registered_queries, returned_queries, stories_of
from .surroundings import fixed_surroundings
from .trial_mutation import mutations_of, shown_result, with_whole_numbers

_MAXIMUM_FOLLOW_UP = 12
_MAXIMUM_NEAR = 16
_MAXIMUM_HAVOC = 12
_MAXIMUM_WAVES = 6
_MAXIMUM_KEPT = 4
_ENOUGH_OBSERVED = 20
_MAXIMUM_STORIES = 60
_MAXIMUM_RETURNED = 2


@dataclass(slots=True)
class FrontierTrial:
    """A trial that reached a line with an untaken branch; `tried` counts its mutations so far."""

    trial: Trial
    observation: Observation
    tried: int = 0

    def size(self) -> int:
        """Returns the length of its source."""
        return len(self.trial.act) + sum(map(len, self.trial.arrange))


@dataclass(slots=True)
class Frontier:
    """The branch arcs not yet taken.

    Attributes:
        missing: those arcs.
        at: trials by the line they reached.
        by_subject: lines that trials of a subject reached, including lines of private helpers.
    """

    missing: set[Arc]
    at: dict[int, list[FrontierTrial]] = field(default_factory=dict)
    by_subject: dict[str, set[int]] = field(default_factory=dict)

    def lines(self) -> list[int]:
        """Returns reached lines with an untaken branch, sorted."""
        return sorted({start for start, _ in self.missing} & set(self.at))

    def is_open_line(self, line: int) -> bool:
        """Whether a branch at the line is untaken."""
        return any(start == line for start, _ in self.missing)

    def concerns(self, subject: CallableFacts) -> bool:
        """Whether the callable contains an untaken branch, or its trials reached one elsewhere."""
        first, last = subject.lines
        reached = self.by_subject.get(subject.qualname, set())
        return any(first <= abs(start) <= last or start in reached for start, _ in self.missing)

    def neighbours(self, trial: Trial) -> list[Trial]:
        """Returns the other kept trials of the same subject, by the lines they reached."""
        found = [kept.trial for line in sorted(self.at) for kept in self.at[line]]
        return [other for other in dict.fromkeys(found) if other.subject == trial.subject and other is not trial]

    def keep(self, trial: Trial, observation: Observation) -> list[int]:
        """Stores the trial at each line it reached that has an untaken branch; returns those lines, sorted."""
        open_lines = {start for start, _ in self.missing}
        reached = sorted({start for start, _ in observation.arcs} & open_lines)
        self.by_subject.setdefault(trial.subject, set()).update(reached)
        for line in reached:
            kept = self.at.setdefault(line, [])
            entry = FrontierTrial(trial, observation)
            if len(kept) < _MAXIMUM_KEPT:
                kept.append(entry)
                continue
            # Different callables reach a line with different values: keep one trial of each where possible.
            subjects = [item.trial.subject for item in kept]
            if trial.subject not in subjects and len(set(subjects)) < len(subjects):
                doubled = [item for item in kept if subjects.count(item.trial.subject) > 1]
                kept[kept.index(max(doubled, key=lambda item: (item.tried, item.size())))] = entry
                continue
            # Once all were mutated often, a shorter or fresher trial replaces the most mutated one.
            worst = max(kept, key=lambda item: (item.tried, item.size()))
            if worst.tried >= _MAXIMUM_KEPT * 8 or (worst.size() > entry.size() and worst.tried):
                kept[kept.index(worst)] = entry
        return reached


class SourceProposer:
    """Proposes trials from the source of a project; an `AimingProposer` of trial_search.py.

    Args:
        root: the project's root folder.
        layout: its layout.
        facts: the target module.
        usage: uses of the target; searched for if not given.
        known: context of another proposer for the same module, to avoid reading the project again.
        examples: values that a person gave in the settings.

    Attributes:
        observed: number of observations received.
        examples: what became of the examples of the settings.
    """

    def __init__(
        self,
        root: Path,
        layout: Layout,
        facts: ModuleFacts,
        usage: ProjectUsage | None = None,
        known: ProposalContext | None = None,
        examples: GivenExamples | None = None,
    ) -> None:
        self.facts = facts
        self._place = root, layout
        self._usage = usage if usage is not None else find_usage(root, layout, facts)
        if known is None:
            self.context: ProposalContext = proposal_context(root, layout, facts, self._usage, examples)
        else:
            self.context = context_from_index(facts, known.index, known.seeds, known.examples, known.calls)
        self.examples = ExampleRecord(self.context.examples, facts, self.context.index)
        self.observed = 0
        self._seen: set[tuple[str, ...]] = set()
        self._stories: dict[str, list[Story]] = {}
        self._registered: set[tuple[str, str]] = set()
        self._stand_ins = StandIns(facts, self.context.index)
        self._closing = Closing(facts, self.context.index)
        self._reached: set[Arc] = set()
        self._passed = PassedResults(self.context)
        self._results = ResultQueries(self.context)
        self._reopened = ReopenedFiles(facts)
        self._own_files = OwnFiles()
        self._frontier = Frontier(set(_branch_arcs(root, facts)))

    def restart(self, reached: frozenset[Arc]) -> SourceProposer:
        """Returns another proposer for the module that has observed nothing and aims at arcs not in `reached`."""
        other = SourceProposer(*self._place, self.facts, self._usage, self.context)
        other._reached |= reached
        other._frontier.missing -= reached
        return other

    def initial(self) -> Iterator[Trial]:
        """Returns trials from documents, usage and signatures; then, as observations arrive, waves that use learned
        values and mutate the trials in front of untaken branches.

        The iterator may end for now and continue after further observations. It has ended for good when it yields
        nothing although all it gave was observed.
        """
        return _Stream(self)

    def wave(self, number: int) -> Iterator[Trial]:
        """Generates the trials of one wave; wave 0 needs no observation, later ones use what was learned before."""
        if not number:
            first = with_announced_exceptions(initial_trials(self.facts, self.context), self.facts)
            yield from self._usable(in_turns([first, self._first_stories()]))
            return
        self.context.values.refresh()
        turns = [self._at_frontier(number)]
        if number <= _MAXIMUM_WAVES:
            turns.append(in_turns([callable_trials(item, self.context, number) for item in self._open_callables()]))
        yield from self._usable(in_turns(turns))

    def _first_stories(self) -> Iterator[Trial]:
        """Generates the plain stories of each public class, in turns: objects are asked with content in them."""
        exported = self.facts.exported
        owners = [owner for owner in self.facts.classes if exported is None or owner.name in exported]
        told = [[one.trial for one in self._stories_of(owner) if one.plain][:_MAXIMUM_STORIES] for owner in owners]
        yield from in_turns(told)

    def _stories_of(self, owner: ClassFacts) -> list[Story]:
        if owner.name not in self._stories:
            self._stories[owner.name] = stories_of(self.context, owner)
        return self._stories[owner.name]

    def follow_up(self, trial: Trial, observation: Observation) -> list[Trial]:
        """Learns from an observation and returns mutations of the trial; none if it reached nothing new."""
        self.observed += 1
        self.examples.observe(trial, observation)
        self._seen.add(trial_key(trial))
        new = observation.arcs - self._reached
        self._reached |= observation.arcs
        self._frontier.missing -= observation.arcs
        self.context.learned.take(trial, observation, bool(new))
        if observation.outcome == "refused":
            own = self._own_files.after_refusal(trial, observation)
            return list(self._usable([own] if own else fixed_surroundings(trial, observation)))
        if observation.outcome not in ("returned", "raised"):
            return []
        fixed = list(self._usable(fixed_surroundings(trial, observation)))
        if fixed:
            return fixed  # what is found by a call that depends on the machine is found again by these
        passed = [
            *self._passed.follow_up(trial, observation),
            *self._shown(trial, observation),
            *self._results.follow_up(trial, observation),
            *self._reopened.follow_up(trial, observation),
            *with_whole_numbers(trial, observation),
        ]
        asked = [*self._registration_queries(), *self._usable(passed)]
        opened = self._frontier.keep(trial, observation)
        if not new:
            return asked
        # Prefer comparisons at untaken branches; without one, all comparisons guide the mutations.
        lines = frozenset(opened) if opened else None
        found = [
            *result_calls(trial, observation, self.facts),
            *mutations_of(trial, observation, self.facts, self.context, lines),
        ]
        return [*asked, *list(self._usable(found[: _MAXIMUM_FOLLOW_UP * 2]))[:_MAXIMUM_FOLLOW_UP]]

    def stand_ins(self, trial: Trial, observation: Observation) -> list[Trial]:
        """Returns the trial with stand-ins for what its act reached of the world outside."""
        return list(self._usable(self._stand_ins.trials(trial, observation)))

    def _shown(self, trial: Trial, observation: Observation) -> list[Trial]:
        constructs = any(trial.subject == owner.name for owner in self.facts.classes)
        return [] if constructs else shown_result(trial, observation, self.facts)

    def _registration_queries(self) -> list[Trial]:
        """Returns queries of objects that others returned or that something was registered with, once for each way."""
        found: list[Trial] = []
        learned = self.context.learned
        for owner in self.facts.classes:
            returned = [one for one in learned.objects.get(owner.name, []) if one.arrange][:_MAXIMUM_RETURNED]
            steps = [*learned.registered.get(owner.name, []), *learned.commands.get(owner.name, [])]
            for one in (*returned, *steps):
                if (owner.name, one.source) not in self._registered:
                    self._registered.add((owner.name, one.source))
                    ask = returned_queries if one in returned else registered_queries
                    found.extend(ask(self.context, owner, one))
                    if one not in returned:
                        found.extend(module_queries(self.context, owner, one))
        return list(self._usable(found))

    def near(self, trial: Trial, observation: Observation, line: int, wave: int) -> list[Trial]:
        """Returns variations of a trial that runs `line`: in wave 0 guided by its comparisons, then random ones."""
        if not wave:
            found = mutations_of(trial, observation, self.facts, self.context, frozenset({line}))[:_MAXIMUM_NEAR]
        else:
            found = havoc_mutations(trial, self.facts, line, _MAXIMUM_WAVES + wave, _MAXIMUM_HAVOC)
        return list(self._usable(found))

    def object_stories(self, line: int) -> list[Trial]:
        """Returns stories of objects of the class that contains `line`, or of its subclasses, that call its method."""
        holder = next((item for item in self.facts.classes if item.lines[0] <= line <= item.lines[1]), None)
        if holder is None:
            return []
        members = [item for item in holder.members if item.lines[0] <= line <= item.lines[1]]
        turns: list[Iterator[Trial]] = []
        for owner in self.facts.classes:
            if holder in (base for _, base in self.context.index.lineage(self.facts, owner)):
                known = self._stories_of(owner)
                turns.append(iter([item.trial for item in known if not members or members[0].name in item.members]))
        return [self._closing.closed(one) for one in in_turns(turns) if not self.context.learned.is_dead(one.arrange)]

    def _usable(self, trials: Iterable[Trial]) -> Iterator[Trial]:
        """Generates the trials not seen before whose arrangement is not known to fail."""
        for trial in trials:
            if not self.context.learned.is_dead(trial.arrange):
                yield from unseen_trials([self._closing.closed(self._own_files.moved(trial))], self._seen)

    def _open_callables(self) -> list[CallableFacts]:
        """Returns callables with untaken branches, including those of private classes whose objects appeared."""
        found = testable_callables(self.facts, self.context)
        known = {item.qualname for item in found}
        for owner in self.facts.classes:
            if owner.name in self.context.learned.objects:
                found += [item for item in owner.members if is_public_name(item.name) and item.qualname not in known]
        return [item for item in found if self._frontier.concerns(item) or self._lacks_objects(item)]

    def _lacks_objects(self, item: CallableFacts) -> bool:
        """Whether no call reached a callable of a class whose objects others make: they may all have failed."""
        closed = any(owner.name == item.owner and owner.makers is not None for owner in self.facts.classes)
        first, last = item.lines
        return closed and not any(first < abs(line) <= last for arc in self._reached for line in arc)

    def _at_frontier(self, wave: int) -> Iterator[Trial]:
        """Generates mutations of the trials kept in front of each untaken branch, until the branch is taken."""
        for line in self._frontier.lines():
            for kept in list(self._frontier.at.get(line, [])):
                found = mutations_of(kept.trial, kept.observation, self.facts, self.context, frozenset({line}))
                piece = found[kept.tried : kept.tried + _MAXIMUM_NEAR]
                kept.tried += len(piece)
                neighbours = self._frontier.neighbours(kept.trial)
                mixed = havoc_mutations(kept.trial, self.facts, line, wave, _MAXIMUM_HAVOC, neighbours)
                for trial in (*piece, *mixed):
                    if not self._frontier.is_open_line(line):
                        break
                    yield trial


class _Stream:
    """Yields wave after wave; a wave starts only after a good part of the last one was observed."""

    def __init__(self, proposer: SourceProposer) -> None:
        self._proposer = proposer
        self._number = 0
        self._wave = proposer.wave(0)
        self._given = 0
        self._observed_before = 0

    def __iter__(self) -> Iterator[Trial]:
        return self

    def __next__(self) -> Trial:
        trial = next(self._wave, None)
        if trial is None:
            # Started far ahead of the observations, a wave would have nothing learned to use.
            observed = self._proposer.observed - self._observed_before
            if observed < min(_ENOUGH_OBSERVED, (self._given + 1) // 2) or not observed:
                raise StopIteration
            self._number += 1
            self._observed_before = self._proposer.observed
            self._given = 0
            self._wave = self._proposer.wave(self._number)
            trial = next(self._wave, None)
            if trial is None:
                raise StopIteration
        self._given += 1
        return trial


def _branch_arcs(root: Path, facts: ModuleFacts) -> frozenset[Arc]:
    """Returns the arcs that branch coverage counts; none if the file changed and no longer parses."""
    try:
        return branch_arcs(read_source(root, facts.path))
    except (OSError, SyntaxError, UnicodeDecodeError):
        return frozenset()
