"""Shows what a lookup with a default does where nothing is found: it answers None, or raises where a flag says so.

Calls that documents and usage leave without a result are the misses: nothing printed is None.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Sequence

from ..model.model import RICH_SOURCES, CallableFacts, ModuleFacts, Trial
from ..search.parallel_observers import Watcher, run_trials
from ..search.story_steps import flags_of, with_switched
from ..search.trial_search import TrialRecord, TrialSearch, returned_none
from ..usage.harvest import bound_arguments
from .scenario import asked_otherwise, mark_further_row, own_call

_DEFAULT = re.compile(r"(\w+_)?(default|fallback)(_value)?")
_RAISING = re.compile(r"default|raise|strict|error")
_MOST_MISSES = 3


async def show_missed_lookups(facts: ModuleFacts, search: TrialSearch, observer: Watcher) -> None:
    """Has calls that find nothing become rows; runs each with the flags that make it raise."""
    for one in facts.functions:
        named = [item.name for item in one.parameters if item.default == "None" and _DEFAULT.fullmatch(item.name)]
        if not one.public or one.is_async or not named:
            continue
        misses = _misses(search.records, one, named[0])
        for at, record in enumerate(misses):
            mark_further_row(record, f"miss {at + 1}" if at else "miss")
        trials = [trial for record in misses for trial in _refusing(record, one)]
        await run_trials([trial for trial in trials if search.is_new(trial)], search, observer)


def _refusing(record: TrialRecord, one: CallableFacts) -> Iterator[Trial]:
    """Generates a call that finds nothing with each flag that may have it raise and that it does not pass."""
    call = own_call(record, one)
    if call is None:
        return
    passed = _passed(call, one)
    for flag in flags_of(one):
        if flag.name not in passed and _RAISING.search(flag.name):
            yield asked_otherwise(record.trial, with_switched(call, flag))


def _misses(records: Sequence[TrialRecord], one: CallableFacts, default: str) -> list[TrialRecord]:
    """The calls that a person wrote without a default and that answer None, each once."""
    found: dict[object, TrialRecord] = {}
    for record in records:
        call = own_call(record, one) if record.trial.source in RICH_SOURCES else None
        if call is not None and default not in _passed(call, one) and returned_none(record.observation):
            found.setdefault(record.trial.act, record)
    return list(found.values())[:_MOST_MISSES]


def _passed(call: ast.Call, one: CallableFacts) -> set[str]:
    """The names of the parameters that a call passes."""
    return {parameter.name for parameter, _ in bound_arguments(call, one)}
