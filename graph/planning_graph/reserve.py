"""Steps in reserve: planned, but executed only once a predicate over the run's state reveals them; then they stay.

A step names its predicate as `reveal_when`. The predicate is evaluated after every turn until it holds, and once more
when the goal agent has a critique of the finished plan.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from ...core.outcome import StepExit
from .planning_state import PlanningAgentState, PlanStepState
from .steps import generates, is_finished, is_hidden

Predicate = Callable[[Mapping[str, Any]], bool]


def _nothing_kept(state: Mapping[str, Any]) -> bool:
    ended = [step for step in state["plan"] if generates(step) and is_finished(step)]
    return bool(ended) and not any((step["result"] or {}).get("kept") for step in ended)


def _step_failed(state: Mapping[str, Any]) -> bool:
    return any(step["status"] == "failed" for step in state["plan"])


def _goal_failed(state: Mapping[str, Any]) -> bool:
    return bool((state.get("control") or {}).get("goal_failures"))


PREDICATES: Mapping[str, Predicate] = {
    "nothing_kept": _nothing_kept,
    "step_failed": _step_failed,
    "goal_failed": _goal_failed,
}
"""The predicates of every run: no generate step has kept a test, a step failed, the goal agent was not content."""


def revealed_plan(state: PlanningAgentState, own: Mapping[str, Predicate]) -> list[PlanStepState]:
    """Return the plan with every hidden step revealed whose predicate holds, or that the health agent suggested.

    Args:
        own: the run's own predicates, by name; they come before ours.
    """
    return [
        {**step, "params": {**step["params"], "revealed": True}}
        if is_hidden(step) and not is_finished(step) and _holds(step, state, own)
        else step
        for step in state["plan"]
    ]


def revealed_late(state: PlanningAgentState, own: Mapping[str, Predicate]) -> set[str]:
    """Ids of the steps that were skipped because nothing had revealed them, and that something reveals by now."""
    return {
        step["id"]
        for step in state["plan"]
        if is_hidden(step)
        and (step["result"] or {}).get("exit_reason") == StepExit.NOT_REVEALED
        and _holds(step, state, own)
    }


def _holds(step: PlanStepState, state: PlanningAgentState, own: Mapping[str, Predicate]) -> bool:
    suggested = ((state.get("control") or {}).get("health") or {}).get("suggestedNextPath")
    predicate = {**PREDICATES, **own}.get(str(step["params"]["reveal_when"]))
    return suggested in (step["id"], step["type"]) or (predicate is not None and predicate(state))
