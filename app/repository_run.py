"""A run whose plan is said by the command: crawl a repository, write test cases, engineer tests (A-01)."""

from __future__ import annotations

from dataclasses import replace

from ..agents.embedded.plan.repository_steps import Depth, E2eFramework, FixedPlanner, Goal, repository_steps
from ..config.settings import Settings
from ..core.events import EventSink
from ..store.files.run_folder import new_run_id
from .container import open_run
from .run_lifecycle import Ended, started

_REQUESTS: dict[Goal, str] = {
    "crawl": "crawl this repository, {depth} depth",
    "cases": "write test cases for this repository, {depth} depth",
    "engineer": "test this repository with {framework}, {depth} depth",
}


async def explore_repository(
    goal: Goal,
    settings: Settings,
    *,
    depth: Depth = "standard",
    ref: str | None = None,
    framework: E2eFramework = "playwright",
    on_event: EventSink | None = None,
) -> Ended:
    """A run of the three agents of A-01, as far as the goal.

    Its folder then holds `repository.json`, `test-cases.json` and `engineered.json`, as far as it came.

    Args:
        ref: a branch or full commit id that must be checked out; None for whatever is.

    Raises:
        EnvironmentFault, StorageError: what is missing, with advice.
    """
    run_id = settings.run_id or new_run_id()
    steps = repository_steps(goal, depth=depth, ref=ref, framework=framework)
    async with (
        open_run(settings, run_id, on_event=on_event) as live,
        FixedPlanner(steps) as planner,
    ):
        services = replace(live.services, agents={**live.services.agents, "planner": planner})
        request = _REQUESTS[goal].format(depth=depth, framework=framework)
        return await started(replace(live, services=services), request)
