"""Decides which trials to run next and records what the trials so far showed.

Callables with uncovered code get more trials, finished ones get none. The search counts and never reads a clock, so
that two searches with the same proposals give the same result.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Protocol

from ..model.arcs import ArcMap
from ..model.model import RICH_SOURCES, Arc, Mode, ModuleFacts, Observation, Trial
from ..model.observation_json import ObservedTrial
from .outside_trials import OutsideTrials, Reached
from .surroundings import is_fixed

FIRST_TRIALS = 8
ENOUGH_TRIALS = 40
REPLACED_AFTER = 12
BAD_ENDINGS = 3
LONGEST_QUEUE = 400
MOST_PULLED = 10
SLOW_STEPS = 20_000


class Proposer(Protocol):
    """A deterministic source of trials."""

    def initial(self) -> Iterator[Trial]:
        """Generates trials that need no observation: documented ones first, callables in turns."""
        ...

    def follow_up(self, trial: Trial, observation: Observation) -> list[Trial]:
        """Returns trials derived from one that reached new code."""
        ...

    def stand_ins(self, trial: Trial, observation: Observation) -> list[Trial]:
        """Returns the trial with stand-ins for what its act reached of the world outside; empty where it did not."""
        ...


class AimingProposer(Proposer, Protocol):
    """A proposer that also generates trials for a single line, which the search for mutants needs."""

    def near(self, trial: Trial, observation: Observation, line: int, wave: int) -> list[Trial]:
        """Returns variations of a trial that runs `line`."""
        ...

    def object_stories(self, line: int) -> list[Trial]:
        """Returns call sequences on objects of the class that contains `line`."""
        ...


@dataclass(frozen=True, slots=True)
class TrialRecord:
    """A trial that ran, with its observation.

    Attributes:
        number: its position in the order of all trials.
        arcs: possible arcs that the act ran; `covered` adds those of the arranging statements.
        time_dependent: whether its outcome differs on another day.
        notes: cache of values derived from the record, by their type.
    """

    number: int
    trial: Trial
    seen: ObservedTrial
    arcs: frozenset[Arc]
    covered: frozenset[Arc]
    time_dependent: bool = False
    notes: dict[type, object] = field(default_factory=dict, compare=False, repr=False)

    @property
    def observation(self) -> Observation:
        """What the worker observed."""
        return self.seen.observation


@dataclass(slots=True)
class Subject:
    """The search's knowledge of one callable.

    Attributes:
        pending: proposals that needed no observation.
        guided: proposals derived from observations.
        arcs: all arcs of its body; `touched`: those of any code that its trials ran.
        ended: trials that returned or raised.
        assertable: trials with an outcome that an assertion can compare.
        bad_endings: trials that timed out, crashed or ran out of memory.
        refused: the first observation that the sandbox refused.
    """

    name: str
    pending: deque[Trial] = field(default_factory=deque)
    guided: deque[Trial] = field(default_factory=deque)
    arcs: frozenset[Arc] = frozenset()
    touched: set[Arc] = field(default_factory=set)
    trials: int = 0
    ended: int = 0
    assertable: int = 0
    bad_endings: int = 0
    last: Observation | None = None
    refused: Observation | None = None
    returned: Observation | None = None
    behaviours: set[tuple[object, ...]] = field(default_factory=set)

    @property
    def waiting(self) -> int:
        """Number of queued trials."""
        return len(self.pending) + len(self.guided)

    def next_trial(self) -> Trial | None:
        """Takes the next queued trial: documented and real usage first, then plain and guided ones in turns."""
        if self.pending and self.pending[0].source in RICH_SOURCES:
            return self.pending.popleft()
        first, second = (self.guided, self.pending) if self.trials % 2 else (self.pending, self.guided)
        for queue in (first, second):
            if queue:
                return queue.popleft()
        return None


class _Subjects(dict[str, Subject]):
    """Subjects by their names; what a class inherits has no code of its own to be reached."""

    def __missing__(self, name: str) -> Subject:
        return self.setdefault(name, Subject(name))


class TrialSearch:
    """The state of the exploration of one module.

    Args:
        reached: arcs that importing the module ran.
        limit: maximum number of trials; bounds how many proposals are read.
        kinds: whether a new kind of outcome without a new arc counts as progress.

    Attributes:
        quiet: trials in a row without progress; `quiet_lines`: lines that they ran.
        absent: messages of missing modules that trials needed.
    """

    def __init__(
        self,
        facts: ModuleFacts,
        arcs: ArcMap,
        proposer: Proposer,
        reached: frozenset[Arc],
        limit: int,
        *,
        kinds: bool = True,
    ) -> None:
        self.arcs = arcs
        self.proposer = proposer
        self.reached = set(arcs.real(reached))
        self.records: list[TrialRecord] = []
        self.absent: set[str] = set()
        self.quiet = 0
        self.quiet_lines = 0
        self.trials = 0
        self._kinds = kinds
        self._keys: set[tuple[object, ...]] = set()
        self.subjects = _Subjects(
            {item.qualname: Subject(item.qualname, arcs=arcs.within(item)) for item in facts.callables()}
        )
        self._regions = {name: subject.arcs for name, subject in self.subjects.items() if subject.arcs}
        self._outside = OutsideTrials()
        self._plain = proposer.initial()
        self._pulls = MOST_PULLED * limit

    def _pull(self, weights: dict[str, float], wanted: int) -> None:
        """Reads proposals until enough are queued for callables with a weight; the proposer learns in between."""
        have = sum(subject.waiting for name, subject in self.subjects.items() if weights.get(name))
        while have < wanted and self._pulls > 0:
            trial = next(self._plain, None)
            if trial is None:  # no more for now: observations of the next batch may lead to further proposals
                return
            self._pulls -= 1
            if self._queue(trial, guided=False) and weights.setdefault(trial.subject, 1):
                have += 1

    def _queue(self, trial: Trial, *, guided: bool) -> bool:
        subject = self.subjects[trial.subject]
        queue = subject.guided if guided else subject.pending
        if (guided and len(queue) >= LONGEST_QUEUE) or not self._register(trial):
            return False
        queue.append(trial)
        return True

    def is_new(self, trial: Trial) -> bool:
        """Whether a trial was never queued; marks it as queued."""
        return trial.subject in self.subjects and self._register(trial)

    def _register(self, trial: Trial) -> bool:
        key = (trial.act, trial.mode, trial.arrange, trial.imports, trial.wanted)
        if key in self._keys:
            return False
        self._keys.add(key)
        return True

    def next_batch(self, size: int) -> list[Trial]:
        """Returns the next trials, at most `size`, shared out by weight; empty when no trial can bring progress."""
        batch: list[Trial] = []
        weights = {name: self._weight(subject) for name, subject in self.subjects.items()}
        self._pull(weights, 3 * size)
        weights = {name: weight for name, weight in weights.items() if self.subjects[name].waiting}
        total = sum(weights.values())
        # Where not all get a turn, those with the fewest trials come first: no callable is left untried behind others.
        turns = sorted(weights, key=lambda name: self.subjects[name].trials) if len(weights) > size else weights
        for name in turns:
            weight = weights[name]
            share = max(1, round(size * weight / total)) if weight else 0
            while share and (trial := self.subjects[name].next_trial()) is not None:
                batch.append(trial)
                self.subjects[name].trials += 1
                share -= 1
        # Each share is at least one, so the sum may exceed the size: the rest goes back to the queues' heads.
        for trial in reversed(batch[size:]):
            self.subjects[trial.subject].pending.appendleft(trial)
            self.subjects[trial.subject].trials -= 1
        return batch[:size]

    def _weight(self, subject: Subject) -> float:
        """Returns a callable's share of the next batch: by its uncovered arcs and those of helpers it calls."""
        if subject.bad_endings >= BAD_ENDINGS:
            return 0
        if subject.trials < FIRST_TRIALS or (subject.pending and subject.pending[0].source in RICH_SOURCES):
            return 20
        if subject.ended >= REPLACED_AFTER and subject.arcs and subject.touched.isdisjoint(subject.arcs):
            return 0  # its body never runs: a later definition of the same name has replaced it
        missing = len(self._missing(subject))
        if missing:
            return 1 + missing * (1 if subject.assertable else 2)
        # All is covered: some further trials may still show other outcomes.
        return 0.5 if subject.trials < ENOUGH_TRIALS else 0

    def _missing(self, subject: Subject) -> set[Arc]:
        missing = set(subject.arcs - self.reached)
        for name, region in self._regions.items():
            if name != subject.name and not region.isdisjoint(subject.touched):
                missing |= region - self.reached
        return missing

    def _nothing_new(self, seen: ObservedTrial) -> None:
        self.quiet += 1
        self.quiet_lines += seen.steps

    def learn(self, trial: Trial, seen: ObservedTrial, *, time_dependent: bool = False) -> None:
        """Records a trial's observation and queues follow-up trials where it reached new code.

        Args:
            time_dependent: whether it has another outcome on another day; its arcs then do not count as reached.
        """
        observation, subject = seen.observation, self.subjects[trial.subject]
        if not is_fixed(trial, observation):
            self._learn_ambient(trial, observation)
            return
        settled = self._outside.settle(
            Reached(trial, seen, time_dependent), lambda one: self.proposer.stand_ins(one, observation)
        )
        for one in settled.records:
            self._record(one.trial, one.seen, one.time_dependent)
        if not settled.records:
            self.trials += 1
            self._nothing_new(seen)
            subject.last = observation
        self._queue_first(settled.queue)

    def _record(self, trial: Trial, seen: ObservedTrial, time_dependent: bool) -> None:
        observation, subject = seen.observation, self.subjects[trial.subject]
        arcs = self.arcs.real(observation.arcs)
        shown = seen.named or (trial, seen)
        record = TrialRecord(self.trials, *shown, arcs, arcs | self.arcs.real(seen.setup), time_dependent)
        self.trials += 1
        subject.last = observation
        if observation.raised is not None and observation.raised.type_name == "ModuleNotFoundError":
            self.absent.add(observation.raised.message)
        if observation.outcome in ("timed_out", "crashed", "out_of_memory"):
            subject.bad_endings += 1
        if observation.outcome == "refused":
            subject.refused = subject.refused or observation
        if observation.outcome not in ("returned", "raised"):
            self.proposer.follow_up(trial, observation)  # the proposer learns which arrangements fail
            return
        if observation.outcome == "returned" and (subject.returned is None or has_assertable_outcome(observation)):
            subject.returned = observation
        subject.ended += 1
        if time_dependent:
            self.records.append(record)
            self._nothing_new(seen)
            # As an outcome without arcs: the proposer must not derive trials from an unstable one.
            self.proposer.follow_up(trial, replace(observation, outcome="timed_out", arcs=frozenset()))
            return
        subject.touched |= arcs
        subject.assertable += has_assertable_outcome(observation)
        new = not arcs <= self.reached
        behaviour = behaviour_of(observation)
        fresh = self._kinds and behaviour not in subject.behaviours
        self.records.append(record)
        self.reached |= arcs
        subject.behaviours.add(behaviour)
        if new or fresh:
            self.quiet = self.quiet_lines = 0
        else:
            self._nothing_new(seen)
        # The result is a generator or a coroutine: try at once to consume it.
        if trial.mode == "call" and seen.calls_for and self._queue(_in_mode(trial, seen.calls_for), guided=True):
            subject.guided.rotate(1)
        if seen.steps > SLOW_STEPS:
            return
        for other in self.proposer.follow_up(trial, replace(observation, arcs=arcs)):
            self._queue(other, guided=True)

    def _learn_ambient(self, trial: Trial, observation: Observation) -> None:
        """Queues the trial with its surroundings fixed in place of one that depends on the machine it runs on."""
        self.trials += 1
        subject = self.subjects[trial.subject]
        subject.last = observation
        self.quiet += 1
        self._queue_first(self.proposer.follow_up(trial, observation))

    def _queue_first(self, trials: Sequence[Trial]) -> None:
        """Queues trials of one callable in front of all others that were derived from observations."""
        for trial in reversed(trials):
            if self._queue(trial, guided=True):
                self.subjects[trial.subject].guided.rotate(1)


def _in_mode(trial: Trial, mode: str) -> Trial:
    """Returns the trial with its result consumed; a documented result no longer applies then."""
    modes: dict[str, Mode] = {"iterate": "iterate", "await": "await", "aiterate": "aiterate"}
    return replace(trial, mode=modes[mode], wanted=None, wanted_line=0)


def has_assertable_outcome(observation: Observation) -> bool:
    """Whether an assertion can compare part of the outcome exactly."""
    value = observation.value
    if observation.outcome == "raised":
        return True
    if observation.effects or observation.output or observation.errors or observation.warnings:
        return True
    if value is None:
        return False
    return value.source not in (None, "None") or any(item.source for _, item in value.attributes)


def returned_none(observation: Observation) -> bool:
    """Whether the trial returned None."""
    return observation.value is not None and observation.value.source == "None"


def behaviour_of(observation: Observation) -> tuple[object, ...]:
    """Returns a coarse key of the outcome: the exception and its line, or the result's type."""
    if observation.raised is not None:
        return ("raised", observation.raised.type_name, observation.raised.line)
    value = observation.value
    if value is None:
        return ("returned",)
    return ("returned", value.type_name, value.source if value.source in ("None", "True", "False") else "")
