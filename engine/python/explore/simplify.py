"""Finds simpler trials for those that would become tests: fewer arguments, known words, smaller values."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from ..inputs.plain_texts import oddness
from ..judge.readability import reading_cost
from ..model.model import Arc, ModuleFacts, Trial
from ..search.initial_trials import trial_key
from ..search.parallel_observers import Watcher, time_dependent_trials
from ..search.simplified_trials import SIMPLIFIED, simplified_trials
from ..search.trial_search import RICH_SOURCES, SLOW_STEPS, TrialRecord, TrialSearch, behaviour_of
from ..selection.assertable_selection import replace_unassertable
from ..selection.idle_arguments import outcome_of
from ..selection.representative import represent, texts_in

ROUNDS = 6
_MOST_TRIALS = 600


async def simplify_trials(
    facts: ModuleFacts,
    search: TrialSearch,
    observer: Watcher,
    imported: frozenset[Arc],
    *,
    kills: Mapping[int, frozenset[int]] | None = None,
    rounds: int = ROUNDS,
    over: Callable[[], bool] = lambda: False,
) -> None:
    """Adds to `search` what is simpler than the trials that would be selected, and does the same.

    Among these are calls with one argument less, which show whether that argument has an effect.

    Args:
        imported: arcs that importing the module runs.
        kills: mutants that records detect, by record number.
        rounds: how often what was found is made simpler again.
        over: whether the time is over; checked between rounds.
    """
    chosen = await asyncio.to_thread(replace_unassertable, search.records, facts, imported, kills)
    bases = [one for one in chosen if one.trial.source not in RICH_SOURCES and one.seen.steps <= SLOW_STEPS]
    left = _MOST_TRIALS
    for _ in range(rounds):
        if not bases or left <= 0 or over():
            return
        variants = [(base, _fresh(base, facts, search)) for base in bases]
        trials = [trial for _, found in variants for trial in found][:left]
        left -= len(trials)
        records = await _run(trials, search, observer)
        bases = [
            best
            for base, found in variants
            if (best := _simplest(base, [records[trial] for trial in found if trial in records], facts)) is not base
        ]


def _fresh(base: TrialRecord, facts: ModuleFacts, search: TrialSearch) -> list[Trial]:
    """The simpler variants of a trial that have not run; those that only wait in a queue run now."""
    ran = {trial_key(record.trial) for record in search.records if record.trial.subject == base.trial.subject}
    return [trial for trial in simplified_trials(base.trial, facts) if trial_key(trial) not in ran]


async def _run(trials: Sequence[Trial], search: TrialSearch, observer: Watcher) -> dict[Trial, TrialRecord]:
    """Runs trials; returns the records of those that ended, by trial."""
    answers = await observer.watch(trials)
    moving = await time_dependent_trials(trials, answers, observer)
    found: dict[Trial, TrialRecord] = {}
    for index, (trial, seen) in enumerate(zip(trials, answers, strict=True)):
        before = len(search.records)
        search.learn(trial, seen, time_dependent=index in moving)
        if len(search.records) > before:
            found[trial] = search.records[-1]
    return found


def _simplest(base: TrialRecord, records: Sequence[TrialRecord], facts: ModuleFacts) -> TrialRecord:
    """Returns the simplest record that takes the branches of the base to the same kind of outcome."""
    same = [
        one
        for one in records
        if one.arcs == base.arcs
        and not one.time_dependent
        and behaviour_of(one.observation) == behaviour_of(base.observation)
        # A statement goes only where nothing at all changes.
        and (
            len(one.trial.arrange) == len(base.trial.arrange)
            or outcome_of(one.observation) == outcome_of(base.observation)
        )
    ]
    subject = next((one for one in facts.callables() if one.qualname == base.trial.subject), None)

    def difficulty(record: TrialRecord) -> tuple[float, ...]:
        odd = sum(map(oddness, texts_in(record.trial)))
        shown = represent(record.trial, record.observation, subject, facts)
        plain = replace(record.trial, source=SIMPLIFIED)  # where it comes from makes none harder to read
        # What shows less is no simpler: an empty list in the place of a table.
        return (shown.degeneracy, shown.trivial, odd, reading_cost(plain, record.observation), record.number)

    return min((base, *same), key=difficulty)
