"""Leaves statements out of trials that change nothing: `number.set_high("kitten")` before `number.ordinal(6)`.

A test would make its reader look for what they are for. What shows little without them keeps them: that a key is absent
says more of an object that holds others.
"""

from __future__ import annotations

import ast
import asyncio
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial

from ....utils.python_names import method_call, names_of
from ....utils.python_source import parse_python, shared_expression
from ..model.model import RICH_SOURCES, Arc, ModuleFacts, Trial
from ..scenarios.scenario import ShownBehaviour
from ..search.initial_trials import trial_key
from ..search.parallel_observers import Watcher, run_trials
from ..search.simplified_trials import origin_of_variant, without_arguments, without_statements
from ..search.trial_search import SLOW_STEPS, TrialRecord, TrialSearch
from ..selection.assertable_selection import replace_unassertable
from ..selection.idle_arguments import (
    may_fill,
    outcome_of,
    shorter_constructions,
    without_idle_constructions,
    without_links,
    without_replaced,
)
from ..selection.idle_steps import CalledSteps, asking_methods
from ..selection.representative import is_trivial
from .direct_constructions import direct_constructions, filled_by_constructors

Kills = Mapping[int, frozenset[int]]
# Each round selects again, which takes a second or more in a large module.
_ROUNDS = 3
_STATEMENTS = 6
_ROUNDS_FOR_PARTS = 1
_MOST_OF_EACH = 150
_ENOUGH_CALLS = 3
_QUESTION = re.compile(r"(get|is|has|find|count|peek|list|keys|values|items|index)(_?[a-z]+)*")


async def drop_idle_setup(
    facts: ModuleFacts,
    search: TrialSearch,
    observer: Watcher,
    imported: frozenset[Arc],
    kills: Kills,
    *,
    over: Callable[[], bool] = lambda: False,
) -> dict[int, frozenset[int]]:
    """Replaces the records of trials with idle statements by those without them, first of those that would be selected.

    Args:
        imported: arcs that importing the module runs.
        kills: mutants that records detect, by record number.
        over: whether the time is over; checked between rounds.

    Returns:
        `kills` for the remaining records: a shortened trial detects what the longer one does.
    """
    known = dict(kills)
    subjects = frozenset(one.qualname for one in facts.callables())
    steps = CalledSteps(facts)
    asking = await asyncio.to_thread(asking_methods, search.records, facts, steps)
    sparing = await asyncio.to_thread(partial(asking_methods, search.records, facts, steps, leaves_arguments=False))
    evidence = _Evidence(steps, asking, sparing)
    # Of all records: a member is called on many objects that one construction makes.
    direct = await _constructed_at_once(_some_of_each(search.records), facts, search, observer)
    search.records, known = without_replaced(search.records, _not_handed_on(known, direct), _numbers(direct))
    for number in range(_ROUNDS):
        if over():
            break
        before, shorter = evidence.parts_without_effect, False
        chosen = await asyncio.to_thread(replace_unassertable, search.records, facts, imported, known)
        others = [(one, list(_without_another_part(one.trial, facts))) for one in chosen if not one.trial.wanted]
        for _ in range(_STATEMENTS):
            pairs = await _shortened(chosen, search, observer, subjects, evidence, others)
            sure = [pair for pair in pairs if evidence.allows(*pair, known)]
            replaced = {long.number for long, _ in sure}
            rest = [one for one in chosen if one.number not in replaced]
            direct = await _constructed_at_once(rest, facts, search, observer)
            sure += direct
            search.records, known = without_replaced(search.records, _not_handed_on(known, direct), _numbers(sure))
            # What is shorter by one statement may lack another one, too.
            chosen, others, shorter = [short for _, short in sure], [], shorter or bool(sure)
            if over() or not chosen:
                break
        # What is idle before one call of a member is tried without it before its other calls.
        alike = [one for one in search.records if evidence.is_idle_before(one.trial)]
        if not over():
            pairs = await _shortened(_some_of_each(alike), search, observer, subjects, evidence)
            sure = [pair for pair in pairs if evidence.allows(*pair, known)]
            search.records, known = without_replaced(search.records, known, _numbers(sure))
            shorter = shorter or bool(sure)
        if not shorter and (evidence.parts_without_effect == before or number >= _ROUNDS_FOR_PARTS):
            break
    return known


async def drop_idle_constructions(search: TrialSearch, observer: Watcher, kills: Kills) -> dict[int, frozenset[int]]:
    """Replaces records that read a part of a new object by those without an argument that this does not depend on.

    Returns:
        `kills` for the remaining records.
    """
    trials = await asyncio.to_thread(shorter_constructions, search.records)
    ran = {_key(one.trial) for one in search.records}
    asked = dict.fromkeys(trial for trial in trials[:_MOST_OF_EACH] if _key(trial) not in ran)
    await run_trials(list(asked), search, observer)
    search.records, known = await asyncio.to_thread(without_idle_constructions, search.records, kills)
    return known


