"""Decides which parts of an assessment there is time for, and remembers those that there was none for."""

from __future__ import annotations

import time

_LACKING = {
    "conditions": "the tests were not run under all conditions of the gate, so one that holds may flake",
    "beside": "the tests were not run beside themselves",
    "mutants": "no mutants were tried",
}


class TimeLeft:
    """What is left of a limit on time, and the parts that there was no time for.

    Args:
        most: seconds; None for no limit.
        began: when they began, on the monotonic clock.
    """

    def __init__(self, most: float | None, began: float) -> None:
        self._most = most
        self._began = began
        self.lacking: list[str] = []

    @property
    def seconds(self) -> float:
        """Seconds that are left, infinite without a limit."""
        return float("inf") if self._most is None else self._most - (time.monotonic() - self._began)

    def suffices(self, part: str, seconds: float) -> bool:
        """Whether a part of the work that probably takes so long may begin; else notes that it is lacking."""
        is_enough = self.seconds > seconds
        self.lacking += [] if is_enough else [part]
        return is_enough

    def notes(self) -> list[str]:
        """What a reader must know of the parts that are lacking."""
        return [f"the time was up ({self._most:g} s): {_LACKING[part]}" for part in self.lacking]
