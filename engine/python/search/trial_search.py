"""Which trials to run next, and what the trials so far have taught (B-06).

Callables with uncovered code get more trials, those that are done get none. Everything is counted, nothing is timed, so
that two searches with the same proposals are the same.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Protocol

from ..model.arcs import ArcMap
from ..model.model import Arc, Mode, ModuleFacts, Observation, Trial
from ..model.observation_json import ObservedTrial

FIRST_TRIALS = 8
ENOUGH_TRIALS = 40
REPLACED_AFTER = 12
BAD_ENDINGS = 3
LONGEST_QUEUE = 400
MOST_PULLED = 10
SLOW_STEPS = 20_000
RICH_SOURCES = frozenset({"doctest", "example", "existing_test", "call_site", "usage"})


class Proposer(Protocol):
    """Where trials come from; deterministic."""

    def initial(self) -> Iterator[Trial]:
        """Trials that need no observation, richest first, callables in turns."""
        ...

    def follow_up(self, trial: Trial, observation: Observation) -> list[Trial]:
        """Trials worth making after one that reached something new or nearly did."""
        ...


class AimingProposer(Proposer, Protocol):
    """One that can also be asked for trials of one line, which mutants need."""

    def near(self, trial: Trial, observation: Observation, line: int, wave: int) -> list[Trial]:
        """Trials like one that runs a line, with other values there."""
        ...

    def object_stories(self, line: int) -> list[Trial]:
        """Stories of objects whose class holds a line."""
        ...


@dataclass(frozen=True, slots=True)
class TrialRecord:
    """A trial that ran, with what it did.

    Attributes:
        number: its place in the order of all trials.
        arcs: possible arcs the act ran; `covered` adds those of arranging.
        time_dependent: whether what came out is not the same on another day.
        notes: what was worked out of it once, by the kind of what that is.
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
        """What was observed."""
        return self.seen.observation


@dataclass(slots=True)
class Subject:
    """What is known of one callable so far."""

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
        """How many trials it has in store."""
        return len(self.pending) + len(self.guided)

    def next_trial(self) -> Trial | None:
        """Guided and plain trials in turns; what documents and users do comes before both."""
        if self.pending and self.pending[0].source in RICH_SOURCES:
            return self.pending.popleft()
        first, second = (self.guided, self.pending) if self.trials % 2 else (self.pending, self.guided)
        for queue in (first, second):
            if queue:
                return queue.popleft()
        return None


