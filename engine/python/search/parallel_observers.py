"""Runs trials in two workers at once, to use more than one processor.

A trial's position alone decides which worker runs it, so that two explorations give the same result.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace

from ....sandbox.target import PythonTarget
from ..model.model import Arc, ModuleFacts, Trial
from ..model.observation_json import ObservedTrial
from .background_context import background_context
from .named_arguments import name_changed_arguments
from .observer import EXPLORING, AnswerCallback, Conditions, Observer, open_observer

_MINIMUM_SHARED = 16


class ObserverPair:
    """Runs trials like an `Observer`, half of them in each of two workers. Created by `open_observer_pair`."""

    def __init__(self, first: Observer, second: Observer) -> None:
        self._first = first
        self._second = second

    @property
    def import_arcs(self) -> frozenset[Arc]:
        """Arcs of the target file that importing it ran."""
        return self._first.import_arcs

    @property
    def conditions(self) -> Conditions:
        """The conditions of both workers."""
        return self._first.conditions

    async def watch(
        self,
        trials: Sequence[Trial],
        *,
        seed: int | None = None,
        later: int = 0,
        on_answer: AnswerCallback | None = None,
    ) -> list[ObservedTrial]:
        """Runs trials like `Observer.watch`. A trial that changed a literal argument is run again with the literal
        bound to a name (`ObservedTrial.named`); `on_answer` receives it without that. Answers of the two workers
        interleave.

        Raises:
            SandboxFailure: the sandbox breaks.
        """
        seen = await self._shared(trials, seed, later, on_answer)
        if seed is not None or later:
            return seen
        found = {
            at: named
            for at, (trial, item) in enumerate(zip(trials, seen, strict=True))
            if item.changed and (named := name_changed_arguments(trial, item.changed, self._first.facts)) is not None
        }
        for at, other in zip(found, await self._shared(list(found.values()), None, 0), strict=True):
            if other.observation.outcome == seen[at].observation.outcome and other.observation.effects:
                seen[at] = replace(seen[at], named=(found[at], other))
        return seen

    async def _shared(
        self, trials: Sequence[Trial], seed: int | None, later: int, on_answer: AnswerCallback | None = None
    ) -> list[ObservedTrial]:
        if len(trials) < _MINIMUM_SHARED:
            return await self._first.watch(trials, seed=seed, later=later, on_answer=on_answer)
        middle = (len(trials) + 1) // 2

        def shifted(index: int, seen: ObservedTrial) -> None:
            if on_answer is not None:
                on_answer(middle + index, seen)

        first, second = await asyncio.gather(
            self._first.watch(trials[:middle], seed=seed, later=later, on_answer=on_answer),
            self._second.watch(trials[middle:], seed=seed, later=later, on_answer=shifted),
        )
        return [*first, *second]


class OrderedDelivery:
    """Delivers answers in the order of their trials while workers still run, up to the first that needs further runs.

    Args:
        deliver: receives each answer as soon as all before it were delivered.

    Attributes:
        delivered: number of answers delivered.
    """

    def __init__(self, deliver: Callable[[ObservedTrial], None]) -> None:
        self.delivered = 0
        self._deliver = deliver
        self._waiting: dict[int, ObservedTrial] = {}

    def take(self, index: int, seen: ObservedTrial) -> None:
        """Accepts the answer to the trial at `index`; they may come in any order."""
        self._waiting[index] = seen
        # A dated answer waits for the check of time dependence, a changed one for the run with named literals.
        while (item := self._waiting.get(self.delivered)) is not None and not (item.dated or item.changed):
            self.delivered += 1
            self._deliver(item)


Watcher = Observer | ObserverPair


@asynccontextmanager
async def open_observer_pair(
    target: PythonTarget, facts: ModuleFacts, conditions: Conditions = EXPLORING
) -> AsyncGenerator[ObserverPair]:
    """Opens two workers on fresh workspaces, in parallel. Raises like `open_observer`."""
    async with background_context(lambda: open_observer(target, facts, conditions)) as other:
        other.start()
        async with open_observer(target, facts, conditions) as first, other.use() as second:
            yield ObserverPair(first, second)
