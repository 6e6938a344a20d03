"""Finds trials whose outcome depends on the date or on time passing while they run."""

from __future__ import annotations

from collections.abc import Sequence

from ..judge.stability import stable_part
from ..model.model import Trial
from ..model.observation_json import ObservedTrial
from .parallel_observers import Watcher
from .trial_search import has_assertable_outcome

# Seconds from the start of the ticking clock (2024-01-01) to the last second of the following year.
YEARS_END = 731 * 86400 - 1


async def time_dependent_trials(
    batch: Sequence[Trial], answers: Sequence[ObservedTrial], observer: Watcher
) -> set[int]:
    """Returns indexes of trials that read a clock and keep no assertable outcome when a year ends between two reads."""
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