@dataclass(slots=True)
class _Evidence:
    """What trials without a statement showed, by subject and statement.

    A mutant may be noticed only with a statement although nothing else changes: a total that stands on a boundary. So
    a trial that notices some is replaced only where a statement was idle before several different calls and before none
    of them needed. What only asks an object leaves nothing behind that a mutant could be noticed by.

    Attributes:
        steps: tells what statements call.
        asking: qualified names of the methods that only ask; see `asking_methods`.
        sparing: those that change at most what they are passed.
        parts_without_effect: how many parts of trials were found without which they end alike.
    """

    steps: CalledSteps
    asking: frozenset[str] = frozenset()
    sparing: frozenset[str] = frozenset()
    parts_without_effect: int = 0
    idle: dict[tuple[str, str], set[str]] = field(default_factory=dict)
    needed: set[tuple[str, str]] = field(default_factory=set)

    def add(self, long: Trial, short: Trial, *, equal: bool) -> None:
        """Records what leaving statements out showed."""
        for text in _left_out(long, short):
            key = (long.subject, text)
            if equal:
                self.idle.setdefault(key, set()).add(long.act)
            else:
                self.needed.add(key)

    def only_asks(self, trial: Trial, text: str) -> bool:
        """Whether a statement only calls a method that was seen to leave nothing behind, but in values of its own."""
        return self.steps.method(trial.arrange, text) in self.asking or self.spares_all(trial, text)

    def spares_all(self, trial: Trial, text: str) -> bool:
        """Whether a statement calls a method that changes at most what it is passed, with values of its own."""
        call = shared_expression(text)
        given = (*call.args, *(one.value for one in call.keywords)) if isinstance(call, ast.Call) else ()
        return self.steps.method(trial.arrange, text) in self.sparing and not any(names_of(one) for one in given)

    def is_idle_before(self, trial: Trial) -> bool:
        """Whether a statement of a trial was idle before another call of its subject, or leaves nothing behind."""
        return any((trial.subject, text) in self.idle or self.spares_all(trial, text) for text in trial.arrange)

    def allows(self, long: TrialRecord, short: TrialRecord, kills: Kills) -> bool:
        """Whether the shorter record may take the place of the longer one."""
        if kills.get(long.number, frozenset()) <= kills.get(short.number, frozenset()):
            return True
        left_out = _left_out(long.trial, short.trial)
        if all(self.only_asks(long.trial, text) or _throws_away(long, text) for text in left_out):
            return True
        keys = [(long.trial.subject, text) for text in left_out]
        return all(key not in self.needed and len(self.idle.get(key, ())) >= _ENOUGH_CALLS for key in keys)


async def _shortened(
    records: Sequence[TrialRecord],
    search: TrialSearch,
    observer: Watcher,
    subjects: frozenset[str],
    evidence: _Evidence,
    others: Sequence[tuple[TrialRecord, Sequence[Trial]]] = (),
) -> list[tuple[TrialRecord, TrialRecord]]:
    """Pairs of a record and one that lacks a statement of it and is equal in everything else.

    Args:
        others: records with variants that lack something else; these only run: by such records `idle_records` tells.
    """
    variants = [(one, list(_without_a_statement(one, evidence))) for one in records if one.seen.steps <= SLOW_STEPS]
    others = [(one, found) for one, found in others if one.seen.steps <= SLOW_STEPS]
    ran = {_key(one.trial): one for one in search.records}
    asked = {trial: None for _, found in (*variants, *others) for trial in found if _key(trial) not in ran}
    new = await run_trials(list(asked), search, observer) if asked else {}
    evidence.parts_without_effect += sum(
        (one := new.get(trial)) is not None and outcome_of(one.observation) == outcome_of(long.observation)
        for long, found in (*variants, *others)
        for trial in found
    )
    pairs: list[tuple[TrialRecord, TrialRecord]] = []
    for long, found in variants:
        tried = [one for trial in found if (one := ran.get(_key(trial)) or new.get(trial)) is not None]
        for one in tried:
            evidence.add(long.trial, one.trial, equal=_is_equal(one, long))
        short = next((one for one in tried if one is not long and _is_equal(one, long)), None)
        # An exception of an empty object, or an empty answer, tells little without what was put into it.
        if short is None or short.trial.subject not in subjects:
            continue
        if not is_trivial(short.observation) or not _fills(long.trial, short.trial, evidence):
            pairs.append((long, short))
    return pairs


