"""How runs and steps end, typed (P-11)."""

from __future__ import annotations

from enum import StrEnum


class ExitReason(StrEnum):
    """Why a run ended. Every finished plan has one; an interrupted run has none until it is resumed."""

    COMPLETED = "completed"
    PARTIAL = "partial"
    NOTHING_KEPT = "nothing_kept"
    NOTHING_TO_DO = "nothing_to_do"
    PLAN_FAILED = "plan_failed"
    BUDGET_EXHAUSTED = "budget_exhausted"
    ENVIRONMENT = "environment"


class StepExit(StrEnum):
    """Why a step ended.

    `*_EXHAUSTED` are validation failures that no refinement cured; `AGENT_ERROR` is an agent that failed;
    `INFRASTRUCTURE` is a transient fault that outlasted every retry. The three are never mixed up.
    """

    COMPLETED = "completed"
    NOTHING_TO_TEST = "nothing_to_test"
    NOTHING_KEPT = "nothing_kept"
    SPEC_EXHAUSTED = "spec_exhausted"
    CODE_EXHAUSTED = "code_exhausted"
    UNKNOWN_TEST_TYPE = "unknown_test_type"
    UNKNOWN_STEP_TYPE = "unknown_step_type"
    AGENT_ERROR = "agent_error"
    HANDOFF_VIOLATION = "handoff_violation"
    TOOL_FAILURE = "tool_failure"
    INFRASTRUCTURE = "infrastructure"
    ENVIRONMENT = "environment"
    STORAGE = "storage"
    BUDGET_EXHAUSTED = "budget_exhausted"
    DEPENDENCY_FAILED = "dependency_failed"
    RUN_ENDED = "run_ended"
    SWITCHED_OFF = "switched_off"
    DEFECT = "defect"
