"""Which steps of a critique stay inside of what the request asked for: a critique may not widen it."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any

from langgraph.runtime import Runtime

from ...agents.contract.planner_inputs import planner_inputs
from ...agents.contract.protocol import WITHOUT_MODEL, JsonObject
from ...core.errors import BudgetExhausted
from ..context import RunContext, services_of
from ..node import call_agent
from .plan_check import check_plan
from .planning_state import PlanningAgentState, PlanStepState
from .requested_plan import EMBEDDED_PLANNER
from .steering import planner_briefing
from .steps import generates, planned_test_type, step_kind

_PARTS = ("symbols", "operations")
"""Keys of a target that limit it to parts of its file."""


def request_inputs(state: PlanningAgentState, context: RunContext) -> JsonObject:
    """What a planner is told of the request itself."""
    return planner_inputs(
        state["user_request"],
        context.root,
        test_type=state["test_type"],
        target=state["target"],
        framework=state["framework"],
        tests_dir=state["tests_dir"],
        changes=state["changes"],
        limits=state.get("limits"),
    )


async def outside_request(
    steps: Sequence[PlanStepState], state: PlanningAgentState, runtime: Runtime[RunContext]
) -> list[PlanStepState]:
    """Select the steps that make tests of what the request did not ask for.

    Asked for is what the first plan makes tests of. Where a model or somebody else's planner made that plan, so is what
    the embedded planner reads in the request: they may have left a part of it out.
    """
    asked = [step for step in state["plan"] if _makes_tests(step) and "of_critique" not in step["params"]]
    found = [step for step in steps if _makes_tests(step) and not _is_asked_for(step, asked)]
    if found:
        asked += await _read_again(state, runtime)
    return [step for step in found if not _is_asked_for(step, asked)]


def described(step: PlanStepState) -> str:
    """Say in a few words what a step would make tests of, as a request would."""
    target = step["params"].get("target")
    about = target if isinstance(target, dict) else {"path": target or "the repository"}
    parts = [str(part) for key in _PARTS for part in about.get(key) or ()]
    place = str(about.get("path") or about.get("endpoint") or "the project")
    limited = f" ({', '.join(parts)})" if parts else ""
    return f"{planned_test_type(step['type']) or 'e2e'} tests for {place}{limited}"


async def _read_again(state: PlanningAgentState, runtime: Runtime[RunContext]) -> list[PlanStepState]:
    """The steps of the embedded planner's reading of the request; none where the plan is its own already."""
    services = services_of(runtime)
    role = EMBEDDED_PLANNER if EMBEDDED_PLANNER in services.agents else "planner"
    if role == "planner" and "planner" not in services.model_roles:
        return []
    inputs = request_inputs(state, runtime.context)
    try:
        response = await call_agent(
            state, planner_briefing(state, runtime), role, "build_plan", inputs, constraints=WITHOUT_MODEL
        )
    except BudgetExhausted:
        return []
    result = response.result if isinstance(response.result, dict) else {}
    steps, _ = check_plan(result.get("steps"), predicates=services.predicates)
    return steps


def _makes_tests(step: PlanStepState) -> bool:
    return generates(step) or step_kind(step["type"]).family == "repository"


def _is_asked_for(step: PlanStepState, asked: Collection[PlanStepState]) -> bool:
    return any(other["type"] == step["type"] and _covers(_target(other), _target(step)) for other in asked)


def _target(step: PlanStepState) -> dict[str, Any]:
    target = step["params"].get("target")
    return target if isinstance(target, dict) else {"path": target}


def _covers(asked: dict[str, Any], wanted: dict[str, Any]) -> bool:
    """Whether a target lies inside of another: in the same file, and limited to the same parts of it or to fewer."""
    if any(asked.get(key) != wanted.get(key) for key in ("path", "endpoint")):
        return False
    return all(_has_parts(asked.get(key), wanted.get(key)) for key in _PARTS)


def _has_parts(asked: Sequence[str] | None, wanted: Sequence[str] | None) -> bool:
    if not asked:
        return True
    return bool(wanted) and all(
        any(part == whole or part.startswith(f"{whole}.") for whole in asked) for part in wanted
    )
