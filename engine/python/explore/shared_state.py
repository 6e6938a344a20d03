"""Finds trials that change what others find in the same process: a cache that is cleared, a registry that is filled.

One of them spoils many others, and a person who meets such a pair removes the one that leaves its traces.
"""

from __future__ import annotations

import ast
import asyncio
from collections.abc import AsyncGenerator, Callable, Collection, Sequence
from contextlib import AbstractContextManager, asynccontextmanager
from dataclasses import replace

from ....sandbox.deadline import deadline_after
from ....sandbox.target import PythonTarget
from ....utils.python_names import dotted_name
from ....utils.python_source import shared_module
from ..judge.comparison import stable_part
from ..model.model import CHANGED_SOURCES, RICH_SOURCES, Arc, ModuleFacts, Trial
from ..model.observation_json import ObservedTrial
from ..search.observer import Conditions, open_observer
from ..search.parallel_observers import Watcher, open_observer_pair
from ..search.trial_search import TrialRecord, TrialSearch
from ..selection.select_trials import select_trials

_MOST_ASKED = 6
_MOST_CHOSEN = 100
_MOST_ALONE = 800
_MOST_ROUNDS = 3
_FEW = 3
_WRITTEN = 5
# Of a module whose calls are slow, a part is settled.
_SETTLING_SECONDS = 15.0
_RAN = frozenset({"returned", "raised"})


@asynccontextmanager
async def settled_observer(
    target: PythonTarget,
    facts: ModuleFacts,
    search: TrialSearch,
    observer: Watcher,
    imported: frozenset[Arc],
    within: Callable[[], AbstractContextManager[None]],
    is_over: Callable[[], bool],
) -> AsyncGenerator[Watcher]:
    """Yields the observer, or one that runs each trial in a process of its own where trials change what others find.

    In that case the records get what their trials find alone, and those that change several others are dropped.

    Args:
        within: limits the time of the first look.
        is_over: asked before each further look: whether there is no time for one.
    """
    with within():
        changing = await _changing_of_a_few(target, facts, search, observer)
    if changing is None:
        yield observer
        return
    async with open_observer_pair(target, facts, replace(observer.conditions, per_fork=1)) as alone:
        with deadline_after(_SETTLING_SECONDS):
            search.records = _without(changing, search.records)
            await _settle(search, alone)
            for _ in range(_MOST_ROUNDS):
                if is_over() or not (
                    changing := await _changing_in_selection(target, facts, search, observer, imported)
                ):
                    break
                search.records = _without(changing, search.records)
        yield alone


def _without(changing: frozenset[int], records: Sequence[TrialRecord]) -> list[TrialRecord]:
    """The records without some, and without those that take the same steps with other values."""
    gone = changing | taking_same_steps([one for one in records if one.number in changing], records)
    return [record for record in records if record.number not in gone]


def taking_same_steps(changing: Sequence[TrialRecord], records: Sequence[TrialRecord]) -> frozenset[int]:
    """Numbers of the records that a search made which do to the same object what some others do: clear a cache, fill a
    registry. What they pass does not matter."""
    steps = frozenset(step for record in changing for step in _steps(record.trial))
    return frozenset(
        record.number
        for record in records
        if record.trial.source not in RICH_SOURCES and not steps.isdisjoint(_steps(record.trial))
    )


def _steps(trial: Trial) -> set[tuple[str, str]]:
    """What a trial calls to prepare its object, with how it came by that; without such calls, what its act is about."""
    made = trial.arrange[0] if trial.arrange else ""
    trees = [tree for text in trial.arrange if (tree := shared_module(text.strip())) is not None]
    calls = [node.value for tree in trees for node in tree.body if isinstance(node, ast.Expr)]
    names = [dotted_name(node.func) for node in calls if isinstance(node, ast.Call)]
    return {(made, name) for name in names if name} or {(made, trial.subject)}


async def _changing_of_a_few(
    target: PythonTarget, facts: ModuleFacts, search: TrialSearch, observer: Watcher
) -> frozenset[int] | None:
    """Numbers of the records that spoil others among a few of each callable and those that persons wrote; None where
    all find the same in another order."""
    few: dict[str, list[TrialRecord]] = {}
    for record in _lasting(search):
        few.setdefault(record.trial.subject, []).append(record)
    some = [record for records in few.values() for record in records[:_FEW]]
    return await _those_that_change_others(target, facts, observer, _with_written(some, search))


