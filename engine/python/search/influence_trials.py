"""Proposes calls that show what a number is for, where no two calls so far differ in it alone and in their outcome."""

from __future__ import annotations

import ast
import copy
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

from ....utils.python_source import expression_or_none, parse_expression
from ..model.model import Trial
from .parallel_observers import Watcher, run_trials
from .trial_search import TrialRecord, TrialSearch, behaviour_of

# Counts, percentages, sizes.
_LADDER = ("1", "2", "3", "5", "10", "20", "50", "75", "100", "1000")
_SHARES = ("0.25", "0.5", "0.9", "1.5", "10.0")
_MOST_BASES = 3
_MOST_TRIALS = 200


@dataclass(slots=True)
class _Place:
    """One argument of calls that are otherwise alike: what was observed for its values, and the first such call."""

    outcomes: set[str] = field(default_factory=set)
    base: TrialRecord | None = None


class Distinction:
    """Key of the notes of records that show what no other row shows; the value says what: the place of a number that
    made a difference, or that the call undoes another one.
    """


async def show_influence(search: TrialSearch, observer: Watcher) -> None:
    """Runs the variants of `influence_trials`, and marks the first of each that made a difference."""
    bases = influence_trials(search.records)
    found = await run_trials([trial for _, _, trials in bases for trial in trials][:_MOST_TRIALS], search, observer)
    for base, name, trials in bases:
        records = [found[trial] for trial in trials if trial in found]
        telling = [one for one in records if one.observation.outcome == "returned" and _outcome(one) != _outcome(base)]
        for record in telling[:1]:
            record.notes[Distinction] = name


def influence_trials(records: Sequence[TrialRecord]) -> list[tuple[TrialRecord, str, list[Trial]]]:
    """Returns calls, the place of an argument that made no difference yet, and variants with other numbers there."""
    places: dict[tuple[object, ...], _Place] = defaultdict(_Place)
    for record in records:
        if record.observation.outcome != "returned" or record.seen.random or record.time_dependent:
            continue
        for name, around in _numbers(record.trial):
            place = places[record.trial.subject, name, record.trial.mode, record.trial.arrange, around]
            place.outcomes.add(_outcome(record))
            place.base = place.base or record
    influential = {key[:2] for key, place in places.items() if len(place.outcomes) > 1}
    bases: dict[tuple[object, ...], list[TrialRecord]] = defaultdict(list)
    for key, place in places.items():
        if key[:2] not in influential and place.base is not None:
            bases[key[:2]].append(place.base)
    return [
        (record, str(name), list(_with_numbers(record.trial, str(name))))
        for (_, name), known in bases.items()
        for record in sorted(known, key=lambda one: (-len(one.arcs), one.number))[:_MOST_BASES]
    ]


def _outcome(record: TrialRecord) -> str:
    value = record.observation.value
    return repr((behaviour_of(record.observation), value and value.source, record.observation.effects))


def _arguments(call: ast.Call) -> Iterator[tuple[str, ast.expr]]:
    yield from ((str(at), value) for at, value in enumerate(call.args))
    yield from ((keyword.arg, keyword.value) for keyword in call.keywords if keyword.arg is not None)


def _numbers(trial: Trial) -> Iterator[tuple[str, str]]:
    """Generates the place of each number that is an argument of the act's call, with the call around it."""
    call = expression_or_none(trial.act)
    if not isinstance(call, ast.Call) or any(isinstance(value, ast.Starred) for value in call.args):
        return
    for name, value in _arguments(call):
        if _is_number(value):
            yield name, ast.unparse(_replaced(call, name, ast.Name("_")))


def _is_number(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and type(node.value) in (int, float)


def _replaced(call: ast.Call, name: str, value: ast.expr) -> ast.Call:
    changed = copy.deepcopy(call)
    if name.isdigit():
        changed.args[int(name)] = value
    else:
        next(keyword for keyword in changed.keywords if keyword.arg == name).value = value
    return changed


def _with_numbers(trial: Trial, name: str) -> Iterator[Trial]:
    call = expression_or_none(trial.act)
    assert isinstance(call, ast.Call)  # `_numbers` found the place in it
    value = dict(_arguments(call))[name]
    for number in _SHARES if isinstance(value, ast.Constant) and isinstance(value.value, float) else _LADDER:
        act = ast.unparse(_replaced(call, name, parse_expression(number)))
        if act != trial.act:
            yield replace(trial, act=act, source="mutation", wanted=None, wanted_line=0)
