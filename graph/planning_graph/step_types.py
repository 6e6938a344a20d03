"""The step types a plan may have, and how each depends on the steps before it."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

StepFamily = Literal["generate", "verify", "accept", "context", "repository"]
_GENERATE = re.compile(r"^generate_(api|unit|integration|e2e|performance)_tests$")


@dataclass(frozen=True, slots=True)
class StepKind:
    """What a step type is.

    Attributes:
        family: which handler executes it.
        required: params it cannot do without.
        optional: whether steps that depend on it go ahead when it failed: what it gives only helps.
        tolerant: whether it goes ahead when a step it depends on failed: it works on what the others left.
        metered: whether ceilings stop it. Verifying and accepting are not: they keep what was made before.
    """

    family: StepFamily
    required: tuple[str, ...] = ()
    optional: bool = False
    tolerant: bool = False
    metered: bool = False


_KINDS = {
    "verify_suite": StepKind("verify", tolerant=True),
    "accept_tests": StepKind("accept"),
    "retrieve_context": StepKind("context", required=("query",), optional=True, metered=True),
    "crawl_repository": StepKind("repository", required=("depth_level",), metered=True),
    "write_test_cases": StepKind("repository", required=("depth_level", "depends_on"), metered=True),
    "engineer_tests": StepKind("repository", required=("framework", "depends_on"), metered=True),
}
_GENERATION = StepKind("generate", required=("target", "framework", "spec_path", "test_path"), metered=True)


def step_kind(step_type: str) -> StepKind | None:
    """The kind of a step type, or None for an unknown one."""
    return _GENERATION if _GENERATE.match(step_type) else _KINDS.get(step_type)


def planned_test_type(step_type: str) -> str | None:
    """The test type that a generate step's type names; None for other steps."""
    found = _GENERATE.match(step_type)
    return found.group(1) if found else None