class TrialSearch:
    """The state of the exploration of one module.

    Args:
        reached: arcs that importing ran.
        limit: how many trials there may be; no more proposals are kept than could ever run.
        kinds: whether another kind of ending is something new, too, where it brings no arc.
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
        self.subjects = {one.qualname: Subject(one.qualname, arcs=arcs.within(one)) for one in facts.callables()}
        self._regions = {name: one.arcs for name, one in self.subjects.items() if one.arcs}
        self._plain = proposer.initial()
        self._pulls = MOST_PULLED * limit

    def _pull(self, weights: dict[str, float], wanted: int) -> None:
        """Take proposals until there are enough for callables that deserve some; the proposer learns in between."""
        have = sum(one.waiting for name, one in self.subjects.items() if weights.get(name))
        while have < wanted and self._pulls > 0:
            trial = next(self._plain, None)
            if trial is None:  # nothing for the moment: what runs now may bring more
                return
            self._pulls -= 1
            if self._queue(trial, guided=False) and weights.setdefault(trial.subject, 1):
                have += 1

    def _queue(self, trial: Trial, *, guided: bool) -> bool:
        key = (trial.act, trial.mode, trial.arrange, trial.imports, trial.wanted)
        subject = self.subjects.setdefault(trial.subject, Subject(trial.subject))
        queue = subject.guided if guided else subject.pending
        if key in self._keys or (guided and len(queue) >= LONGEST_QUEUE):
            return False
        self._keys.add(key)
        queue.append(trial)
        return True

    def is_new(self, trial: Trial) -> bool:
        """Whether a trial was not queued before; from now on it was."""
        key = (trial.act, trial.mode, trial.arrange, trial.imports, trial.wanted)
        if key in self._keys or trial.subject not in self.subjects:
            return False
        self._keys.add(key)
        return True

    def next_batch(self, size: int) -> list[Trial]:
        """The next trials, at most `size`; empty when nothing is left that could teach anything."""
        batch: list[Trial] = []
        weights = {name: self._weight(one) for name, one in self.subjects.items()}
        self._pull(weights, 3 * size)
        weights = {name: weight for name, weight in weights.items() if self.subjects[name].waiting}
        total = sum(weights.values())
        for name, weight in weights.items():
            share = max(1, round(size * weight / total)) if weight else 0
            while share and (trial := self.subjects[name].next_trial()) is not None:
                batch.append(trial)
                self.subjects[name].trials += 1
                share -= 1
        return batch[:size] if len(batch) <= size else self._put_back(batch, size)

    def _put_back(self, batch: list[Trial], size: int) -> list[Trial]:
        for trial in reversed(batch[size:]):
            self.subjects[trial.subject].pending.appendleft(trial)
            self.subjects[trial.subject].trials -= 1
        return batch[:size]

    def _weight(self, subject: Subject) -> float:
        """How much a callable deserves: its uncovered arcs, and those of helpers it calls."""
        if subject.bad_endings >= BAD_ENDINGS:
            return 0
        if subject.trials < FIRST_TRIALS or (subject.pending and subject.pending[0].source in RICH_SOURCES):
            return 20
        if subject.ended >= REPLACED_AFTER and subject.arcs and subject.touched.isdisjoint(subject.arcs):
            return 0  # its name stands for something else: a definition that another one has replaced
        missing = len(self._missing(subject))
        if missing:
            return 1 + missing * (1 if subject.assertable else 2)
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
        """Take in what a trial did; queues further ones where it was worth it.

        Args:
            time_dependent: whether it would come out otherwise on another day; what it ran is then still to be reached.
        """
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
            self.proposer.follow_up(trial, observation)  # so that it learns which arrangements fail
            return
        if observation.outcome == "returned" and (subject.returned is None or has_assertable_outcome(observation)):
            subject.returned = observation
        subject.ended += 1
        if time_dependent:
            self.records.append(record)
            self._nothing_new(seen)
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
        if trial.mode == "call" and seen.calls_for and self._queue(_in_mode(trial, seen.calls_for), guided=True):
            subject.guided.rotate(1)
        if seen.steps > SLOW_STEPS:
            return
        for other in self.proposer.follow_up(trial, replace(observation, arcs=arcs)):
            self._queue(other, guided=True)


def _in_mode(trial: Trial, mode: str) -> Trial:
    """The same trial with its result consumed; what a document shows is then no longer what comes out."""
    modes: dict[str, Mode] = {"iterate": "iterate", "await": "await", "aiterate": "aiterate"}
    return replace(trial, mode=modes[mode], wanted=None, wanted_line=0)


def has_assertable_outcome(observation: Observation) -> bool:
    """Whether something the trial did can be demanded exactly."""
    value = observation.value
    if observation.outcome == "raised":
        return True
    if observation.effects or observation.output or observation.errors or observation.warnings:
        return True
    return value is not None and (value.source not in (None, "None") or any(one.source for _, one in value.attributes))


def returned_none(observation: Observation) -> bool:
    """Whether the trial returned None."""
    return observation.value is not None and observation.value.source == "None"


def behaviour_of(observation: Observation) -> tuple[object, ...]:
    """What kind of thing happened, coarsely."""
    if observation.raised is not None:
        return ("raised", observation.raised.type_name, observation.raised.line)
    value = observation.value
    if value is None:
        return ("returned",)
    return ("returned", value.type_name, value.source if value.source in ("None", "True", "False") else "")
