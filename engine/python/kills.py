"""Which trials notice which mutants, and further trials for the mutants that none notices (B-11).

The mutants are a seeded sample of the target's. Trials run on each in lockstep with the module as it is; what differs
counts where a test would pin it. Everything is counted, nothing is timed, so that two hunts are the same.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, field

from ...mutation.catalog import mutants_of, sample
from ...mutation.model import Mutant
from ...sandbox.target import PythonTarget
from ...utils.python_source import parse_python
from .choice import Candidate, worthwhile
from .enriched import enriched
from .lockstep import Answer, Asked, Lockstep, open_lockstep
from .made_ready import with_ready_made
from .model import Arc, ModuleFacts, Trial
from .moving import moving_of
from .mutant_lines import UsedAtImport, lines_of, runs
from .mutant_words import Words, worded
from .pins import Pinning, Pins
from .propose import trial_key
from .search import SLOW_STEPS, AimingProposer, Record, Search
from .side_by_side import Watcher

SEED = 5
PORTION = 300
WAYS = 2
SUBJECTS = 6
FEW = 3
LESS = 3
STORY_STEPS = 150
WORDS_IN_TURN = 2


@dataclass(frozen=True, slots=True)
class HuntLimits:
    """How far a hunt goes.

    Attributes:
        mutants: size of the sample; 0 for no hunt.
        thorough: of those, for how many several trials that notice them are sought, to choose among; the others are
            run on a third as much.
        pool: trials that may run on mutants, without the further ones.
        pool_lines: lines of the target that the trials taken in at one time may run.
        alike: of those, how many may share subject and arcs.
        runs: trials run on mutants, in all.
        lines: lines of the target that the trials of one round may run on one mutant; the plainest few in any case.
        rounds: for each round on what still survives, trials on each mutant and how many of them must notice it.
        at_import: trials on each mutant of a line that runs at import, in each of these rounds and of the waves after
            them (the last counts for all further ones): what asks for the very entry of a table is made in the waves,
            and few others notice these.
        fresh: further trials made for survivors, in each of the waves in which they are made.
        fresh_lines: lines of the target that those of one wave may run, by what they are made from.
    """

    mutants: int = 1200
    thorough: int = 600
    pool: int = 500
    pool_lines: int = 500_000
    alike: int = 6
    runs: int = 24_000
    lines: int = 12_000
    rounds: tuple[tuple[int, int], ...] = ((20, 2), (48, 1))
    at_import: tuple[int, ...] = (20, 0, 48, 40)
    fresh: tuple[int, ...] = (1600, 600)
    fresh_lines: int = 600_000


@dataclass(frozen=True, slots=True)
class Kills:
    """What a hunt found.

    Attributes:
        mutants: those that were tried, each at its number.
        by_record: numbers of the mutants that a record's test would notice.
        survivors: numbers of those that no trial notices.
    """

    mutants: tuple[Mutant, ...] = ()
    by_record: Mapping[int, frozenset[int]] = field(default_factory=dict)
    survivors: tuple[int, ...] = ()
    runs: int = 0


NO_KILLS = Kills()


@dataclass(slots=True)
class _Quarry:
    """A mutant under way; `tried` are places in the pool, `aimed` the keys of trials that were made for it.

    `several` says whether more than one trial that notices it is sought.
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


