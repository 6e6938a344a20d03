"""Finds simpler trials for those that would become tests: fewer arguments, known words, smaller values."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import chain, zip_longest

from ..inputs.plain_texts import oddness_beside
from ..inputs.text_formats import fitting_texts
from ..judge.readability import reading_cost
from ..model.model import RICH_SOURCES, Arc, CallableFacts, ModuleFacts, Trial
from ..search.initial_trials import trial_key
from ..search.parallel_observers import Watcher, run_trials
from ..search.simplified_trials import SIMPLIFIED, simplified_trials
from ..search.trial_search import SLOW_STEPS, TrialRecord, TrialSearch, behaviour_of
from ..selection.assertable_selection import replace_unassertable
from ..selection.idle_arguments import outcome_of
from ..selection.representative import represent, texts_in
from ..source.literals import literal_places
from ..usage.harvest import builds_from_other_texts, texts_of_objects

ROUNDS = 6
_LEAST_TRIALS = 600
_TRIALS_OF_EACH = 16


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
    subjects = {one.qualname: one for one in facts.callables()}
    built = texts_of_objects([one.trial for one in search.records], facts)
    bases = [
        one
        for one in chosen
        if one.seen.steps <= SLOW_STEPS
        # What a document passes stays as it is, but not the object that the search passes it to.
        and (one.trial.source not in RICH_SOURCES or builds_from_other_texts(one.trial, built))
    ]
    written = _texts_by_subject(search.records, built)
    left = max(_LEAST_TRIALS, _TRIALS_OF_EACH * len(bases))
    fitting = fitting_texts(facts)
    simplest = partial(_simplest, subjects=subjects, facts=facts, written=written, built=built, fitting=fitting)
    for _ in range(rounds):
        if not bases or left <= 0 or over():
            return
        # What only waits in a queue runs now.
        ran = {_key(record.trial) for record in search.records}
        variants = [
            (
                base,
                [
                    one
                    for one in simplified_trials(
                        base.trial, facts, written.get(base.trial.subject, ()), fitting=fitting, built=built
                    )
                    if _key(one) not in ran
                ],
            )
            for base in bases
        ]
        # In turns, so that the last ones get their share, too.
        turns = zip_longest(*(found for _, found in variants))
        trials = [trial for turn in turns for trial in turn if trial is not None][:left]
        left -= len(trials)
        records = await run_trials(trials, search, observer)
        bases = [
            best
            for base, found in variants
            if (best := simplest(base, [records[one] for one in found if one in records])) is not base
        ]


def _texts_by_subject(records: Sequence[TrialRecord], built: Mapping[str, Sequence[str]]) -> dict[str, tuple[str, ...]]:
    """Returns the texts that documents and usage pass, by subject, in order of appearance.

    What an object is built from is passed to its constructor, not to the method that is called on it.
    """
    of_objects = frozenset(chain(*built.values()))
    found: dict[str, dict[str, None]] = {}
    for record in records:
        if record.trial.source in RICH_SOURCES:
            texts = found.setdefault(record.trial.subject, {})
            texts.update(
                dict.fromkeys(place.value for place in literal_places(record.trial) if isinstance(place.value, str))
            )
    return {
        subject: tuple(text for text in texts if subject in built or text not in of_objects)
        for subject, texts in found.items()
    }


def _key(trial: Trial) -> tuple[str, tuple[str, ...]]:
    return trial.subject, trial_key(trial)


def _simplest(
    base: TrialRecord,
    records: Sequence[TrialRecord],
    subjects: Mapping[str, CallableFacts],
    facts: ModuleFacts,
    written: Mapping[str, Sequence[str]],
    built: Mapping[str, Sequence[str]],
    fitting: frozenset[str],
) -> TrialRecord:
    """Returns the simplest record that takes the branches of the base to the same kind of outcome."""
    same = [
        one
        for one in records
        # What a call refuses alike may take a shorter way there; what an object refuses shows what was done with it.
        if (one.arcs == base.arcs or (base.observation.raised is not None and not base.trial.arrange))
        and not one.time_dependent
        and behaviour_of(one.observation) == behaviour_of(base.observation)
        # A statement goes only where nothing at all changes.
        and (
            len(one.trial.arrange) == len(base.trial.arrange)
            or outcome_of(one.observation) == outcome_of(base.observation)
        )
    ]

    known = frozenset(chain(written.get(base.trial.subject, ()), *built.values()))

    def difficulty(record: TrialRecord) -> tuple[float, ...]:
        others = texts_in(record.trial) - known
        odd = sum(oddness_beside(text, fitting) for text in others)
        shown = represent(record.trial, record.observation, subjects.get(base.trial.subject), facts)
        plain = replace(record.trial, source=SIMPLIFIED)  # where it comes from makes none harder to read
        # What shows less is no simpler: an empty list in the place of a table.
        return (
            shown.degeneracy,
            shown.trivial,
            odd,
            len(others) if known else 0,
            reading_cost(plain, record.observation),
            record.number,
        )

    return min((base, *same), key=difficulty)
