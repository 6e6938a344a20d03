"""Defines the planning graph's state: plain JSON values under fixed field names, which checkpoints contain."""

from __future__ import annotations

import operator
from typing import Annotated, Any, Literal, NotRequired

from typing_extensions import TypedDict

from ...core.usage import NOTHING_USED, PlanUsage
from ..state_format import STATE_VERSION

StepStatus = Literal["pending", "in_progress", "completed", "failed", "skipped"]
PlanStatus = Literal["planning", "executing", "completed", "failed"]
TestTypeName = Literal["api", "unit", "integration", "e2e", "performance"]

FINISHED: frozenset[str] = frozenset({"completed", "failed", "skipped"})


class PlanStepState(TypedDict):
    """One step of a plan.

    Attributes:
        id: stable identifier for the step.
        type: `generate_<test type>_tests`, `verify_suite`, `accept_tests`, `retrieve_context`, `crawl_repository`,
            `write_test_cases` or `engineer_tests`.
        status: only the last three are final.
        params: step-specific; `depends_on` lists ids of steps that come first, `priority` (0 to 10, usually 5) orders
            those that are ready, `risk` may raise the step's risk, `reveal_when` keeps it in reserve.
        result: structured result, with `exit_reason` (a `StepExit`); partial for a failed step.
        error_message: why a step failed or was skipped.
    """

    id: str
    type: str
    status: StepStatus
    params: dict[str, Any]
    result: dict[str, Any] | None
    error_message: str | None


class ControlState(TypedDict, total=False):
    """What steering a run has found so far; every key may be absent.

    Attributes:
        turn: waves of steps that were executed.
        approved: ids of steps of medium or high risk that the safety gate approved.
        passed: why nothing more is to be made. heard: steps whose flag said so before a critique opened the plan again.
        goal_failures: critiques of the goal agent so far. critiques: their texts.
        suggestions: what critiques asked for beyond the request, which is reported and not planned.
        unvalidated: how the plan had ended when a ceiling stopped its revision.
        health: the last report of the health agent. health_turn: the turn it was asked in.
        summary: of past turns.
        lorebook: the lorebook with its cursor.
    """

    turn: int
    approved: list[str]
    passed: str
    heard: list[str]
    goal_failures: int
    critiques: list[str]
    suggestions: list[str]
    unvalidated: str
    health: dict[str, Any]
    health_turn: int
    summary: str
    lorebook: dict[str, Any]


class PlanningAgentState(TypedDict):
    """A run from request to its last step.

    Fields that do not explain themselves:
        state_version: a checkpoint of another version is refused.
        changes: the changed code that the run is limited to; None for no limit.
        limits: what of the project may be a target, `include`, `exclude`, `strict`; None or absent for no limit.
        framework: the requested one, or None to let the plan choose. tests_dir: where accepted tests go.
        max_retries: refinements in a testing graph. run, analyze, accept: switches.
        understood, not_understood, skipped: the planner's account of the request.
        spent: seconds, tokens and cost so far. usage: the planner's own part of it.
        control: what steering the run has found so far.
        failure: the fault that ended the run early, or None. exit_reason: an `ExitReason`, None while running.
    """

    request_id: str
    user_request: str
    test_type: TestTypeName | None
    target: str | None

    plan: list[PlanStepState]
    current_step_index: int

    max_retries_per_step: int
    attempt_counts: dict[str, int]
    logs: Annotated[list[str], operator.add]

    status: PlanStatus

    state_version: int
    changes: dict[str, Any] | None
    limits: NotRequired[dict[str, Any] | None]
    framework: str | None
    tests_dir: str | None
    max_retries: int
    run: bool
    analyze: bool
    accept: bool
    understood: list[Any]
    not_understood: list[dict[str, Any]]
    skipped: list[dict[str, Any]]
    spent: PlanUsage
    control: ControlState
    failure: dict[str, Any] | None
    exit_reason: str | None


def new_planning_state(
    *,
    request_id: str,
    user_request: str,
    test_type: TestTypeName | None = None,
    target: str | None = None,
    changes: dict[str, Any] | None = None,
    limits: dict[str, Any] | None = None,
    framework: str | None = None,
    tests_dir: str | None = None,
    max_retries_per_step: int = 1,
    max_retries: int = 3,
    run: bool = True,
    analyze: bool = True,
    accept: bool = True,
) -> PlanningAgentState:
    """Return the initial state of a run.

    Args:
        request_id: the run id.
        max_retries_per_step: how often a step is repeated after an infrastructure fault.
        max_retries: refinements of spec and code, each, after the first generation.
        accept: whether kept tests are added to the project; off for a dry run.
    """
    return PlanningAgentState(
        request_id=request_id,
        user_request=user_request,
        test_type=test_type,
        target=target,
        plan=[],
        current_step_index=0,
        max_retries_per_step=max_retries_per_step,
        attempt_counts={},
        logs=[],
        status="planning",
        state_version=STATE_VERSION,
        changes=changes,
        limits=limits,
        framework=framework,
        tests_dir=tests_dir,
        max_retries=max_retries,
        run=run,
        analyze=analyze,
        accept=accept,
        understood=[],
        not_understood=[],
        skipped=[],
        spent={"seconds": 0.0, **NOTHING_USED},
        control={},
        failure=None,
        exit_reason=None,
    )
