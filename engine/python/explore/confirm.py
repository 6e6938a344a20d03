"""Repeats selected trials under other conditions: drops trials that cannot be repeated, and facets that differ.

Each trial runs three ways: in a fresh workspace with another hash seed and the real clock; twice with all others in one
process, the second time shuffled; and shuffled differently with a third hash seed, another time zone and a clock that
advances a second at each read, across midnight at a year's end. Trials that draw random numbers run with further seeds,
and those in which the order of a set may show with further hash seeds.
"""

from __future__ import annotations

import asyncio
import random
from collections.abc import AsyncGenerator, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass, replace

from ....sandbox.protocol import Network
from ....sandbox.target import PythonTarget
from ..judge.comparison import (
    DocumentVerdict,
    StableObservation,
    as_written,
    compare_with_document,
    is_announced,
    stable_part,
)
from ..model.model import ModuleFacts, Trial
from ..model.observation_json import ObservedTrial
from ..search.background_context import BackgroundContext, background_context
from ..search.observer import ClockSettings, Conditions, Observer, open_observer
from .hash_order import under_hash_seeds
from .shared_state import trials_that_change_others

ALL = 1_000_000
PLAIN = Conditions(hash_seed=1, seed=1, per_fork=8)
ELSEWHERE = Conditions(
    hash_seed=2,
    seed=2,
    per_fork=ALL,
    clock=ClockSettings("running", 1827 * 86400 - 1 - (5 * 3600 + 45 * 60)),  # the last second of 2028 in this zone
    zone="TWX-05:45",
)
TOGETHER = Conditions(hash_seed=1, seed=1, per_fork=ALL)
FURTHER_SEEDS = (3, 4, 5, 6, 7, 8)
ALONE = "differs from process to process"
NO_VERDICT = DocumentVerdict()
ELSEWHERE_OR_AFTER = "differs with the clock, the time zone or what ran before it"
AFTER_OTHERS = "depends on what ran before it in the same process"
CHANGES_OTHERS = "changes what other tests find in the same process"
TOO_LATE = "no time was left to repeat it"


@dataclass(frozen=True, slots=True)
class Confirmation:
    """The result of confirming one trial.

    Attributes:
        seen: the observation of the plain repetition without unstable facets; None if the trial was dropped.
        unstable: names of the unstable facets; see `stable_part`.
        reason: why the trial was dropped, else empty.
        again: whether it may hold when those that change it are gone.
    """

    seen: ObservedTrial | None
    unstable: tuple[str, ...] = ()
    verdict: DocumentVerdict = NO_VERDICT
    reason: str = ""
    again: bool = False


@dataclass(frozen=True, slots=True)
class ConfirmationWorkers:
    """The workers of one confirmation, one for each way to repeat. Created by `open_confirmation_workers`."""

    plain: BackgroundContext[Observer]
    elsewhere: BackgroundContext[Observer]
    together: BackgroundContext[Observer]


@asynccontextmanager
async def open_confirmation_workers(
    target: PythonTarget, facts: ModuleFacts, watched: tuple[tuple[str, str], ...] = ()
) -> AsyncGenerator[ConfirmationWorkers]:
    """Opens workers that start at once, so that they are ready when the selection is done. For one confirmation."""
    network: Network = "loopback" if watched else "none"
    usual, other, joint = (replace(one, network=network) for one in (PLAIN, ELSEWHERE, TOGETHER))
    async with (
        background_context(lambda: open_observer(target, facts, replace(usual, watched=watched))) as plain,
        background_context(lambda: open_observer(target, facts, other)) as elsewhere,
        background_context(lambda: open_observer(target, facts, joint)) as together,
    ):
        for one in (plain, elsewhere, together):
            one.start()
        yield ConfirmationWorkers(plain, elsewhere, together)


async def confirm(
    target: PythonTarget,
    facts: ModuleFacts,
    chosen: Sequence[tuple[Trial, ObservedTrial]],
    watched: tuple[tuple[str, str], ...] = (),
    *,
    workers: ConfirmationWorkers | None = None,
) -> list[Confirmation]:
    """Confirms trials, each given with its observation from the exploration; returns results in the same order.

    Args:
        watched: further project files whose lines are reported; see `Conditions`. If given, trials may use the loopback
            device.
        workers: workers started ahead with the same `watched`; None to start some.

    Raises:
        SandboxFailure: the sandbox breaks.
    """
    if not chosen:
        return []
    if workers is None:
        async with open_confirmation_workers(target, facts, watched) as own:
            return await confirm(target, facts, chosen, watched, workers=own)
    trials = [trial for trial, _ in chosen]
    drawing = {index for index, (_, seen) in enumerate(chosen) if seen.random}
    jointly = replace(TOGETHER, network="loopback" if watched else "none")
    mixed, again = _shuffled(len(trials), 5), _shuffled(len(trials), 11)
    plain, elsewhere, together, reordered = await asyncio.gather(
        _repeat(workers.plain.use(), trials, ()),
        _repeat(
            workers.elsewhere.use(),
            [trials[index] for index in mixed],
            [place for place, index in enumerate(mixed) if index in drawing],
        ),
        _repeat(workers.together.use(), [*trials, *(trials[index] for index in again)], ()),
        under_hash_seeds(target, facts, chosen, jointly),
    )
    answers: list[Confirmation] = []
    for index, (trial, explored) in enumerate(chosen):
        others = [explored, *elsewhere[mixed.index(index)], *together[len(trials) + again.index(index)]]
        others += reordered.get(index, [])
        answers.append(_settle(trial, plain[index][0], others, together[index][0]))
    answers = await _without_those_that_change_others(target, facts, trials, answers, jointly)
    return await _in_full_context(target, facts, trials, answers)


