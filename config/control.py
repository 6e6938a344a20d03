"""How a run is steered: the setting `control`, and the roles whose agents a user may replace."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field

from .models import ROLES

EVIDENCE_ROLES = ("evidence_search", "evidence_hypothesis", "evidence_judge", "evidence_report")
"""Roles of the agents of an evidence loop; a model is given to all of them as `evidence`."""

STEERING_ROLES = ("safety", "goal", "judge", "health", "lorebook", "summary")
"""Roles of the agents that steer a run."""

_REFERENCE = r"^[A-Za-z_][\w.-]*(:[A-Za-z_]\w*)?$"
AgentReference = Annotated[str, Field(pattern=_REFERENCE, max_length=300)]


def _as_choice(value: object) -> object:
    """`on` or `off` for a boolean, also as a variable spells it."""
    said = str(value).lower()
    return "on" if said in ("true", "1", "yes") else "off" if said in ("false", "0", "no") else value


class Control(BaseModel):
    """How much steering a run gets.

    Attributes:
        goal: whether the finished plan is compared with the request; `auto` does so where a model, or an agent of the
            user's own, has a part in the run. True and False stand for `on` and `off`.
        max_goal_failures: critiques of the goal agent that become further steps; one more ends the run.
        planner_repairs: how often a plan that cannot be executed is returned to its planner.
        health_interval: waves of steps between two health checks; None for none by interval.
        health_error_ratio: share of failed steps from which on health is checked; None for no such check.
        health_mode: whether the run waits for a health check, or reads its report later.
        safety_json: whether a safety agent's answer is read as JSON; else only its flags count.
        agent_seconds: what one request to an agent of the user's own may take, and its start and shutdown.
        lorebook: whether what a run learns about the project is kept for the next; `auto` does so where an agent with a
            model, or of the user's own, can read it.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    goal: Annotated[Literal["auto", "on", "off"], BeforeValidator(_as_choice)] = "auto"
    max_goal_failures: int = Field(default=3, ge=0, le=20)
    planner_repairs: int = Field(default=1, ge=0, le=5)
    health_interval: int | None = Field(default=None, ge=1)
    health_error_ratio: float | None = Field(default=None, ge=0, le=1)
    health_mode: Literal["blocking", "async"] = "blocking"
    safety_json: bool = True
    agent_seconds: float = Field(default=300.0, gt=0)
    lorebook: Literal["auto", "on", "off"] = "auto"


def checked_agents(value: dict[str, str]) -> dict[str, str]:
    """The agents of the user's own, by role. Raises ValueError for a role that there is not."""
    unknown = sorted(set(value) - set(AGENT_ROLES))
    if unknown:
        raise ValueError(f"there is no role {', '.join(unknown)}; the roles are {', '.join(AGENT_ROLES)}")
    return value


AGENT_ROLES = (
    *(role for role in ROLES if role != "evidence" and role not in STEERING_ROLES),
    *EVIDENCE_ROLES,
    *STEERING_ROLES,
)
"""Every role that an agent can have."""
