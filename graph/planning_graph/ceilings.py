"""Checks the run's ceilings on time, tokens and cost while steps are executed."""

from __future__ import annotations

from collections.abc import Callable

from ...core.usage import ModelBudget, PlanUsage, TokenUsage, add_to_plan_usage
from ..context import RunContext


class CeilingMeter:
    """Sums up what concurrent steps use, and compares it with the ceilings.

    Args:
        spent: usage of earlier waves and sessions.
        clock: seconds, monotonic.
        budget: counts model calls as they happen and takes precedence; None for none.
    """

    def __init__(
        self, spent: PlanUsage, context: RunContext, clock: Callable[[], float], budget: ModelBudget | None = None
    ) -> None:
        self._before = spent
        self._context = context
        self._clock = clock
        self._began = clock()
        self._budget = budget

    def add(self, usage: TokenUsage) -> None:
        """Add what a step's agents used."""
        self._before = add_to_plan_usage(self._before, usage)

    @property
    def spent(self) -> PlanUsage:
        """Usage so far, seconds of this wave included."""
        return add_to_plan_usage(self._before, {"tokens": 0, "cost": 0.0}, self._clock() - self._began)

    @property
    def seconds_left(self) -> float | None:
        """Seconds until the ceiling on wall time, not below 0; None without one."""
        if self._budget is not None:
            return self._budget.seconds_left
        ceiling = self._context.wall_seconds
        return None if ceiling is None else max(0.0, ceiling - self.spent["seconds"])

    def exceeded(self) -> str | None:
        """Describe the ceiling that is reached; None when none is."""
        if self._budget is not None:
            return self._budget.exceeded()
        spent, context = self.spent, self._context
        ceilings = (
            ("time", spent["seconds"], context.wall_seconds, "s"),
            ("tokens", spent["tokens"], context.max_tokens, "tokens"),
            ("cost", spent["cost"], context.max_cost, "USD"),
        )
        for name, used, ceiling, unit in ceilings:
            if ceiling is not None and used >= ceiling:
                return f"the ceiling on {name} ({ceiling:g} {unit}) is reached"
        return None
