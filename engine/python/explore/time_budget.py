"""Shares out the seconds of one exploration.

Seconds are shared out: reaching branches first, then killing mutants; selection and confirmation need the rest. A part
that its counts end earlier leaves its time to the following ones. Without confirmation nothing is kept: on a machine so
busy that too little is left for it, it gets a share of its own.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from time import monotonic

from ....sandbox.deadline import deadline_after

# Shares of the time after which each part ends.
SEARCHING = 0.5
FALLING_BACK = 0.6
SIMPLIFYING = 0.7
HUNTING = 0.85
TIDYING = 0.92
# What a confirmation gets at least, whenever it begins.
CONFIRMING = 0.5
LEAST_SECONDS = 10.0


class TimeBudget:
    """The clock of one exploration; it starts on construction.

    Args:
        seconds: total time of the exploration.
        notes: receives a line for each part that was cut short, because two runs may then differ.
        clock: monotonic seconds.
    """

    def __init__(self, seconds: float, notes: list[str], clock: Callable[[], float] = monotonic) -> None:
        self._seconds = seconds
        self._notes = notes
        self._clock = clock
        self._began = clock()

    def until(self, part: float) -> AbstractContextManager[None]:
        """Hand what is left of a fraction of the time to the sandbox calls of a block, and enough for a few calls."""
        return deadline_after(max(LEAST_SECONDS, self._began + part * self._seconds - self._clock()))

    def at_least(self, part: float) -> AbstractContextManager[None]:
        """Hand what is left of the time to the sandbox calls of a block, and no less than a fraction of the whole."""
        left = self._began + self._seconds - self._clock()
        return deadline_after(max(LEAST_SECONDS, part * self._seconds, left))

    def is_over(self, part: float, what: str) -> bool:
        """Whether a fraction of the time has passed; then adds a note, once, that `what` was cut short."""
        if self._clock() - self._began < part * self._seconds:
            return False
        note = f"{what} stopped after {part * self._seconds:.3g} seconds, its share of the time."
        if note not in self._notes:
            self._notes.append(note)
        return True
