"""Types, order and outcomes of plan steps: which steps can be executed now, which never can, and how one ended."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from ...core.events import EventType
from ...core.outcome import ExitReason, StepExit
from ...core.usage import NOTHING_USED, TokenUsage
from ..context import GraphServices
from ..faults import Fault
from .planning_state import FINISHED, PlanStepState, StepStatus

StepFamily = Literal["generate", "verify", "accept", "context", "repository"]
RiskLevel = Literal["low", "medium", "high"]
USUAL_PRIORITY = 5
_GENERATE = re.compile(r"^generate_(api|unit|integration|e2e|performance)_tests$")


@dataclass(frozen=True, slots=True)
class StepKind:
    """Properties of a step type.

    Attributes:
        family: which handler executes it; "" for an unknown type.
        required: params that it needs.
        optional: whether dependent steps go ahead when it failed, because its result only helps.
        tolerant: whether it goes ahead when a step it depends on failed, because it works on what the others left.
        metered: whether ceilings stop it. Verifying and accepting are not metered: they keep what was made before.
        description: what it does, for planners.
        hint: when to plan one and how, for planners; execution does not heed it.
        agent: the role whose agent does it; "" for tools alone.
    """

    family: StepFamily | Literal[""]
    required: tuple[str, ...] = ()
    optional: bool = False
    tolerant: bool = False
    metered: bool = False
    description: str = ""
    hint: str = ""
    agent: str = ""


_KINDS = {
    "verify_suite": StepKind(
        "verify",
        tolerant=True,
        description="runs all kept tests together, in several orders",
        hint="plan one, which depends on every generate step",
    ),
    "accept_tests": StepKind(
        "accept",
        description="adds the kept tests to the project",
        hint="plan it last, depending on verify_suite; without one the tests stay staged",
    ),
    "retrieve_context": StepKind(
        "context",
        ("query",),
        optional=True,
        metered=True,
        description="reads code for the steps that follow",
        hint="worth a step where several steps need the same code: each reads what is around its own target",
    ),
    "crawl_repository": StepKind(
        "repository",
        ("depth_level",),
        metered=True,
        description="maps the repository",
        hint="comes before write_test_cases",
        agent="crawler",
    ),
    "write_test_cases": StepKind(
        "repository",
        ("depth_level", "depends_on"),
        metered=True,
        description="writes test cases",
        hint="depends on the step that maps the repository",
        agent="case",
    ),
    "engineer_tests": StepKind(
        "repository",
        ("framework", "depends_on"),
        metered=True,
        description="writes a test suite",
        hint="depends on the step that writes the test cases",
        agent="engineer",
    ),
}
_GENERATION = StepKind(
    "generate",
    ("target", "framework", "spec_path", "test_path"),
    metered=True,
    description="specifies, writes, runs and judges the tests of one target",
    hint="one step for each target, with files of its own; naming a host that is not this machine makes it risky",
    agent="spec",
)
STEP_TYPES = (*(f"generate_{kind}_tests" for kind in ("api", "unit", "integration", "e2e", "performance")), *_KINDS)
UNKNOWN_KIND = StepKind("")


def step_kind(step_type: str) -> StepKind:
    """Return the kind of a step type; UNKNOWN_KIND for an unknown one."""
    return _GENERATION if _GENERATE.match(step_type) else _KINDS.get(step_type, UNKNOWN_KIND)


def planned_test_type(step_type: str) -> str | None:
    """Return the test type in the name of a generate step's type; None for other steps."""
    found = _GENERATE.match(step_type)
    return found.group(1) if found else None


def generates(step: PlanStepState) -> bool:
    """Whether a step generates the tests of one target."""
    return step_kind(step["type"]).family == "generate"


def depends_on(step: PlanStepState) -> list[str]:
    """Ids of the steps that come before this one."""
    return list(step["params"].get("depends_on") or [])


def is_finished(step: PlanStepState) -> bool:
    """Whether a step has its final status."""
    return step["status"] in FINISHED


