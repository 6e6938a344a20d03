"""Which trials notice which mutants, and further trials for the mutants that none notices (B-11).

The mutants are a seeded sample of the target's. Trials run on each in lockstep with the module as it is; what differs
counts where a test would pin it. Everything is counted, nothing is timed, so that two hunts are the same.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractAsyncContextManager

from ....sandbox.target import PythonTarget
from ..model.model import Arc, ModuleFacts, Trial
from ..model.mutant_search import HuntLimits, Kills
from ..search.parallel_observers import Watcher
from ..search.propose import trial_key
from ..search.search import AimingProposer, Search
from ..search.time_dependence import moving_of
from .explicit_defaults import enriched
from .module_instances import with_ready_made
from .mutant_values import worded
from .mutant_worker_client import Lockstep, open_lockstep
from .search import Hunt

WAYS = 2
SUBJECTS = 6
STORY_STEPS = 150
WORDS_IN_TURN = 2


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
