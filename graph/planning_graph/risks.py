"""How risky a step is, and the descriptions of all steps for planners.

What runs in the sandbox, or writes tests where the request wants them, is of low risk: the request itself asks for it.
A step is riskier where it reaches something that the sandbox does not hold.
"""

from __future__ import annotations

import json
import posixpath
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass

from ...agents.contract.protocol import JsonObject
from ..control_policy import ControlPolicy
from .addresses import other_hosts
from .planning_state import PlanningAgentState, PlanStepState
from .steps import STEP_TYPES, USUAL_PRIORITY, RiskLevel, generates, step_kind
from .suite_steps import accepted_paths, kept_results

LEVELS: tuple[RiskLevel, ...] = ("low", "medium", "high")
_TESTS = "tests/generated"
"""The folder of tests where a request names none."""


@dataclass(frozen=True, slots=True)
class RiskReason:
    """One thing that makes a step risky.

    Attributes:
        kind: `runs_application`, `requests_host`, `writes_outside_tests`, `installs`, `spends_money` or `declared`.
        text: what it does, for people.
        about: the host, package or folder; "" where there is none.
    """

    kind: str
    text: str
    level: RiskLevel = "medium"
    about: str = ""


@dataclass(frozen=True, slots=True)
class StepRisk:
    """The level of a step, that of its riskiest reason; `low` without one."""

    level: RiskLevel
    reasons: tuple[RiskReason, ...] = ()

    def to_dict(self) -> JsonObject:
        """Convert to JSON."""
        return {"level": self.level, "reasons": [asdict(reason) for reason in self.reasons]}


def step_risk(step: PlanStepState, state: PlanningAgentState, policy: ControlPolicy) -> StepRisk:
    """Assess a step that is about to be executed."""
    reasons = tuple(_reasons(step, state, policy))
    found = [reason.level for reason in reasons]
    return StepRisk("high" if "high" in found else "medium" if "medium" in found else "low", reasons)


def _reasons(step: PlanStepState, state: PlanningAgentState, policy: ControlPolicy) -> Iterator[RiskReason]:
    params, family = step["params"], step_kind(step["type"]).family
    if policy.weak_sandbox and (family == "generate" or (family == "verify" and _verified_paths(step, state))):
        yield RiskReason("runs_application", "runs the project's code without isolation")
    for host in other_hosts(params):
        yield RiskReason("requests_host", f"sends requests to {host}", "high", host)
    target = params.get("target")
    if wanted := params.get("install") or (target.get("install") if isinstance(target, Mapping) else None):
        yield RiskReason("installs", f"installs {wanted}", about=str(wanted))
    if policy.is_paid and (generates(step) or family == "repository"):
        yield RiskReason("spends_money", "asks a model that may cost money, without a ceiling on cost")
    for folder in _outside_tests(step, state):
        yield RiskReason("writes_outside_tests", f"writes into {folder}, outside of the folder of tests", about=folder)
    declared = params.get("risk")
    if declared in LEVELS[1:]:
        yield RiskReason("declared", f"is declared to be of {declared} risk", declared)


def _verified_paths(step: PlanStepState, state: PlanningAgentState) -> list[str]:
    """Files that a verify step would run; without any it runs nothing."""
    return list(kept_results(state["plan"], step["params"].get("test_paths")))


def _outside_tests(step: PlanStepState, state: PlanningAgentState) -> list[str]:
    """Folders outside of the folder of tests that an accept step would write into."""
    if step["type"] != "accept_tests" or not state["accept"]:
        return []
    inside = posixpath.normpath(state["tests_dir"] or _TESTS)
    paths = [posixpath.normpath(path) for path in accepted_paths(step, state["plan"])]
    folders = [posixpath.dirname(path) or "." for path in paths if not _is_below(path, inside)]
    return list(dict.fromkeys(folders))


def _is_below(path: str, folder: str) -> bool:
    """Whether a path lies in a folder; both without `..` where it can be resolved."""
    if path.startswith(("/", "../")):
        return False
    return folder == "." or path.startswith(f"{folder}/")


_TEXT: JsonObject = {"type": "string", "minLength": 1}
_PARAMS: Mapping[str, JsonObject] = {
    "target": {"type": ["object", "string"]},
    "framework": _TEXT,
    "spec_path": _TEXT,
    "test_path": _TEXT,
    "query": _TEXT,
    "depth_level": _TEXT,
    "depends_on": {"type": "array", "items": _TEXT, "uniqueItems": True},
    "priority": {"type": "integer", "minimum": 0, "maximum": 10, "default": USUAL_PRIORITY},
    "risk": {"enum": list(LEVELS)},
    "reveal_when": {**_TEXT, "description": "A predicate: the step stays in reserve until it holds."},
}
_STEERING = ("depends_on", "priority", "risk", "reveal_when")
"""Params that a step of any type may have."""


def step_descriptors() -> list[JsonObject]:
    """The steps that a plan may have, as planners are told of them: a `PathDescriptionList` with the risk beside it."""
    return [descriptor_of(name) for name in STEP_TYPES]


def descriptor_of(step_type: str) -> JsonObject:
    """Describe one step type; the description ends with its hint, where it has one.

    `riskLevel` is the least: what the params of a step name may make it riskier (`step_risk`).
    """
    kind = step_kind(step_type)
    properties = {name: _PARAMS[name] for name in dict.fromkeys((*kind.required, *_STEERING))}
    schema = {"type": "object", "required": list(kind.required), "properties": properties}
    return {
        "name": step_type,
        "description": f"{kind.description}. Hint: {kind.hint}" if kind.hint else kind.description,
        "inputSchema": json.dumps(schema),
        "pcpSchema": None,
        "hasInternalAgent": bool(kind.agent),
        "hasExecutionFunction": not kind.agent,
        "isRunsInBackground": False,
        "agentTypeName": kind.agent or None,
        "riskLevel": LEVELS[0],
    }
