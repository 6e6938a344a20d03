"""Plans the steps that map a repository and write end-to-end tests, and the planner for a fixed plan."""

from __future__ import annotations

import re
from typing import Literal

from ....engine.repository.survey import Depth
from ...contract.lifecycle import Agent, AgentContract
from ...contract.protocol import AgentRequest, JsonObject

E2eFramework = Literal["playwright", "maestro"]
Goal = Literal["crawl", "cases", "engineer"]

CRAWL = "crawl_repository"
CASES = "write_test_cases"
ENGINEER = "engineer_tests"
ACCEPT = "accept_tests"

_LEVELS = "smoke|core|standard|deep"
_DEPTH = re.compile(
    rf"\b(?:(?P<before>{_LEVELS})[- ]depth|depth(?:[- ]level)?:?\s+(?P<after>{_LEVELS}))\b", re.IGNORECASE
)


def repository_steps(
    goal: Goal, *, depth: Depth, ref: str | None = None, framework: E2eFramework = "playwright"
) -> list[JsonObject]:
    """Build the steps up to a goal, in order.

    Args:
        ref: a branch or commit that must be checked out; None for any.
    """
    crawl: JsonObject = {"depth_level": depth, "depends_on": [], **({"ref": ref} if ref else {})}
    steps = [{"id": CRAWL, "type": CRAWL, "params": crawl}]
    if goal in ("cases", "engineer"):
        steps.append({"id": CASES, "type": CASES, "params": {"depth_level": depth, "depends_on": [CRAWL]}})
    if goal == "engineer":
        steps.append({"id": ENGINEER, "type": ENGINEER, "params": {"framework": framework, "depends_on": [CASES]}})
        steps.append({"id": ACCEPT, "type": ACCEPT, "params": {"depends_on": [ENGINEER]}})
    return steps


def requested_depth(request: str) -> Depth | None:
    """Return the depth that a request names ("test this repository, smoke depth"), or None."""
    found = _DEPTH.search(request)
    if found is None:
        return None
    name = (found["before"] or found["after"]).lower()
    known: tuple[Depth, ...] = ("smoke", "core", "standard", "deep")
    return next(level for level in known if level == name)


def repository_plan(request: str) -> JsonObject | None:
    """Build the plan for a request for a repository's end-to-end tests at a depth; None for other requests."""
    depth = requested_depth(request)
    if depth is None or not re.search(r"\b(?:repository|repo|project|codebase|everything)\b", request, re.IGNORECASE):
        return None
    framework: E2eFramework = "maestro" if re.search(r"\bmaestro\b", request, re.IGNORECASE) else "playwright"
    steps = repository_steps("engineer", depth=depth, framework=framework)
    understood = [f"the whole repository at {depth} depth: crawl it, write test cases, engineer {framework} tests"]
    return {"steps": steps, "understood": understood, "not_understood": [], "skipped": []}


class FixedPlanner(Agent):
    """Returns fixed steps, for commands that define the plan themselves.

    Args:
        steps: the plan's steps.
        contract: the planner's contract.
    """

    role = "planner"

    def __init__(self, steps: list[JsonObject], *, contract: AgentContract | None = None) -> None:
        super().__init__(contract=contract)
        self._steps = steps

    async def _work(self, request: AgentRequest) -> JsonObject:
        types = ", ".join(str(step["type"]) for step in self._steps)
        return {"steps": self._steps, "understood": [f"asked for: {types}"], "not_understood": [], "skipped": []}
