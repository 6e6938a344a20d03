"""Node `execute_current_step`: every step that is ready, at the same time (T-03)."""

from __future__ import annotations

import asyncio
from typing import Any

from langgraph.runtime import Runtime

from ...context import RunContext, services_of
from ...gather_all import together
from ...node import reported
from ..ceilings import Meter
from ..order import ready_steps
from ..planning_state import PlanningAgentState, PlanStep
from ..step_runner import Wave, run_step


@reported
async def execute_current_step(state: PlanningAgentState, runtime: Runtime[RunContext]) -> dict[str, Any]:
    """Delegate every ready step to a testing graph or to tools, `jobs` at a time; one failing step sinks no other.

    When this node is executed again after a crash, testing graphs that had finished are only read, the others go on
    where they were.

    Raises:
        StorageError: the run's own state cannot be kept.
    """
    services = services_of(runtime)
    wave = Wave(
        state=state,
        context=runtime.context,
        services=services,
        meter=Meter(state["spent"], runtime.context, services.clock, services.budget),
        jobs=asyncio.Semaphore(max(1, runtime.context.jobs)),
        attempts=dict(state["attempt_counts"]),
    )
    done = await together(*(run_step(step, wave) for step in ready_steps(state["plan"])))
    by_id: dict[str, PlanStep] = {step["id"]: step for step in done}
    return {
        "plan": [by_id.get(step["id"], step) for step in state["plan"]],
        "attempt_counts": wave.attempts,
        "spent": wave.meter.spent,
        "logs": [_line(step) for step in done],
        "failure": wave.ended_by.to_dict() if wave.ended_by is not None else state["failure"],
    }


def _line(step: PlanStep) -> str:
    why = f": {step['error_message']}" if step["error_message"] else ""
    return f"{step['id']} {step['status']}{why}"
