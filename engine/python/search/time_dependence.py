"""Which trials come out otherwise at another time, or when time goes on while they run (B-11)."""

from __future__ import annotations

from collections.abc import Sequence

from ..judge.stability import stable_part
from ..model.model import Trial
from ..model.observation_json import ObservedTrial
from .parallel_observers import Watcher
from .trial_search import has_assertable_outcome

YEARS_END = 731 * 86400 - 1
"""From the instant at which a ticking clock begins to the last second of the year after."""


async def time_dependent_trials(
    batch: Sequence[Trial], answers: Sequence[ObservedTrial], observer: Watcher
) -> set[int]:
    """Indexes of the trials that looked at a clock, and leave nothing to tell when a year ends between two looks."""
    if observer.conditions.clock is None:
        return set()
    dated = [index for index, seen in enumerate(answers) if seen.dated]
    later = await observer.watch([batch[index] for index in dated], later=YEARS_END) if dated else []
    found: set[int] = set()
    for index, again in zip(dated, later, strict=True):
        before = answers[index].observation
        same = stable_part(before, [again.observation])
        if same is None or (
            same.unstable and has_assertable_outcome(before) and not has_assertable_outcome(same.observation)
        ):
            found.add(index)
    return found