def is_hidden(step: PlanStepState) -> bool:
    """Whether a step is in reserve and not revealed yet; `reserve.py` reveals it."""
    return bool(step["params"].get("reveal_when")) and not step["params"].get("revealed")


def ready_steps(plan: Sequence[PlanStepState]) -> list[PlanStepState]:
    """Select unfinished steps whose dependencies are all finished: by priority, then in plan order; none in reserve.

    Call `blocked_by` before executing one.
    """
    finished = {step["id"] for step in plan if is_finished(step)}
    ready = [
        step for step in plan if not is_finished(step) and not is_hidden(step) and finished.issuperset(depends_on(step))
    ]
    return sorted(ready, key=lambda step: -priority_of(step))


def priority_of(step: PlanStepState) -> int:
    """A step's `priority`, 0 to 10; 5 where the plan gives none."""
    return int(step["params"].get("priority", USUAL_PRIORITY))


def mark_ready_in_progress(plan: Sequence[PlanStepState]) -> list[PlanStepState]:
    """Return the plan with every ready step in progress, as the checkpoint shows it while they are executed."""
    ready = {step["id"] for step in ready_steps(plan)}
    return [{**step, "status": "in_progress"} if step["id"] in ready else step for step in plan]


def blocked_by(step: PlanStepState, plan: Sequence[PlanStepState]) -> str | None:
    """Return the dependency that prevents a ready step from being executed, or None.

    A tolerant step is never blocked, and an optional step never blocks.
    """
    if step_kind(step["type"]).tolerant:
        return None
    needed = {other["id"] for other in plan if other["status"] != "completed" and not step_kind(other["type"]).optional}
    return next((before for before in depends_on(step) if before in needed), None)


def first_unfinished(plan: Sequence[PlanStepState]) -> int:
    """Index of the first step without a final status; the length of the plan when all have one."""
    return next((index for index, step in enumerate(plan) if not is_finished(step)), len(plan))


def dependents(plan: Sequence[PlanStepState], ids: set[str]) -> set[str]:
    """Ids of all steps that depend on any of `ids`, directly or not; without `ids` themselves."""
    found = set(ids)
    grown = True
    while grown:  # to the fixed point: a plan need not list dependencies before dependents
        more = {step["id"] for step in plan if found.intersection(depends_on(step))}
        grown = not more <= found
        found |= more
    return found - ids


@dataclass(frozen=True, slots=True)
class StepOutcome:
    """How one step ended.

    Attributes:
        status: completed, failed or skipped.
        result: its result, partial when it failed; `applied` adds `exit_reason` and `failure`.
        message: why, for a step that is not completed.
        usage: tokens and cost of its agents.
        fault: the fault that ended it, if one did.
    """

    status: StepStatus
    exit_reason: StepExit
    result: dict[str, Any] = field(default_factory=dict)
    message: str = ""
    usage: TokenUsage = field(default_factory=lambda: NOTHING_USED)
    fault: Fault | None = None

    def applied(self, step: PlanStepState) -> PlanStepState:
        """Return the step with this outcome."""
        failure = {} if self.fault is None else {"failure": self.fault.to_dict()}
        return {
            **step,
            "status": self.status,
            "result": {**self.result, **failure, "exit_reason": str(self.exit_reason)},
            "error_message": self.message or None,
        }


def skipped(exit_reason: StepExit, message: str) -> StepOutcome:
    """The outcome of a step that was not executed."""
    return StepOutcome("skipped", exit_reason, message=message)


def failed(fault: Fault, result: dict[str, Any] | None = None, usage: TokenUsage = NOTHING_USED) -> StepOutcome:
    """The outcome of a step that a fault ended, with its partial result."""
    return StepOutcome("failed", fault.exit_reason, result or {}, fault.message, usage, fault)


def emit_plan_ended(services: GraphServices, exit_reason: ExitReason) -> None:
    """Emit that the plan has ended, and why, as the event's `plan_ended`; a graph that embeds ours reads it there."""
    services.emit(EventType.PROGRESS, f"the plan ended: {exit_reason}", None, plan_ended=str(exit_reason))
