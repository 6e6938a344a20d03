"""How an exploration shares out its seconds, where a ceiling bounds them (B-06, B-08).

Reaching branches comes first, then noticing faults; choosing and confirming need the rest. A part that its counts end
earlier leaves its time to those after it.
"""

from __future__ import annotations

from collections.abc import Callable
from time import monotonic

SEARCHING = 0.5
FALLING_BACK = 0.6
HUNTING = 0.85


class Pace:
    """The clock of one exploration; it runs from when it is made.

    Args:
        seconds: what the exploration may take in all.
        notes: told which parts were cut short, because two runs may then differ.
        clock: seconds, monotonic.
    """

    def __init__(self, seconds: float, notes: list[str], clock: Callable[[], float] = monotonic) -> None:
        self._seconds = seconds
        self._notes = notes
        self._clock = clock
        self._began = clock()

    def over(self, part: float, what: str) -> bool:
        """Whether a part of the time is over; `what` was cut short then, and it is noted once."""
        if self._clock() - self._began < part * self._seconds:
            return False
        note = f"{what} stopped after {part * self._seconds:.3g} seconds."
        if note not in self._notes:
            self._notes.append(note)
        return True
