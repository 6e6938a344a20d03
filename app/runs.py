"""Starts new runs: a whole run, a run until its spec, a run from a given spec, a run of the repository agents.

Importing graphs, tools and the database takes seconds. They are imported inside the functions, so that `run` can import
them while other processes already prepare the target; module level stays free of heavy imports.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import AbstractContextManager, asynccontextmanager, nullcontext
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from ..config.settings import Settings
from ..core.errors import RequestError
from ..core.events import EventSink
from ..core.outcome import ExitReason
from ..store.files.run_folder import RunFolder, new_run_id
from ..utils.untrusted_folders import remove_tree
from .bootstrap import Ask, open_early
from .request_settings import require_request, settings_for_request

if TYPE_CHECKING:
    from ..agents.embedded.plan.repository_steps import E2eFramework, Goal
    from ..engine.repository.survey import Depth
    from ..graph.execution_graph.state import TestingAgentState
    from ..graph.planning_graph.planning_state import PlanningAgentState
    from .container import LiveRun
    from .run_lifecycle import GraphSession
    from .run_report import RunResult

ImportContext = Callable[[], AbstractContextManager[None]]
"""Makes a context manager that is held while heavy modules are imported."""

_REPOSITORY_REQUESTS: dict[Goal, str] = {
    "crawl": "crawl this repository, {depth} depth",
    "cases": "write test cases for this repository, {depth} depth",
    "engineer": "test this repository with {framework}, {depth} depth",
}


@dataclass(frozen=True, slots=True)
class SingleTargetRequest:
    """The request of a run that stops at, or starts from, the spec of one target.

    Attributes:
        request: what the planner reads; it names no target by itself.
        target: the module or symbol.
        context: further text for the agents after the planner.
        spec_name: name of the given spec; "" when the run generates its own.
    """

    request: str
    target: str
    context: str = ""
    spec_name: str = ""

    @property
    def full_text(self) -> str:
        """The request as it is stored, and as the agents after the planner read it."""
        source = f" from the spec {self.spec_name}" if self.spec_name else ""
        text = f"{self.request}{source} for {self.target}"
        return f"{text}\n\n{self.context}" if self.context.strip() else text


async def run(
    request: str,
    settings: Settings,
    *,
    on_event: EventSink | None = None,
    importing: ImportContext = nullcontext,
    ask: Ask | None = None,
    agents: Mapping[str, Any] | None = None,
) -> RunResult:
    """Run a request to its report.

    Args:
        ask: puts a question about a risky step to the user; None where nobody can be asked.
        agents: agents and functions of the caller's own, by role.

    Raises:
        UsageError: the request is empty or names nothing that was found, or the run id is taken.
        EnvironmentFault, StorageError: what is missing, with advice; accepted tests are never lost.
    """
    require_request(request)
    settings = settings_for_request(request, settings)
    run_id, is_resumable = settings.run_id or new_run_id(), True
    try:
        early_run = open_early(settings, run_id, on_event=on_event, request=request, ask=ask, agents=agents)
        async with early_run as early:
            # Until the run is recorded in the database, an interruption would leave a new folder nobody can resume.
            is_resumable = not early.is_announced
            await asyncio.to_thread(_import_heavy_modules, importing)
            is_resumable = True
            from ..graph.running import start_run
            from .container import open_services
            from .run_lifecycle import initial_state, reported_run

            # The report is written while the services are still open: it reads the database.
            async with open_services(early) as live, reported_run(live, request) as execution:
                execution.state = await start_run(initial_state(live, request), live.context, live.services)
            return execution.result
    except RequestError:
        forget(settings, run_id)
        raise
    finally:
        if not is_resumable:
            remove_tree(RunFolder(settings.state, run_id).path, ignore_errors=True)


async def run_until_spec(
    wanted: SingleTargetRequest, settings: Settings, *, on_event: EventSink | None = None
) -> TestingAgentState:
    """Start a run and stop it once its spec is written, to be resumed later.

    Returns:
        The state of the testing graph: `phase` is `code_generation` when the spec is valid.

    Raises:
        RequestError: the target was not found, or is ambiguous.
        TestwrightError: anything else that prevented the spec.
    """
    from ..graph.partial_runs import run_until_spec as run_graph_until_spec
    from .run_lifecycle import error_from_payload, run_scope

    async with open_new_run(settings, on_event) as live:
        with run_scope(live, wanted.full_text) as scope:
            planned = await _plan_single_target(live, wanted)
            if not planned["plan"]:
                raise error_from_payload(planned["failure"] or {}, "no plan could be made")
            state = await run_graph_until_spec(planned, live.context, live.services)
            if state["failure"]:
                raise error_from_payload(state["failure"])
            is_valid = state["phase"] == "code_generation"
            scope.reason = ExitReason.SPEC_READY if is_valid else ExitReason.NOTHING_KEPT
        return state


async def run_one_target(
    wanted: SingleTargetRequest, settings: Settings, *, on_event: EventSink | None = None
) -> TestingAgentState:
    """Run the testing graph for one target; its tests are staged in the run's folder, and no report is written.

    Raises:
        RequestError: the target was not found, or is ambiguous.
        RunTerminated: the safety gate rejected it.
        TestwrightError: anything else that prevented tests.
    """
    from ..graph.partial_runs import run_target
    from .run_lifecycle import error_from_payload, run_scope

    async with open_new_run(settings, on_event) as live:
        with run_scope(live, wanted.full_text, is_resumable=False) as scope:
            planned = await _plan_single_target(live, wanted)
            if not planned["plan"]:
                raise error_from_payload(planned["failure"] or {}, "no plan could be made")
            state = await run_target(planned, live.context, live.services)
            if state["failure"]:
                raise error_from_payload(state["failure"])
            scope.reason = ExitReason.COMPLETED if state["kept"] else ExitReason.NOTHING_KEPT
        return state


async def run_from_spec(
    wanted: SingleTargetRequest, spec: Mapping[str, Any], settings: Settings, *, on_event: EventSink | None = None
) -> RunResult:
    """Run from a given spec to the report.

    Raises:
        RequestError: the spec's target was not found.
        TestwrightError: as for any run.
    """
    from ..graph.partial_runs import supply_spec
    from ..graph.running import resume_run
    from .run_lifecycle import reported_run

    # A spec that was given says which tests are wanted: no further ones are made of what it leaves out.
    settings = settings.model_copy(update={"control": settings.control.model_copy(update={"goal": "off"})})
    async with open_new_run(settings, on_event) as live, reported_run(live, wanted.full_text) as execution:
        execution.state = await _plan_single_target(live, wanted)
        if execution.state["plan"]:
            await supply_spec(execution.state, spec, live.context, live.services)
            execution.state = await resume_run(live.context, live.services)
    return execution.result


async def explore_repository(
    goal: Goal,
    settings: Settings,
    *,
    depth: Depth = "standard",
    ref: str | None = None,
    framework: E2eFramework = "playwright",
    on_event: EventSink | None = None,
) -> RunResult:
    """Run the three repository agents (crawler, case writer, engineer) up to the goal; the plan is fixed.

    The run's folder then holds `repository.json`, `test-cases.json` and `engineered.json`, as far as the goal asks.

    Args:
        ref: a branch or full commit id that must be checked out; None accepts any.

    Raises:
        EnvironmentFault, StorageError: what is missing, with advice.
    """
    from ..agents.contract.contracts import contract_of
    from ..agents.embedded.plan.repository_steps import FixedPlanner, repository_steps
    from ..graph.running import start_run
    from .run_lifecycle import initial_state, reported_run

    steps = repository_steps(goal, depth=depth, ref=ref, framework=framework)
    request = _REPOSITORY_REQUESTS[goal].format(depth=depth, framework=framework)
    async with (
        open_new_run(settings, on_event) as live,
        FixedPlanner(steps, contract=contract_of("planner")) as planner,
        reported_run(live, request) as execution,
    ):
        services = replace(live.services, agents={**live.services.agents, "planner": planner})
        execution.state = await start_run(initial_state(live, request), live.context, services)
    return execution.result


@asynccontextmanager
async def graph_session(
    request: str, settings: Settings, *, on_event: EventSink | None = None, interrupts: bool = False
) -> AsyncIterator[GraphSession]:
    """Open a run whose planning graph the caller invokes as a node of its own graph.

    Args:
        interrupts: the safety gate asks by `interrupt()`.

    Raises:
        UsageError: the run id is taken.
        StorageError: state cannot be kept.
    """
    settings = settings_for_request(request, settings)
    from .run_lifecycle import embedded_graph_session

    async with open_new_run(settings, on_event) as live:
        with embedded_graph_session(live, request, interrupts=interrupts) as session:
            yield session


def forget(settings: Settings, run_id: str) -> None:
    """Delete a run whose request matched nothing, so that its id is free for the next request."""
    from .opened_store import open_store

    with open_store(settings) as store:
        store.remove_run(run_id)
    remove_tree(RunFolder(settings.state, run_id).path, ignore_errors=True)


@asynccontextmanager
async def open_new_run(settings: Settings, on_event: EventSink | None) -> AsyncIterator[LiveRun]:
    """Open a new run for the block; a RequestError deletes it again, since its request matches nothing.

    Raises:
        RunLocked, SettingsError, EnvironmentFault, StorageError: see `open_run`.
    """
    from .container import open_run

    run_id = settings.run_id or new_run_id()
    try:
        async with open_run(settings, run_id, on_event=on_event) as live:
            yield live
    except RequestError:
        await asyncio.to_thread(forget, settings, run_id)
        raise


async def _plan_single_target(live: LiveRun, wanted: SingleTargetRequest) -> PlanningAgentState:
    from ..graph.partial_runs import plan_one_target
    from .run_lifecycle import initial_state

    state: PlanningAgentState = {**initial_state(live, wanted.request), "target": wanted.target}
    return await plan_one_target(state, live.context, live.services, request=wanted.full_text, name=wanted.spec_name)


def _import_heavy_modules(importing: ImportContext) -> None:
    """Import graphs, tools, the database and the report, which `run` uses from then on."""
    with importing():
        from . import container, run_lifecycle  # noqa: F401 - imported for the module cache
