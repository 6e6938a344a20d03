"""Plans the steps that map a repository and write end-to-end tests, and the planner for a fixed plan."""

from __future__ import annotations

from typing import Literal

from ....engine.repository.survey import Depth
from ...contract.lifecycle import Agent, AgentContract
from ...contract.protocol import AgentRequest, JsonObject
from .request.parsed_request import ParsedRequest

E2eFramework = Literal["playwright", "maestro"]
Goal = Literal["crawl", "cases", "engineer"]

CRAWL = "crawl_repository"
CASES = "write_test_cases"
ENGINEER = "engineer_tests"
ACCEPT = "accept_tests"


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


def repository_plan(words: ParsedRequest) -> JsonObject | None:
    """Build the plan for a request for a repository's end-to-end tests at a depth; None for other requests."""
    kinds = set(words.test_types)
    if words.depth is None or not kinds <= {"e2e"} or not words.whole:
        return None
    known: tuple[E2eFramework, ...] = ("playwright", "maestro")
    wanted: list[E2eFramework] = [name for name in known if name in words.frameworks]
    if words.frameworks and not wanted:
        return None
    framework: E2eFramework = wanted[0] if wanted else "playwright"
    steps = repository_steps("engineer", depth=words.depth, framework=framework)
    understood = f"The whole repository at {words.depth} depth: crawl it, write test cases, engineer {framework} tests."
    return {"steps": steps, "understood": [understood], "not_understood": _not_mapped(words), "skipped": []}


def _not_mapped(words: ParsedRequest) -> list[JsonObject]:
    """List what a plan for a whole repository cannot take into account."""
    reason = "the request is about the whole repository, which is mapped as it is"
    texts = [mention.text for mention in words.mentions if not mention.weak]
    texts += ["only what has no tests"] if words.only_untested else []
    texts += ["only what has changed"] if words.changed_since else []
    texts += ["the most complex"] if words.most_complex else []
    rows: list[JsonObject] = [{"text": text, "reason": reason, "suggestions": []} for text in dict.fromkeys(texts)]
    return rows + [{"text": text, "reason": why, "suggestions": []} for text, why in words.unknown]


_STEPS_IN_WORDS = {
    "crawl_repository": "map the repository",
    "write_test_cases": "write test cases in words",
    "engineer_tests": "write test files of them",
}


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
        kinds = [_STEPS_IN_WORDS.get(str(step["type"]), str(step["type"])) for step in self._steps]
        said = f"{kinds[0][:1].upper()}{', then '.join(kinds)[1:]}." if kinds else "No step."
        return {"steps": self._steps, "understood": [said], "not_understood": [], "skipped": []}