class Hunt:
    """The state of one hunt.

    Args:
        imported: arcs that importing the module runs.
        over: whether its time is over.
    """

    def __init__(
        self,
        facts: ModuleFacts,
        source: bytes,
        search: Search,
        imported: frozenset[Arc],
        limits: HuntLimits,
        over: Callable[[], bool] = lambda: False,
    ) -> None:
        self.facts = facts
        self.over = over
        self.tree = parse_python(source)
        self.search = search
        self.limits = limits
        self.pool: list[Candidate] = []
        self.pins: list[Pins | None] = []
        self.successes: dict[int, int] = {}
        self.keys: list[tuple[str, ...]] = []
        self.ways: list[int] = []
        self._ways: dict[object, int] = {}
        self._pinned = 0
        self._at: dict[int, int] = {}
        self.runs = 0
        self._pinning = Pinning(facts, [one for one in search.records if one.observation.outcome == "raised"])
        self._known: set[int] = set()
        everything = [one for one in mutants_of(source, facts.path) if one.rule is None]
        at_import, used = lines_of(imported), UsedAtImport(source)
        self.words = Words(source)
        self.quarries: list[_Quarry] = []
        several = set(sample(everything, limits.thorough, seed=SEED))
        for number, one in enumerate(sample(everything, limits.mutants, seed=SEED)):
            early = runs(one, at_import)
            lines = used.lines(one.line) if early else frozenset(one.lines)
            self.quarries.append(_Quarry(number, one, early, lines, one in several))

    async def learn(self, lockstep: Lockstep, records: Iterable[Record], most: int) -> None:
        """Take the best of these records into the pool."""
        alike: dict[object, int] = {}
        first = not self.pool
        found: list[Candidate] = []
        for one in worthwhile(list(records), self.facts, alike=self.limits.alike if first else most):
            key = (one.record.trial.subject, one.record.arcs)
            alike[key] = alike.get(key, 0) + 1
            slow = one.record.seen.steps > SLOW_STEPS or one.record.seen.random or one.record.moving
            room = alike[key] <= self.limits.alike or not first
            if room and one.asserts and not slow and one.record.number not in self._known:
                found.append(one)
        found = _affordable(found[:most], self.limits.pool_lines)
        waiting = iter(found)
        async for part in lockstep.learning([one.record.trial for one in found]):
            for seen in part:
                one = next(waiting)
                self._keep(one, self._pinning.pins(one.record, seen))

    def _keep(self, one: Candidate, pins: Pins | None) -> None:
        """Take one into the pool."""
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

    async def round(self, lockstep: Lockstep, most: int, enough: int, turn: int) -> None:
        """Run trials on each mutant that has not been noticed; `turn` counts rounds and waves."""
        asked: list[Asked] = []
        at_import = self.limits.at_import[min(turn, len(self.limits.at_import) - 1)]
        for quarry in self.alive():
            wished = at_import if quarry.imported else most
            places = self._next(quarry, wished if quarry.several else wished // LESS)
            if places and self.runs < self.limits.runs:
                quarry.tried.update(places)
                wanted = enough if quarry.several else 1
                asked.append(Asked(quarry.number, quarry.mutant, quarry.imported, places, wanted))
        for start in range(0, len(asked), PORTION):
            if self.over():
                return
            for answer in await lockstep.run(asked[start : start + PORTION]):
                self._take(self.quarries[answer.number], answer)

    def alive(self) -> list[_Quarry]:
        """Mutants that no trial has noticed so far."""
        return [one for one in self.quarries if not one.done and not one.killers]

    def _next(self, quarry: _Quarry, most: int) -> tuple[int, ...]:
        """Trials that run its line: those made for it, those that noticed most so far, those of each way in turns."""
        turns: dict[int, int] = {}
        ranked: list[tuple[bool, int, int, int]] = []
        for place in self._places(quarry):
            way = self.ways[place]
            turns[way] = turns.get(way, 0) + 1
            aimed = bool(quarry.aimed) and self.keys[place] in quarry.aimed
            ranked.append((not aimed, -self.successes.get(place, 0), turns[way], place))
        lines = self.limits.lines if quarry.several else self.limits.lines // LESS
        return self._within_lines([rank[-1] for rank in sorted(ranked)[:most]], lines)

    def _places(self, quarry: _Quarry) -> list[int]:
        """Places of trials that pin something, run its line, and were not tried on it, in order."""
        found = 0 if quarry.lines else self._pinned
        for line in quarry.lines:
            found |= self._at.get(line, 0)
        bits = bin(found)[:1:-1]
        return [place for place, bit in enumerate(bits) if bit == "1" and place not in quarry.tried]

    def _within_lines(self, places: Sequence[int], most: int) -> tuple[int, ...]:
        """The first few, and further ones while they do not run too many lines."""
        lines = 0
        for count, place in enumerate(places):
            lines += self.pool[place].record.seen.steps
            if count >= FEW and lines > most:
                return tuple(places[:count])
        return tuple(places)

    def _take(self, quarry: _Quarry, answer: Answer) -> None:
        self.runs += answer.ran
        if answer.status == "broken":
            quarry.done = True  # any test at all notices that
            return
        if answer.status in ("same", "syntax"):
            quarry.done = True
            return
        for one in answer.differences:
            pins = self.pins[one.trial]
            if pins is not None and pins.notice(one):
                quarry.killers.add(one.trial)
                self.successes[one.trial] = self.successes.get(one.trial, 0) + 1

    def bases(self, quarry: _Quarry, most: int) -> list[Record]:
        """Plain trials that run its line, of several ways through the code."""
        found = sorted(quarry.tried, key=lambda place: self.pool[place].cost)
        ways: dict[object, Record] = {}
        for place in found:
            record = self.pool[place].record
            ways.setdefault(record.trial.subject if quarry.imported else (record.trial.subject, record.arcs), record)
        return list(ways.values())[:most]

    def result(self) -> Kills:
        """What was found."""
        by_record: dict[int, set[int]] = {}
        for quarry in self.quarries:
            for place in quarry.killers:
                by_record.setdefault(self.pool[place].record.number, set()).add(quarry.number)
        return Kills(
            tuple(one.mutant for one in self.quarries),
            {number: frozenset(found) for number, found in by_record.items()},
            tuple(one.number for one in self.alive()),
            self.runs,
        )


def _affordable(candidates: Sequence[Candidate], lines: int) -> list[Candidate]:
    """The first ones that together run no more than so many lines."""
    spent = 0
    found: list[Candidate] = []
    for one in candidates:
        spent += one.record.seen.steps
        if spent <= lines:
            found.append(one)
    return found


async def hunt(
    target: PythonTarget,
    facts: ModuleFacts,
    source: bytes,
    search: Search,
    proposer: AimingProposer,
    observer: Watcher,
    imported: frozenset[Arc],
    limits: HuntLimits | None = None,
    *,
    over: Callable[[], bool] = lambda: False,
    opened: Callable[[], AbstractAsyncContextManager[Lockstep]] | None = None,
) -> Kills:
    """Find what notices a sample of mutants; further trials go to `search`.

    Args:
        over: whether its time is over; asked between portions of the work.
        opened: gives the worker that was started ahead; None to start one.

    Raises:
        TargetImportError, SandboxFailure: see `open_lockstep`.
    """
    limits = limits or HuntLimits()
    if not limits.mutants or not search.records or over():
        return Kills()
    state = Hunt(facts, source, search, imported, limits, over)
    if not state.quarries:
        return Kills()
    async with opened() if opened is not None else open_lockstep(target, facts) as lockstep:
        await state.learn(lockstep, search.records, limits.pool)
        for turn, (most, enough) in enumerate(limits.rounds):
            await state.round(lockstep, most, enough, turn)
        for wave, most in enumerate(limits.fresh):
            if over():
                break
            wanted = _further(state, proposer, wave)[:most]
            known = {trial_key(one.trial): one for one in search.records}
            before = len(search.records)
            trials = [one for one in wanted if search.is_new(one)]
            answers = await observer.watch(trials)
            moving = await moving_of(trials, answers, observer)
            for index, (trial, seen) in enumerate(zip(trials, answers, strict=True)):
                search.learn(trial, seen, moving=index in moving)
            again = [known[key] for key in map(trial_key, wanted) if key in known]
            await state.learn(lockstep, [*again, *search.records[before:]], most)
            await state.round(lockstep, *limits.rounds[-1], len(limits.rounds) + wave)
    return state.result()


def _further(state: Hunt, proposer: AimingProposer, wave: int) -> list[Trial]:
    """Trials near those that run the lines of survivors, survivors in turns."""
    turns: list[tuple[Sequence[Trial], int]] = []
    for quarry in state.alive():
        mine: list[tuple[Sequence[Trial], int]] = []
        words = state.words.near(quarry.mutant, early=quarry.imported) if not wave else []
        for record in state.bases(quarry, SUBJECTS if quarry.imported else WAYS):
            asking = worded(record.trial, words)
            mine += [(asking[turn::WORDS_IN_TURN], record.seen.steps) for turn in range(WORDS_IN_TURN)]
            if not wave:
                mine.append((enriched(record.trial, state.facts), record.seen.steps))
            if not quarry.imported:
                near = proposer.near(record.trial, record.observation, quarry.mutant.line, wave)
                mine.append((near, record.seen.steps))
        if not wave and quarry.imported:
            known = (one.record for one in state.pool)
            mine.append((with_ready_made(known, state.facts, state.tree, quarry.mutant.line), STORY_STEPS))
        if not wave and not quarry.imported:
            mine.append((proposer.told(quarry.mutant.line), STORY_STEPS))
        quarry.aimed = {trial_key(one) for part, _ in mine for one in part}
        turns += mine
    longest = max((len(one) for one, _ in turns), default=0)
    found: dict[tuple[str, ...], Trial] = {}
    lines = 0
    for at in range(longest):
        for turn, cost in turns:
            if at < len(turn) and lines <= state.limits.fresh_lines and trial_key(turn[at]) not in found:
                found[trial_key(turn[at])] = turn[at]
                lines += cost
    return list(found.values())