async def _constructed_at_once(
    records: Sequence[TrialRecord], facts: ModuleFacts, search: TrialSearch, observer: Watcher
) -> list[tuple[TrialRecord, TrialRecord]]:
    """Pairs of a record and one that makes its object in one step, and is equal in everything else."""
    fast = (one for one in records if one.seen.steps <= SLOW_STEPS and ShownBehaviour not in one.notes)
    filled_by = filled_by_constructors(facts)
    variants = [(one, direct_constructions(one.trial, filled_by)) for one in fast]
    ran = {_key(one.trial): one for one in search.records}
    asked = {trial: None for _, found in variants for trial in found if _key(trial) not in ran}
    new = await run_trials(list(asked), search, observer) if asked else {}
    tried = [(long, [ran.get(_key(one)) or new.get(one) for one in found]) for long, found in variants]
    equal = ((long, next((one for one in found if one and _is_equal(one, long)), None)) for long, found in tried)
    return [(long, short) for long, short in equal if short is not None]


def _not_handed_on(kills: Kills, pairs: Sequence[tuple[TrialRecord, TrialRecord]]) -> dict[int, frozenset[int]]:
    """The kills without those of longer records that the shorter ones do not have: they may be of what only the longer
    construction ran."""
    left = dict(kills)
    for long, short in pairs:
        left[long.number] = kills.get(long.number, frozenset()) & kills.get(short.number, frozenset())
    return left


def _without_a_statement(record: TrialRecord, evidence: _Evidence) -> Iterator[Trial]:
    """Variants without all statements that may go, and without each."""
    trial = record.trial
    written = trial.source in RICH_SOURCES
    found = list(without_statements(trial, partial(_is_aside, record, evidence) if written else None))
    left = [text for text in trial.arrange if all(text in one.arrange for one in found)]
    if len(left) < len(trial.arrange) - 1:  # a statement that stands there twice may only go once
        yield replace(trial, arrange=tuple(left))
    yield from found


def _without_another_part(trial: Trial, facts: ModuleFacts) -> Iterator[Trial]:
    yield from without_arguments(trial, facts)
    for act in without_links(trial.act):
        yield replace(trial, act=act, source=origin_of_variant(trial))


def _key(trial: Trial) -> tuple[str, tuple[str, ...]]:
    return trial.subject, trial_key(trial)


def _some_of_each(records: Sequence[TrialRecord]) -> list[TrialRecord]:
    counted: dict[str, list[TrialRecord]] = {}
    for one in records:
        counted.setdefault(one.trial.subject, []).append(one)
    return [one for found in counted.values() for one in found[:_MOST_OF_EACH]]


def _numbers(pairs: Iterable[tuple[TrialRecord, TrialRecord]]) -> dict[int, int]:
    return {long.number: short.number for long, short in pairs}


def _left_out(long: Trial, short: Trial) -> set[str]:
    return set(long.arrange) - set(short.arrange)


def _fills(long: Trial, short: Trial, evidence: _Evidence) -> bool:
    """Whether what was left out may put something into an object; a call such as `box.at(3)` only asks."""
    left_out = _left_out(long, short) if len(long.arrange) > len(short.arrange) else set[str]()
    statements = (text for text in left_out if not evidence.spares_all(long, text))
    return any(may_fill(parse_python(text.strip()).body[0]) for text in statements)


def _is_equal(short: TrialRecord, long: TrialRecord) -> bool:
    return (
        short.arcs == long.arcs
        and not short.time_dependent
        and outcome_of(short.observation) == outcome_of(long.observation)
    )


def _is_aside(record: TrialRecord, evidence: _Evidence, statement: ast.stmt) -> bool:
    """Whether a statement of a document may be there for its own sake: it calls another member, only asks, or throws
    away what it makes.

    Documents show several calls in a row; what one of them leaves behind may be what the next one is about.
    """
    if evidence.only_asks(record.trial, text := ast.unparse(statement)) or _throws_away(record, text):
        return True
    called, _ = method_call(statement) or ("", None)
    return _QUESTION.fullmatch(called) is not None or called not in ("", record.trial.subject.rpartition(".")[2])


def _throws_away(record: TrialRecord, text: str) -> bool:
    """Whether a statement calls the member that makes a new object of its own class, and keeps nothing of it."""
    owner, _, member = record.trial.subject.rpartition(".")
    value = record.observation.value
    makes = value is not None and bool(owner) and value.type_name.rpartition(".")[2] == owner
    called = method_call(parse_python(text.strip()).body[0]) if makes else None
    return called is not None and called[0] == member
