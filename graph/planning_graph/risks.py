"""How risky a step is, and the descriptions of all steps for planners.

What runs in the sandbox, or writes tests where the request wants them, is of low risk: the request itself asks for it.
A step is riskier where it reaches something that the sandbox does not hold.
"""

from __future__ import annotations

import ipaddress
import json
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from pathlib import PurePosixPath
from typing import Any
from urllib.parse import urlsplit

from ...agents.contract.protocol import JsonObject
from ..control_policy import ControlPolicy
from .planning_state import PlanningAgentState, PlanStepState
from .repository_steps import staged_by_engineer
from .steps import STEP_TYPES, RiskLevel, generates, step_kind

LEVELS: tuple[RiskLevel, ...] = ("low", "medium", "high")
_ADDRESSES = ("host", "base_url", "url", "server")


@dataclass(frozen=True, slots=True)
class RiskReason:
    """One thing that makes a step risky.

    Attributes:
        kind: `runs_application`, `requests_host`, `writes_outside_tests`, `installs`, `spends_money` or `declared`.
        text: what it does, for people.
    """

    kind: str
    text: str
    level: RiskLevel = "medium"


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
    if policy.weak_sandbox and family in ("generate", "verify"):
        yield RiskReason("runs_application", "runs the project's code without isolation")
    for host in _hosts(params):
        yield RiskReason("requests_host", f"sends requests to {host}", "high")
    if params.get("install"):
        yield RiskReason("installs", f"installs {params['install']}")
    if policy.is_paid and (generates(step) or family == "repository"):
        yield RiskReason("spends_money", "asks a model that may cost money, without a ceiling on cost")
    for folder in _outside_tests(step, state):
        yield RiskReason("writes_outside_tests", f"writes into {folder}, outside of the folder of tests")
    declared = params.get("risk")
    if declared in LEVELS[1:]:
        yield RiskReason("declared", f"is declared to be of {declared} risk", declared)


def _hosts(params: Mapping[str, Any]) -> Iterator[str]:
    """Hosts beyond this machine that the params name."""
    target = params.get("target")
    for source in (params, target if isinstance(target, Mapping) else {}):
        for key in _ADDRESSES:
            value = source.get(key)
            host = _host(value) if isinstance(value, str) else ""
            if host and not _is_loopback(host):
                yield host


def _host(address: str) -> str:
    try:
        return urlsplit(address if "//" in address else f"//{address}").hostname or ""
    except ValueError:  # no address that can be read: whatever it is, it is not this machine
        return address


def _is_loopback(host: str) -> bool:
    if host == "localhost" or host.endswith(".localhost"):
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def _outside_tests(step: PlanStepState, state: PlanningAgentState) -> list[str]:
    """Folders outside of `tests_dir` that an accept step would write into."""
    if step["type"] != "accept_tests" or not state["accept"] or not state["tests_dir"]:
        return []
    paths = [*(step["params"].get("test_paths") or ()), *staged_by_engineer(state["plan"])]
    inside = PurePosixPath(state["tests_dir"])
    folders = [str(PurePosixPath(path).parent) for path in paths if inside not in PurePosixPath(path).parents]
    return list(dict.fromkeys(folders))


def step_descriptors() -> list[JsonObject]:
    """The steps that a plan may have, as planners are told of them: a `PathDescriptionList` with the risk beside it."""
    return [descriptor_of(name) for name in STEP_TYPES]


def descriptor_of(step_type: str, *, hint: str = "") -> JsonObject:
    """Describe one step type.

    Args:
        hint: advice for planners; the description ends with it, execution does not heed it.
    """
    kind = step_kind(step_type)
    schema = {"type": "object", "required": list(kind.required)}
    return {
        "name": step_type,
        "description": f"{kind.description}. Hint: {hint}" if hint else kind.description,
        "inputSchema": json.dumps(schema),
        "pcpSchema": None,
        "hasInternalAgent": bool(kind.agent),
        "hasExecutionFunction": not kind.agent,
        "isRunsInBackground": False,
        "agentTypeName": kind.agent or None,
        "riskLevel": "low",
    }
