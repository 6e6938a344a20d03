"""Two workers that share trials, because a machine has more than one processor (B-06).

Which trial goes to which is settled by its place alone, so that two explorations stay the same.
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

_FEWEST_SHARED = 16


class ObserverPair:
    """Watches as an `Observer` does, half of the trials in each of two. Made by `open_observer_pair`."""

    def __init__(self, first: Observer, second: Observer) -> None:
        self._first = first
        self._second = second

    @property
    def import_arcs(self) -> frozenset[Arc]:
        """Arcs of the target file that importing it ran."""
        return self._first.import_arcs

    @property
    def conditions(self) -> Conditions:
        """Under which both run."""
        return self._first.conditions

    async def watch(
        self, trials: Sequence[Trial], *, seed: int | None = None, later: int = 0, heard: AnswerCallback | None = None
    ) -> list[ObservedTrial]:
        """As `Observer.watch`; what changes literals is also shown with names for them (`ObservedTrial.named`), but not
        as soon as it comes. Answers of the two come in between each other.

        Raises SandboxFailure when the sandbox breaks.
        """
        seen = await self._shared(trials, seed, later, heard)
        return await self._named(trials, seen) if seed is None and not later else seen

    async def _named(self, trials: Sequence[Trial], seen: list[ObservedTrial]) -> list[ObservedTrial]:
        found = {
            at: named
            for at, (trial, one) in enumerate(zip(trials, seen, strict=True))
            if one.changed and (named := name_changed_arguments(trial, one.changed, self._first.facts)) is not None
        }
        for at, other in zip(found, await self._shared(list(found.values()), None, 0), strict=True):
            if other.observation.outcome == seen[at].observation.outcome and other.observation.effects:
                seen[at] = replace(seen[at], named=(found[at], other))
        return seen

    async def _shared(
        self, trials: Sequence[Trial], seed: int | None, later: int, heard: AnswerCallback | None = None
    ) -> list[ObservedTrial]:
        if len(trials) < _FEWEST_SHARED:
            return await self._first.watch(trials, seed=seed, later=later, heard=heard)
        middle = (len(trials) + 1) // 2

        def of_the_second(index: int, seen: ObservedTrial) -> None:
            if heard is not None:
                heard(middle + index, seen)

        one, other = await asyncio.gather(
            self._first.watch(trials[:middle], seed=seed, later=later, heard=heard),
            self._second.watch(trials[middle:], seed=seed, later=later, heard=of_the_second),
        )
        return [*one, *other]


class OrderedDelivery:
    """Passes answers on in the order of their trials, up to the first of which more is to be found out.

    Args:
        heard: told what each trial did, as soon as all before it have been told.

    Attributes:
        delivered: how many it has passed on.
    """

    def __init__(self, heard: Callable[[ObservedTrial], None]) -> None:
        self.delivered = 0
        self._heard = heard
        self._waiting: dict[int, ObservedTrial] = {}

    def take(self, index: int, seen: ObservedTrial) -> None:
        """One answer; they may come in any order."""
        self._waiting[index] = seen
        while (one := self._waiting.get(self.delivered)) is not None and not (one.dated or one.changed):
            self.delivered += 1
            self._heard(one)


Watcher = Observer | ObserverPair


@asynccontextmanager
async def open_observer_pair(
    target: PythonTarget, facts: ModuleFacts, conditions: Conditions = EXPLORING
) -> AsyncGenerator[ObserverPair]:
    """Two workers on fresh workspaces, started side by side as well. Raises as `open_observer` does."""
    async with background_context(lambda: open_observer(target, facts, conditions)) as other:
        other.start()
        async with open_observer(target, facts, conditions) as first, other.use() as second:
            yield ObserverPair(first, second)
