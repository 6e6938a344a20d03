"""The settings by which a run is steered, as plain data that its context carries."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True, slots=True)
class ControlPolicy:
    """How much steering a run gets.

    Attributes:
        planner_repairs: how often a plan that cannot be executed is returned to the planner.
        max_goal_failures: critiques of the goal agent that the run takes up; one more ends it.
        health_interval: waves of steps between two health checks; None for no check by interval.
        health_error_ratio: share of failed steps, 0 to 1, from which on health is checked; None for no such check.
        health_mode: whether a check is waited for, or its report read at a later boundary.
        safety_json: whether a safety agent's answer is read; else only its flags count.
        consented: kinds of risk the user has consented to; "all" for every one.
        weak_sandbox: whether the code under test runs without isolation.
        is_paid: whether a model of the run may cost money without a ceiling on cost.
    """

    planner_repairs: int = 1
    max_goal_failures: int = 3
    health_interval: int | None = None
    health_error_ratio: float | None = None
    health_mode: Literal["blocking", "async"] = "blocking"
    safety_json: bool = True
    consented: tuple[str, ...] = ()
    weak_sandbox: bool = False
    is_paid: bool = False

    def __post_init__(self) -> None:
        """Restore what JSON cannot hold."""
        object.__setattr__(self, "consented", tuple(self.consented))

    @property
    def checks_health(self) -> bool:
        """Whether there are health checks."""
        return self.health_interval is not None or self.health_error_ratio is not None
