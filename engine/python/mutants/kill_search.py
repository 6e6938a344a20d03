"""Searches for trials that kill a seeded sample of the module's mutants, and generates trials for the survivors.

Trials run on each mutant and on the original; a difference counts where a test would assert it. The search counts and
never reads a clock itself, so that two searches give the same result.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, field

from ....mutation.catalog import mutants_of, sample
from ....mutation.model import Mutant
from ....sandbox.target import PythonTarget
from ....utils.in_turns import in_turns
from ....utils.python_source import parse_python
from ..model.model import Arc, ModuleFacts, Trial
from ..model.mutant_search import Kills, MutantSearchLimits
from ..search.influence_trials import Distinction
from ..search.initial_trials import trial_key
from ..search.parallel_observers import Watcher, run_trials
from ..search.trial_search import SLOW_STEPS, AimingProposer, TrialRecord, TrialSearch
from ..selection.candidates import TrialCandidate, rank_candidates
from ..usage.harvest import AS_WRITTEN
from .asserted_facets import AssertedFacets, FacetOracle
from .module_instances import with_module_instances
from .mutant_lines import ImportTimeUses, is_within, lines_of
from .mutant_values import MutantValues, with_explicit_defaults, with_values
from .mutant_worker_client import MutantOutcome, MutantRequest, MutantWorkerClient, open_mutant_worker

SEED = 5
PORTION = 300
MINIMUM_TRIALS = 3
FEWER_FACTOR = 3


@dataclass(slots=True)
class LiveMutant:
    """A mutant not yet killed.

    Attributes:
        imported: whether its line runs at import.
        lines: lines whose trials may detect it.
        several: whether to look for more than one killing trial.
        aimed: keys of trials generated for it.
        tried: pool indexes already run against it; `killers`: those that detected it.
        done: whether no further trial is needed.
    """

    number: int
    mutant: Mutant
    imported: bool
    lines: frozenset[int]
    several: bool = True
    aimed: set[tuple[str, ...]] = field(default_factory=set)
    tried: set[int] = field(default_factory=set)
    killers: set[int] = field(default_factory=set)
    done: bool = False


class MutantSearch:
    """The state of one search: the mutants, the pool of trials, and which trials detected which mutants.

    Args:
        imported: arcs that importing the module runs.
        over: whether the search's time is over.
    """

    def __init__(
        self,
        facts: ModuleFacts,
        source: bytes,
        search: TrialSearch,
        imported: frozenset[Arc],
        limits: MutantSearchLimits,
        over: Callable[[], bool] = lambda: False,
    ) -> None:
        self.facts = facts
        self.over = over
        self.tree = parse_python(source)
        self.search = search
        self.limits = limits
        self.pool: list[TrialCandidate] = []
        self.pins: list[AssertedFacets | None] = []
        self.successes: dict[int, int] = {}
        self.keys: list[tuple[str, ...]] = []
        self.ways: list[int] = []
        self._ways: dict[object, int] = {}
        self._pinned = 0
        self._at: dict[int, int] = {}
        self.runs = 0
        self._pinning = FacetOracle(facts, [item for item in search.records if item.observation.outcome == "raised"])
        self._known: set[int] = set()
        everything = [one for one in mutants_of(source, facts.path) if one.rule is None]
        at_import, used = lines_of(imported), ImportTimeUses(source)
        self.words = MutantValues(source)
        self.live_mutants: list[LiveMutant] = []
        several = set(sample(everything, limits.thorough, seed=SEED))
        for number, one in enumerate(sample(everything, limits.mutants, seed=SEED)):
            early = is_within(one, at_import)
            lines = used.lines(one.line) if early else frozenset(one.lines)
            self.live_mutants.append(LiveMutant(number, one, early, lines, one in several))

    async def learn(self, worker: MutantWorkerClient, records: Iterable[TrialRecord], most: int) -> None:
        """Adds the best of these records to the pool."""
        alike: dict[object, int] = {}
        first = not self.pool
        found: list[TrialCandidate] = []
        for one in rank_candidates(list(records), self.facts, alike=self.limits.alike if first else most):
            key = (one.record.trial.subject, one.record.arcs, Distinction in one.record.notes)
            alike[key] = alike.get(key, 0) + 1
            slow = one.record.seen.steps > SLOW_STEPS or one.record.seen.random or one.record.time_dependent
            is_distinct = alike[key] <= self.limits.alike or not first
            if is_distinct and one.asserts and not slow and one.record.number not in self._known:
                found.append(one)
        found = _affordable(found[:most], self.limits.pool_lines)
        waiting = iter(found)
        async for part in worker.learning([one.record.trial for one in found]):
            for seen in part:
                one = next(waiting)
                self._keep(one, self._pinning.facets_of(one.record, seen))

    def _keep(self, one: TrialCandidate, pins: AssertedFacets | None) -> None:
        """Adds a candidate to the pool, with the facets that its test would assert."""
        place = len(self.pool)
        self._known.add(one.record.number)
        self.pool.append(one)
        self.keys.append(trial_key(one.record.trial))
        way = (one.record.trial.subject, one.record.arcs)
        self.ways.append(self._ways.setdefault(way, len(self._ways)))
        self.pins.append(pins)
        if pins is not None:
            self._pinned |= 1 << place
            for line in lines_of(one.record.covered):
                self._at[line] = self._at.get(line, 0) | 1 << place

    async def round(self, worker: MutantWorkerClient, most: int, enough: int, turn: int) -> None:
        """Runs pool trials on each live mutant; `turn` counts rounds and waves."""
        asked: list[MutantRequest] = []
        at_import = self.limits.at_import[min(turn, len(self.limits.at_import) - 1)]
        for live in self.alive():
            wished = at_import if live.imported else most
            places = self._next(live, wished if live.several else wished // FEWER_FACTOR)
            if places and self.runs < self.limits.runs:
                live.tried.update(places)
                wanted = enough if live.several else 1
                asked.append(MutantRequest(live.number, live.mutant, live.imported, places, wanted))
        for start in range(0, len(asked), PORTION):
            if self.over():
                return
            for answer in await worker.run(asked[start : start + PORTION]):
                self._take(self.live_mutants[answer.number], answer)

    def alive(self) -> list[LiveMutant]:
        """Returns the mutants that no trial has detected so far."""
        return [live_mutant for live_mutant in self.live_mutants if not live_mutant.done and not live_mutant.killers]

    def _next(self, live: LiveMutant, most: int) -> tuple[int, ...]:
        """Returns trials that run its line: those generated for it first, then documented examples, which become tests
        in any case, those with a result before calls without one, then by past kills, then one path after another."""
        turns: dict[int, int] = {}
        ranked: list[tuple[bool, int, int, int, int]] = []
        for place in self._places(live):
            way = self.ways[place]
            turns[way] = turns.get(way, 0) + 1
            aimed = bool(live.aimed) and self.keys[place] in live.aimed
            one = self.pool[place]
            written = 0 if one.example else 1 if one.record.trial.source in AS_WRITTEN else 2
            ranked.append((not aimed, written, -self.successes.get(place, 0), turns[way], place))
        lines = self.limits.lines if live.several else self.limits.lines // FEWER_FACTOR
        return self._within_lines([rank[-1] for rank in sorted(ranked)[:most]], lines)

    def _places(self, live: LiveMutant) -> list[int]:
        """Returns pool indexes of untried trials that run its line and assert something, in order."""
        found = 0 if live.lines else self._pinned
        for line in live.lines:
            found |= self._at.get(line, 0)
        bits = bin(found)[:1:-1]
        return [place for place, bit in enumerate(bits) if bit == "1" and place not in live.tried]

    def _within_lines(self, places: Sequence[int], most: int) -> tuple[int, ...]:
        """Returns the first few places, and further ones while they run at most `most` lines."""
        lines = 0
        for count, place in enumerate(places):
            lines += self.pool[place].record.seen.steps
            if count >= MINIMUM_TRIALS and lines > most:
                return tuple(places[:count])
        return tuple(places)

    def _take(self, live: LiveMutant, answer: MutantOutcome) -> None:
        self.runs += answer.ran
        if answer.status == "broken":
            live.done = True  # the module no longer imports: any test fails
            return
        # An equivalent mutant, or one that does not compile: no trial can detect it.
        if answer.status in ("same", "syntax"):
            live.done = True
            return
        for difference in answer.differences:
            pins = self.pins[difference.trial]
            if pins is not None and pins.detects(difference):
                live.killers.add(difference.trial)
                self.successes[difference.trial] = self.successes.get(difference.trial, 0) + 1

    def bases(self, live: LiveMutant, most: int) -> list[TrialRecord]:
        """Returns easily read trials that run its line, one for each path through the code."""
        found = sorted(live.tried, key=lambda place: self.pool[place].cost)
        ways: dict[object, TrialRecord] = {}
        for place in found:
            record = self.pool[place].record
            ways.setdefault(record.trial.subject if live.imported else (record.trial.subject, record.arcs), record)
        return list(ways.values())[:most]

    def result(self) -> Kills:
        """Returns the kills found."""
        by_record: dict[int, set[int]] = {}
        for live in self.live_mutants:
            for place in live.killers:
                by_record.setdefault(self.pool[place].record.number, set()).add(live.number)
        return Kills(
            tuple(live_mutant.mutant for live_mutant in self.live_mutants),
            {number: frozenset(found) for number, found in by_record.items()},
            tuple(one.number for one in self.alive()),
            self.runs,
        )


def _affordable(candidates: Sequence[TrialCandidate], lines: int) -> list[TrialCandidate]:
    """Returns the candidates, in order, that together run at most so many lines."""
    spent = 0
    found: list[TrialCandidate] = []
    for candidate in candidates:
        spent += candidate.record.seen.steps
        if spent <= lines:
            found.append(candidate)
    return found


WAYS = 2


SUBJECTS = 6


STORY_STEPS = 150


WORDS_IN_TURN = 2


async def find_kills(
    target: PythonTarget,
    facts: ModuleFacts,
    source: bytes,
    search: TrialSearch,
    proposer: AimingProposer,
    observer: Watcher,
    imported: frozenset[Arc],
    limits: MutantSearchLimits | None = None,
    *,
    over: Callable[[], bool] = lambda: False,
    opened: Callable[[], AbstractAsyncContextManager[MutantWorkerClient]] | None = None,
) -> Kills:
    """Finds trials that kill a sample of mutants; adds newly generated trials to `search`.

    Args:
        over: whether the time is over; checked between portions of the work.
        opened: provides a worker that was started ahead; None to start one.

    Raises:
        TargetImportError, SandboxFailure: see `open_mutant_worker`.
    """
    limits = limits or MutantSearchLimits()
    if not limits.mutants or not search.records or over():
        return Kills()
    state = MutantSearch(facts, source, search, imported, limits, over)
    if not state.live_mutants:
        return Kills()
    async with opened() if opened is not None else open_mutant_worker(target, facts) as worker:
        await state.learn(worker, search.records, limits.pool)
        for turn, (most, enough) in enumerate(limits.rounds):
            await state.round(worker, most, enough, turn)
        for wave, most in enumerate(limits.fresh):
            if over():
                break
            wanted = _further(state, proposer, wave)[:most]
            known = {trial_key(record.trial): record for record in search.records}
            before = len(search.records)
            trials = [one for one in wanted if search.is_new(one)]
            await run_trials(trials, search, observer)
            again = [known[key] for key in map(trial_key, wanted) if key in known]
            await state.learn(worker, [*again, *search.records[before:]], most)
            await state.round(worker, *limits.rounds[-1], len(limits.rounds) + wave)
    return state.result()


def _further(state: MutantSearch, proposer: AimingProposer, wave: int) -> list[Trial]:
    """Generates trials near those that run the lines of surviving mutants, survivors in turns."""
    turns: list[tuple[Sequence[Trial], int]] = []
    for live in state.alive():
        mine: list[tuple[Sequence[Trial], int]] = []
        words = state.words.near(live.mutant, early=live.imported) if not wave else []
        for record in state.bases(live, SUBJECTS if live.imported else WAYS):
            asking = with_values(record.trial, words)
            mine += [(asking[turn::WORDS_IN_TURN], record.seen.steps) for turn in range(WORDS_IN_TURN)]
            if not wave:
                mine.append((with_explicit_defaults(record.trial, state.facts), record.seen.steps))
            if not live.imported:
                near = proposer.near(record.trial, record.observation, live.mutant.line, wave)
                mine.append((near, record.seen.steps))
        if not wave and live.imported:
            known = (one.record for one in state.pool)
            mine.append((with_module_instances(known, state.facts, state.tree, live.mutant.line), STORY_STEPS))
        if not wave and not live.imported:
            mine.append((proposer.object_stories(live.mutant.line), STORY_STEPS))
        live.aimed = {trial_key(one) for part, _ in mine for one in part}
        turns += mine
    found: dict[tuple[str, ...], Trial] = {}
    lines = 0
    for trial, cost in in_turns([(trial, cost) for trial in part] for part, cost in turns):
        if lines <= state.limits.fresh_lines and trial_key(trial) not in found:
            found[trial_key(trial)] = trial
            lines += cost
    return list(found.values())
