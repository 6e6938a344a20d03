"""Steps in reserve: planned, but executed only once a predicate over the run's state reveals them; then they stay.

A step names its predicate as `reveal_when`. The predicate is evaluated after every turn until it holds, and once more
when the goal agent has a critique of the finished plan.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from copy import deepcopy
from typing import Any

from ...agents.contract.containment import in_thread
from ...core.errors import PredicateFailure
from ...core.outcome import StepExit
from ..faults import Fault, fault_of
from .planning_state import PlanningAgentState, PlanStepState
from .steps import failed, generates, is_finished, is_hidden

Predicate = Callable[[Mapping[str, Any]], bool]
_SECONDS = 60
"""What a predicate of the user's own may take."""


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


async def revealed_plan(state: PlanningAgentState, own: Mapping[str, Predicate]) -> list[PlanStepState]:
    """Return the plan with every hidden step revealed whose predicate holds, or that the health agent suggested.

    A step whose predicate raises has failed; the others go on.

    Args:
        own: the run's own predicates, by name; they come before ours.
    """
    waiting = [step for step in state["plan"] if is_hidden(step) and not is_finished(step)]
    return _applied(state["plan"], *await _evaluated(waiting, state, own))


async def revealed_late(
    state: PlanningAgentState, own: Mapping[str, Predicate]
) -> tuple[list[PlanStepState], set[str]]:
    """The plan, and the ids of its steps that were skipped because nothing had revealed them and something does now."""
    waiting = [
        step
        for step in state["plan"]
        if is_hidden(step) and (step["result"] or {}).get("exit_reason") == StepExit.NOT_REVEALED
    ]
    revealed, faults = await _evaluated(waiting, state, own)
    return _applied(state["plan"], set(), faults), revealed


def _applied(plan: list[PlanStepState], revealed: set[str], faults: Mapping[str, Fault]) -> list[PlanStepState]:
    found: list[PlanStepState] = []
    for step in plan:
        if step["id"] in revealed:
            found.append({**step, "params": {**step["params"], "revealed": True}})
        elif step["id"] in faults:
            found.append(failed(faults[step["id"]]).applied(step))
        else:
            found.append(step)
    return found


async def _evaluated(
    waiting: list[PlanStepState], state: PlanningAgentState, own: Mapping[str, Predicate]
) -> tuple[set[str], dict[str, Fault]]:
    """Which of these steps are revealed, and the faults of those whose predicate failed, by id."""
    suggested = ((state.get("control") or {}).get("health") or {}).get("suggestedNextPath")
    answers: dict[str, bool | Fault] = {}
    for name in dict.fromkeys(str(step["params"]["reveal_when"]) for step in waiting):
        answers[name] = await _holds(name, state, own)
    by_id = {step["id"]: answers[str(step["params"]["reveal_when"])] for step in waiting}
    revealed = {step["id"] for step in waiting if suggested in (step["id"], step["type"]) or by_id[step["id"]] is True}
    faults = {name: answer for name, answer in by_id.items() if isinstance(answer, Fault) and name not in revealed}
    return revealed, faults


async def _holds(name: str, state: PlanningAgentState, own: Mapping[str, Predicate]) -> bool | Fault:
    """Whether a predicate holds, or why that is not known."""
    if name not in own:
        return name in PREDICATES and PREDICATES[name](state)
    try:
        # In a thread and on a copy: what is not ours may block, and must not change the state.
        async with asyncio.timeout(_SECONDS):
            return bool(await in_thread(own[name], deepcopy(dict(state))))
    except Exception as error:  # noqa: BLE001 - it is the user's: whatever it raises is told with its name
        late = f"did not answer within {_SECONDS} s" if isinstance(error, TimeoutError) else f"failed: {error!r}"
        advice = "Mend the predicate; what was kept without the step stays."
        return fault_of(PredicateFailure(f"the predicate {name!r} {late}", advice=advice))
