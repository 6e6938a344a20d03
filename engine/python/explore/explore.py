"""Explores one module: runs trials in the sandbox, follows what promises more, keeps what deserves a test (B-06)."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import AbstractAsyncContextManager, suppress
from dataclasses import dataclass, field, replace
from time import monotonic

from ....core.errors import ProjectError, SandboxFailure
from ....sandbox.target import PythonTarget
from ..judge.documented_behaviour import compare_with_document
from ..model.arcs import ArcMap
from ..model.model import Arc, Exploration, ModuleFacts, TrialFinding
from ..model.mutant_search import NO_KILLS, Kills, MutantSearchLimits
from ..mutants.kill_search import find_kills
from ..mutants.mutant_worker_client import open_mutant_worker
from ..search.assertable_selection import replace_unassertable
from ..search.background_context import background_context
from ..search.parallel_observers import ObserverPair, OrderedDelivery, Watcher, open_observer_pair
from ..search.time_dependence import time_dependent_trials
from ..search.trial_search import AimingProposer, TrialRecord, TrialSearch
from ..search.unreached import unreached_callables
from .confirm import NO_VERDICT, Confirmation, confirm, open_confirmation_workers
from .fallbacks import TRIALS as FALLBACK_TRIALS
from .fallbacks import explore_fallbacks

BATCH = 100
EARLY_TRIALS = 150
CONFIRMATIONS = 4
FALLBACK_QUIET = 250


@dataclass(frozen=True, slots=True)
class ExplorationBudget:
    """How much may be tried.

    Attributes:
        trials: trials in all.
        quiet: trials in a row without anything new, after which exploring ends.
        quiet_lines: lines of the target that such trials may run, so that slow modules do not explore for minutes.
        wall_seconds: a ceiling for all of it; reaching it is told in the notes, because two runs may then differ.
        mutant_search: how far mutants are searched.
    """

    trials: int = 3000
    quiet: int = 800
    quiet_lines: int = 800_000
    wall_seconds: float = 120.0
    mutant_search: MutantSearchLimits = field(default_factory=MutantSearchLimits)

    def within(self, seconds: float | None) -> ExplorationBudget:
        """The same, ended by so many seconds at the latest; None for no other ceiling."""
        return self if seconds is None else replace(self, wall_seconds=min(self.wall_seconds, seconds))


@dataclass(slots=True)
class _Work:
    """What confirming has settled so far."""

    confirmed: list[tuple[TrialRecord, Confirmation]] = field(default_factory=list)
    bad: dict[int, tuple[TrialRecord, str]] = field(default_factory=dict)


EarlyCallback = Callable[[Exploration], None]
"""Told of what has been seen after `EARLY_TRIALS`, nothing of it confirmed."""


async def explore(
    target: PythonTarget,
    facts: ModuleFacts,
    proposer: AimingProposer,
    budget: ExplorationBudget | None = None,
    *,
    early: EarlyCallback | None = None,
    opened: Callable[[], AbstractAsyncContextManager[ObserverPair]] | None = None,
) -> Exploration:
    """Find what deserves a test in one module.

    Args:
        early: told once of a first look; exploring goes on the same with and without.
        opened: gives workers that were started ahead; None to start some.

    Raises:
        TargetImportError: the module does not import.
        ProjectError: the file cannot be read or is no Python.
        SandboxFailure: the sandbox broke.
    """
    budget = budget or ExplorationBudget()
    source = await asyncio.to_thread(_read, target, facts)
    arcs = _arcs(facts, source)
    notes: list[str] = []
    pace = TimeBudget(budget.wall_seconds, notes)
    async with (
        opened() if opened is not None else open_observer_pair(target, facts) as observer,
        background_context(lambda: open_mutant_worker(target, facts)) as lockstep,
    ):
        imported = arcs.real(observer.import_arcs)
        search = TrialSearch(facts, arcs, proposer, imported, budget.trials)

        async def looked() -> None:
            if budget.mutant_search.mutants:
                lockstep.start()
            if early is not None:
                with suppress(Exception):  # a look ahead must not end what it looks ahead of
                    early(await asyncio.to_thread(_first_look, facts, arcs, search, imported))

        async def run(inner: TrialSearch, other: Watcher) -> None:
            bounds = ExplorationBudget(FALLBACK_TRIALS, FALLBACK_QUIET)
            await _search(inner, other, bounds, lambda: pace.over(FALLING_BACK, "Exploring without optional imports"))

        await _search(search, observer, budget, lambda: pace.over(SEARCHING, "Exploring"), looked)
        if search.trials < EARLY_TRIALS:
            await looked()
        await explore_fallbacks(target, facts, source, search, observer, run)
        kills = await find_kills(
            target,
            facts,
            source.encode(),
            search,
            proposer,
            observer,
            imported,
            budget.mutant_search,
            over=lambda: pace.over(HUNTING, "Looking for what notices faults"),
            opened=lockstep.use,
        )
    work = await _settle(target, facts, search, imported, kills)
    told = _told(facts, arcs, search, imported, work, kills, notes)
    return replace(told, source_lines=sum(1 for line in source.splitlines() if line.strip()))


def _read(target: PythonTarget, facts: ModuleFacts) -> str:
    path = target.snapshot.path / facts.path
    try:
        return path.read_bytes().decode("utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise ProjectError(f"{facts.path} cannot be read as Python: {error}") from error


def _arcs(facts: ModuleFacts, source: str) -> ArcMap:
    try:
        return ArcMap(source)
    except SyntaxError as error:
        raise ProjectError(f"{facts.path} cannot be read as Python: {error}") from error


async def _search(
    search: TrialSearch,
    observer: Watcher,
    budget: ExplorationBudget,
    over: Callable[[], bool],
    looked: Callable[[], Awaitable[None]] | None = None,
) -> None:
    while search.trials < budget.trials and search.quiet < budget.quiet and search.quiet_lines < budget.quiet_lines:
        batch = search.next_batch(min(BATCH, budget.trials - search.trials))
        if not batch:
            return
        left = iter(batch)
        order = OrderedDelivery(lambda seen, left=left: search.learn(next(left), seen))  # while the workers go on
        answers = await observer.watch(batch, heard=order.take)
        moving = await time_dependent_trials(batch, answers, observer)
        for index in range(order.delivered, len(batch)):
            search.learn(batch[index], answers[index], time_dependent=index in moving)
        if looked is not None and search.trials >= EARLY_TRIALS:
            await looked()
            looked = None
        if over():
            return


def _first_look(facts: ModuleFacts, arcs: ArcMap, search: TrialSearch, imported: frozenset[Arc]) -> Exploration:
    """What has been seen so far and owes nothing to chance, taken as it was seen."""
    lasting = [record for record in search.records if not (record.seen.random or record.time_dependent)]
    work = _Work([(record, _as_seen(record)) for record in replace_unassertable(lasting, facts, imported)])
    return _told(facts, arcs, search, imported, work, NO_KILLS, [])


def _as_seen(record: TrialRecord) -> Confirmation:
    verdict = compare_with_document(record.trial, record.seen) if record.trial.wanted is not None else NO_VERDICT
    return Confirmation(record.seen, verdict=verdict)


async def _settle(
    target: PythonTarget, facts: ModuleFacts, search: TrialSearch, imported: frozenset[Arc], kills: Kills
) -> _Work:
    """Choose, confirm, and choose again in place of what could not be confirmed."""
    work = _Work()
    for _ in range(CONFIRMATIONS):
        usable = [record for record in search.records if record.number not in work.bad]
        async with open_confirmation_workers(target, facts) as workers:  # they start while choosing goes on
            chosen = await asyncio.to_thread(replace_unassertable, usable, facts, imported, kills.by_record)
            answers = await confirm(target, facts, [(record.trial, record.seen) for record in chosen], workers=workers)
        # All of them again, not only the new ones: each must hold in the company of all the others.
        work.confirmed = [(one, answer) for one, answer in zip(chosen, answers, strict=True) if answer.seen is not None]
        bad = {
            record.number: (record, answer.reason)
            for record, answer in zip(chosen, answers, strict=True)
            if answer.seen is None
        }
        work.bad.update(bad)
        if not bad:
            break
    return work


def _told(
    facts: ModuleFacts,
    arcs: ArcMap,
    search: TrialSearch,
    imported: frozenset[Arc],
    work: _Work,
    kills: Kills,
    notes: list[str],
) -> Exploration:
    reached = set(imported)
    findings: list[TrialFinding] = []
    for record, confirmed in work.confirmed:
        seen = confirmed.seen
        if seen is None:
            raise SandboxFailure(f"A confirmed trial of {facts.module} has no observation.")
        own = arcs.real(seen.observation.arcs)
        covered = own | arcs.real(seen.setup)
        findings.append(
            TrialFinding(
                trial=record.trial,
                observation=seen.observation,
                new_arcs=frozenset(own - reached),
                covered=covered,
                unstable=confirmed.unstable,
                agrees=confirmed.verdict.agrees,
                contradicts=confirmed.verdict.contradicts,
                kills=kills.by_record.get(record.number, frozenset()),
            )
        )
        reached |= covered
    dropped = {record.trial.subject: reason for record, reason in work.bad.values()}
    notes.extend(f"Some trials need a package that is not installed: {one}" for one in sorted(search.absent))
    if work.bad:
        notes.append(f"{len(work.bad)} trials were dropped because they could not be repeated.")
    covered_arcs = frozenset(reached)
    return Exploration(
        facts=facts,
        findings=tuple(findings),
        unreached=unreached_callables(facts, search.subjects, findings, dropped, covered_arcs - imported),
        reached_arcs=covered_arcs,
        possible_arcs=arcs.possible,
        trials=search.trials,
        notes=tuple(notes),
    )


SEARCHING = 0.5


FALLING_BACK = 0.6


HUNTING = 0.85


class TimeBudget:
    """The clock of one exploration; it runs from when it is made.

    Args:
        seconds: what the exploration may take in all.
        notes: told which parts were cut short, because two runs may then differ.
        clock: seconds, monotonic.
    """

    def __init__(self, seconds: float, notes: list[str], clock: Callable[[], float] = monotonic) -> None:
        self._seconds = seconds
        self._notes = notes
        self._clock = clock
        self._began = clock()

    def over(self, part: float, what: str) -> bool:
        """Whether a part of the time is over; `what` was cut short then, and it is noted once."""
        if self._clock() - self._began < part * self._seconds:
            return False
        note = f"{what} stopped after {part * self._seconds:.3g} seconds."
        if note not in self._notes:
            self._notes.append(note)
        return True