async def _changing_in_selection(
    target: PythonTarget, facts: ModuleFacts, search: TrialSearch, observer: Watcher, imported: frozenset[Arc]
) -> frozenset[int] | None:
    """As `_changing_of_a_few`, among those that would be tests."""
    chosen = await asyncio.to_thread(select_trials, _lasting(search), facts, imported)
    return await _those_that_change_others(target, facts, observer, _with_written(chosen, search))


def _lasting(search: TrialSearch) -> list[TrialRecord]:
    return [record for record in search.records if not (record.seen.random or record.time_dependent)]


def _with_written(records: Sequence[TrialRecord], search: TrialSearch) -> list[TrialRecord]:
    """So many of the records as are asked, and of those that persons wrote."""
    rich = [record for record in _lasting(search) if record.trial.source in RICH_SOURCES]
    return list({record.number: record for record in (*records[:_MOST_CHOSEN], *rich[:_MOST_CHOSEN])}.values())


async def _those_that_change_others(
    target: PythonTarget, facts: ModuleFacts, observer: Watcher, asked: Sequence[TrialRecord]
) -> frozenset[int] | None:
    again = await observer.watch([record.trial for record in reversed(asked)])
    pairs = list(zip(asked, reversed(again), strict=True))
    changed = [at for at, (record, seen) in enumerate(pairs) if not _is_same(record.seen, seen)]
    if not changed:
        return None
    trials = [record.trial for record in asked]
    changing = await trials_that_change_others(target, facts, trials, changed, observer.conditions)
    return frozenset(asked[at].number for at in changing)


async def _settle(search: TrialSearch, alone: Watcher) -> None:
    """Gives records what their trials find alone, those that persons wrote first."""
    ordered = sorted(search.records, key=lambda record: record.trial.source not in RICH_SOURCES)
    seen = await alone.watch([record.trial for record in ordered[:_MOST_ALONE]])
    settled = (_with(record, one, search) for record, one in zip(ordered, seen, strict=False))
    found = [one for one in settled if one is not None]
    search.records = sorted([*found, *ordered[_MOST_ALONE:]], key=lambda record: record.number)


def _with(record: TrialRecord, seen: ObservedTrial, search: TrialSearch) -> TrialRecord | None:
    """The record of a trial with another observation, where it ran; None where it did not end."""
    if seen.observation.outcome == "not_run":
        return record
    if seen.observation.outcome not in _RAN:
        return None
    arcs = search.arcs.real(seen.observation.arcs)
    covered = arcs | search.arcs.real(seen.setup)
    return replace(record, seen=seen, arcs=arcs, covered=covered, notes={})


async def trials_that_change_others(
    target: PythonTarget, facts: ModuleFacts, trials: Sequence[Trial], changed: Sequence[int], conditions: Conditions
) -> frozenset[int]:
    """Returns the indexes of the trials after which one of `changed` finds something else than alone.

    A few of `changed` are asked, each after every other trial in a process of its own. Empty where they are worth more
    than those that they change: then it is those that depend on their surroundings. Raises SandboxFailure.

    Args:
        changed: indexes of trials that do not find the same in every process.
    """
    asked = [changed[at * len(changed) // _MOST_ASKED] for at in range(_MOST_ASKED)] if changed else []
    asked = list(dict.fromkeys(asked))
    others = {at: [one for one in range(len(trials)) if one != at] for at in asked}
    async with open_observer(target, facts, replace(conditions, per_fork=2)) as observer:
        found: set[int] = set()
        for at in asked:
            pairs = [trials[index] for one in others[at] for index in (one, at)]
            alone, *answers = await observer.watch([trials[at], trials[at], *pairs])
            after = zip(others[at], answers[2::2], strict=True)
            found.update(one for one, seen in after if not _is_same(alone, seen))
    spoilt = set(changed) - found
    return frozenset(found) if _weight(found, trials) <= _weight(spoilt, trials) else frozenset()


def _weight(indexes: Collection[int], trials: Sequence[Trial]) -> int:
    """What it costs to do without some trials: one that a person wrote is worth several others, and one that a search
    made of another one is worth nothing."""
    sources = [trials[at].source for at in indexes]
    return sum(_WRITTEN if one in RICH_SOURCES else one not in CHANGED_SOURCES for one in sources)


def _is_same(alone: ObservedTrial, after: ObservedTrial) -> bool:
    """Whether a trial finds the same after another one; what did not run says nothing."""
    if after.observation.outcome not in _RAN or alone.observation.outcome not in _RAN:
        return True
    shared = stable_part(alone.observation, [after.observation])
    return shared is not None and not shared.unstable
