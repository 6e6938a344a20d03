"""Finds simpler trials for those that would become tests: fewer arguments, known words, smaller values."""

from __future__ import annotations

import asyncio
import re
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
from ..selection.tautologies import silent_methods
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
) -> dict[int, frozenset[int]]:
    """Adds to `search` what is simpler than the trials that would be selected, and does the same.

    Among these are calls with one argument less, which show whether that argument has an effect. A simpler one may have
    run before.

    Args:
        imported: arcs that importing the module runs.
        kills: mutants that records detect, by record number.
        rounds: how often what was found is made simpler again.
        over: whether the time is over; checked between rounds.

    Returns:
        `kills` for all records: what differs in its texts alone, going in as coming out, detects the same.
    """
    known = dict(kills or {})
    chosen = await asyncio.to_thread(replace_unassertable, search.records, facts, imported, kills)
    subjects = {one.qualname: one for one in facts.callables()}
    built = texts_of_objects([one.trial for one in search.records], facts)
    bases = [one for one in chosen if _may_become_simpler(one, built)]
    written = _texts_by_subject(search.records, built)
    silent = silent_methods(search.records)
    left = max(_LEAST_TRIALS, _TRIALS_OF_EACH * len(bases))
    fitting = fitting_texts(facts)
    simplest = partial(_simplest, subjects=subjects, facts=facts, written=written, built=built, fitting=fitting)

    def variants_of(base: TrialRecord) -> list[Trial]:
        texts = written.get(base.trial.subject, ())
        return simplified_trials(base.trial, facts, texts, fitting=fitting, built=built, silent=silent)

    for _ in range(rounds):
        if not bases or left <= 0 or over():
            break
        # What only waits in a queue runs now.
        ran = {_key(record.trial): record for record in reversed(search.records)}
        variants = [(base, variants_of(base)) for base in bases]
        # In turns, so that the last ones get their share, too.
        turns = zip_longest(*([one for one in found if _key(one) not in ran] for _, found in variants))
        trials = [trial for turn in turns for trial in turn if trial is not None][:left]
        left -= len(trials)
        records = await run_trials(trials, search, observer)
        # Before mutants are run, what ran is chosen from anyway.
        seen = {} if kills is None else ran
        simpler = [
            (base, best)
            for base, found in variants
            if (best := simplest(base, [one for each in found if (one := records.get(each) or seen.get(_key(each)))]))
            is not base
        ]
        _hand_over(known, simpler)
        bases = [best for _, best in simpler]
    return known


def _may_become_simpler(record: TrialRecord, built: Mapping[str, Sequence[str]]) -> bool:
    """Whether it is fast; what a document passes stays as it is, but not the object that the search passes it to."""
    made = record.trial.source not in RICH_SOURCES or builds_from_other_texts(record.trial, built)
    return record.seen.steps <= SLOW_STEPS and made


def _hand_over(kills: dict[int, frozenset[int]], simpler: Sequence[tuple[TrialRecord, TrialRecord]]) -> None:
    """Gives what a record detects to the simpler one that differs in its texts alone."""
    for base, best in simpler:
        if base.number in kills and differs_in_texts_alone(base, best):
            kills[best.number] = kills.pop(base.number) | kills.get(best.number, frozenset())


def differs_in_texts_alone(base: TrialRecord, other: TrialRecord) -> bool:
    """Whether two records differ in texts that are given, and their outcomes in these texts alone.

    What is compared on the way has to be the same as well: a text may be just as long as a limit.
    """
    places, others = literal_places(base.trial), literal_places(other.trial)
    texts = {
        mine.value: its.value
        for mine, its in zip(places, others, strict=False)
        if isinstance(mine.value, str) and isinstance(its.value, str)
    }
    if not all(mine and its for mine, its in texts.items()) or base.arcs != other.arcs:
        return False
    # One step for all texts, so that none is replaced twice.
    given = re.compile("|".join(re.escape(repr(text)[1:-1]) for text in sorted(texts, key=len, reverse=True)) or "(?!)")
    named = {repr(mine)[1:-1]: repr(its)[1:-1] for mine, its in texts.items()}

    def renamed(text: str) -> str:
        return given.sub(lambda found: named[found[0]], text)

    def shown(record: TrialRecord) -> str:
        seen = record.observation
        if seen.value is not None and seen.value.source is not None:
            seen = replace(seen, value=replace(seen.value, length=None))  # that of the value that is compared
        return repr(((*record.trial.arrange, record.trial.act), outcome_of(seen), sorted(seen.operands)))

    return renamed(shown(base)) == shown(other)


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