async def _without_those_that_change_others(
    target: PythonTarget,
    facts: ModuleFacts,
    trials: Sequence[Trial],
    answers: list[Confirmation],
    conditions: Conditions,
) -> list[Confirmation]:
    """Drops trials that spoil several others, which may then be confirmed without them."""
    changed = [at for at, one in enumerate(answers) if one.reason in (ALONE, AFTER_OTHERS, ELSEWHERE_OR_AFTER)]
    changed += [at for at, one in enumerate(answers) if one.seen is not None and "result" in one.unstable]
    if not changed:
        return answers
    changing = await trials_that_change_others(target, facts, trials, changed, conditions)
    if not changing:
        return answers
    return [
        Confirmation(None, reason=CHANGES_OTHERS)
        if at in changing
        else Confirmation(None, reason=one.reason or AFTER_OTHERS, again=True)
        if at in changed
        else one
        for at, one in enumerate(answers)
    ]


async def _in_full_context(
    target: PythonTarget, facts: ModuleFacts, trials: Sequence[Trial], answers: list[Confirmation]
) -> list[Confirmation]:
    """Drops contradictions that the doctest as written, with all lines before it, does not show."""
    suspects = [
        at
        for at, answer in enumerate(answers)
        # What another file announces is of a call as it stands there; what a docstring announces is of any call.
        if answer.verdict.contradicts and (trials[at].wanted_path or not is_announced(trials[at]))
    ]
    if not suspects:
        return answers
    whole = {index: as_written(trials[index], facts) for index in suspects}
    ready = [(index, trial) for index, trial in whole.items() if trial is not None]
    seen = await _repeat(open_observer(target, facts, PLAIN), [trial for _, trial in ready], ())
    runs = zip(ready, seen, strict=True)
    holds = {at for (at, trial), (again,) in runs if compare_with_document(trial, again).agrees is False}
    return [
        replace(answer, verdict=NO_VERDICT) if at in whole and at not in holds else answer
        for at, answer in enumerate(answers)
    ]


def _shuffled(size: int, seed: int) -> list[int]:
    """Returns a fixed permutation; reversing would keep neighbours together."""
    order = list(range(size))
    random.Random(seed).shuffle(order)
    return order


async def _repeat(
    opened: AbstractAsyncContextManager[Observer], trials: Sequence[Trial], drawing: Sequence[int]
) -> list[list[ObservedTrial]]:
    """Runs each trial once, and those at the indexes `drawing` once more for each further seed."""
    async with opened as observer:
        seen = [[one] for one in await observer.watch(trials)]
        if drawing:
            for seed in FURTHER_SEEDS:
                more = await observer.watch([trials[index] for index in drawing], seed=seed)
                for index, one in zip(drawing, more, strict=True):
                    seen[index].append(one)
        return seen


def _settle(trial: Trial, plain: ObservedTrial, others: Sequence[ObservedTrial], joint: ObservedTrial) -> Confirmation:
    """Decides about one trial.

    Args:
        plain: its run in a process of its own.
        others: the exploration's run first, then those under other conditions.
        joint: its run after others in the same process.
    """
    if any(one.observation.outcome == "not_run" for one in (plain, *others, joint)):
        return Confirmation(None, reason=TOO_LATE)
    alone = stable_part(plain.observation, [other.observation for other in others])
    if alone is None or alone.unstable:
        # The exploration ran it after others, which may have changed what it finds: where all that came later agree,
        # that stands.
        settled = stable_part(plain.observation, [other.observation for other in (*others[1:], joint)])
        alone = settled if settled is not None and not settled.unstable else alone
    if alone is None:
        # Name the cause: does it differ already between two plain processes?
        same = stable_part(plain.observation, [others[0].observation])
        return Confirmation(None, reason=ALONE if same is None else ELSEWHERE_OR_AFTER)
    shared = stable_part(alone.observation, [joint.observation])
    # Further instability beyond what the other runs showed comes from the trials before it.
    if shared is None or set(shared.unstable) - set(alone.unstable) - _unstable_names(alone):
        return Confirmation(None, reason=AFTER_OTHERS)
    verdict = NO_VERDICT
    if trial.wanted is not None:
        verdicts = {compare_with_document(trial, one) for one in (plain, *others[1:])}
        verdict = verdicts.pop() if len(verdicts) == 1 and _is_clean(plain, alone) else NO_VERDICT
    return Confirmation(replace(plain, observation=alone.observation), alone.unstable, verdict)


def _is_clean(plain: ObservedTrial, alone: StableObservation) -> bool:
    """Whether the observation is the same in all runs, including order, and does not depend on chance."""
    value, kept = plain.observation.value, alone.observation.value
    reordered = value is not None and kept is not None and value.unordered != kept.unordered
    return not (plain.random or reordered or set(alone.unstable) - {"message"})


def _unstable_names(alone: StableObservation) -> set[str]:
    """Returns the unstable facets with related names: a value's length and the value of a length."""
    lengths = {f"len({facet})" for facet in alone.unstable}
    return lengths.union(alone.unstable, (facet.removeprefix("len(").removesuffix(")") for facet in alone.unstable))
