"""Where the planning graph goes next."""

from __future__ import annotations

from typing import Literal

from .planning_state import PlanningAgentState


async def more_to_do(state: PlanningAgentState) -> Literal["execute", "end"]:
    """Whether the plan has steps that are still to be executed."""
    return "execute" if state["status"] == "executing" else "end"
