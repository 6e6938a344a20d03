"""Estimates how long a run still takes, from what its modules have taken so far."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

_BASE = 10.0
"""What each module takes whatever its importance, in units of a score: starting, running and judging its tests."""
_TOGETHER = 0.2
"""What running all tests together takes, as a share of the time until then."""
_LEAST_ENDED = 2
"""Modules that must have ended before: the first one is often the smallest."""
_LEAST_SHARE = 0.2
"""What is left of a module that takes longer than was expected, as a share of its time."""


@dataclass(slots=True)
class TimeLeft:
    """The times of one session's modules; all times are seconds of one clock that only grows."""

    _weights: dict[str, float] = field(default_factory=dict)
    _busy: dict[str, float] = field(default_factory=dict)
    _ended: dict[str, float] = field(default_factory=dict)
    _lanes: int = 1
    _begin: float = 0.0

    def plan(self, scores: Mapping[str, float], now: float) -> None:
        """Take the plan's modules in: step id → importance, 0 where the plan says none."""
        self._weights = {step: _BASE + score for step, score in scores.items()}
        self._begin = now

    def start(self, step: str, now: float) -> None:
        """Note that work on a module began."""
        if step in self._weights:
            self._busy[step] = now
            self._lanes = max(self._lanes, len(self._busy))

    def end(self, step: str, now: float) -> None:
        """Note that work on a module ended."""
        begin = self._busy.pop(step, None)
        if begin is not None:
            self._ended[step] = now - begin

    def seconds(self, now: float) -> float | None:
        """The seconds left; None while too few modules have ended, or where nothing is left to do."""
        done = sum(self._weights[step] for step in self._ended)
        left = [step for step in self._weights if step not in self._ended]
        if len(self._ended) < _LEAST_ENDED or not left:
            return None
        one = sum(self._ended.values()) / done
        # Work of which less would be left than nothing shows that modules take longer than those that have ended.
        over = [(now - begin) / self._weights[step] for step, begin in self._busy.items()]
        one = max(one, sum(over) / len(over)) if over else one
        parts = [self._part(step, one, now) for step in left]
        modules = max(sum(parts) / self._lanes, *parts)
        return modules + _TOGETHER * (now - self._begin + modules)

    def _part(self, step: str, one: float, now: float) -> float:
        whole = self._weights[step] * one
        return max(whole - (now - self._busy[step]), _LEAST_SHARE * whole) if step in self._busy else whole
