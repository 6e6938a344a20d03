"""Opens the light half of a run: its locks, folder, event log and the target's copy; prefetches the first spec.

Importing graphs, tools and the database takes a second or two. A run's first work needs none of them and is mostly done
by other processes, so it starts here while they are imported. This module must stay free of heavy imports.
"""

from __future__ import annotations

import asyncio
import os
import shlex
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Collection, Iterator, Mapping
from contextlib import asynccontextmanager, contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ..agents.contract.planner_inputs import planner_inputs
from ..agents.embedded.plan.planner_agent import EmbeddedPlannerAgent
from ..agents.embedded.specs.first_tests import FirstTests
from ..agents.embedded.specs.script_specs import ScriptSpecGenerator, SpecsByLanguage
from ..agents.embedded.specs.spec_agent import PrefetchedSpec, SpecGenerator
from ..agents.embedded.specs.unit_specs import CachedSpecGenerator, UnitSpecGenerator
from ..config.settings import Settings
from ..core.errors import TestwrightError
from ..core.events import EventSink, EventType
from ..engine.python.explore.explore import ExplorationBudget
from ..engine.python.model.mutant_search import MutantSearchLimits
from ..sandbox.target import ProvideTarget, remove_abandoned
from ..store.files.event_log import EventLog
from ..store.files.lock import project_lock, remove_scratch_of_dead_runs, run_lock
from ..store.files.run_folder import RunFolder
from ..utils.redact import Redactor
from ..utils.work_meter import WorkMeter
from ..vcs.changed_code import changed_code
from .target.provider import TargetProvider

# Mutants that exploration searches for each one that the gate measures by: tests that kill many kill a new sample, too.
_SEARCHED_MUTANTS = 9
_SCRIPT_MUTANTS = 8
_UNIT_STEP = "generate_unit_tests"


Ask = Callable[[str], Awaitable[bool]]
"""Puts a question to the user; the answer is whether it was yes."""


@dataclass
class EarlyRun:
    """The light half of an open run.

    Attributes:
        meter: measures when work was in flight.
        target: prepares the target's environment on first use, once.
        unit: generates specs of unit tests.
        prefetched: the plan's first spec, if it was started early.
        changes: limits the run to changed code, as plain data; None for no limit.
        ask: puts a question to the user; None where nobody can be asked.
        agents: agents and functions of the caller's own, by role; they come before those of the settings.
        first: writes the first tests of the run; None for no preview.
        is_announced: whether the event log has the run's start already.
        began_at: when this session began, seconds since the epoch.
    """

    settings: Settings
    folder: RunFolder
    redactor: Redactor
    events: EventLog
    meter: WorkMeter
    target: TargetProvider
    unit: SpecGenerator
    prefetched: PrefetchedSpec
    changes: dict[str, Any] | None = None
    ask: Ask | None = None
    agents: Mapping[str, Any] = field(default_factory=dict)
    first: FirstTests | None = None
    is_announced: bool = False
    began_at: float = field(default_factory=time.time)

    @property
    def seconds(self) -> float:
        """Wall seconds since this session began."""
        return max(0.0, time.time() - self.began_at)

    def announce(self, request: str) -> None:
        """Emit the event of the run's start; later calls do nothing."""
        if not self.is_announced:
            self.is_announced = True
            self.events.emit(EventType.STARTED, f"started: {request}")
            if self.settings.ignored:
                self.events.emit(EventType.PROGRESS, self.settings.ignored, warning=self.settings.ignored)


async def load_changes(settings: Settings) -> dict[str, Any] | None:
    """The changed code that the settings limit a run to, as plain data; None for no limit.

    Raises:
        HistoryError, EnvironmentFault: git cannot say what has changed; with advice.
    """
    if settings.changed_since is None:
        return None
    return (await asyncio.to_thread(changed_code, settings.root, settings.changed_since)).to_dict()


def planner_inputs_for(settings: Settings, request: str, changes: dict[str, Any] | None) -> dict[str, Any]:
    """The planner's inputs for a request under these settings."""
    return planner_inputs(
        request,
        str(settings.root),
        test_type=settings.test_type,
        target=settings.target,
        framework=settings.framework,
        tests_dir=settings.tests_dir,
        changes=changes,
        limits=planner_limits(settings),
    )


def planner_limits(settings: Settings) -> dict[str, Any] | None:
    """What the settings say of the plan's targets, as plain data; None where they say nothing."""
    limits = {
        "include": list(settings.include) or None,
        "exclude": list(settings.exclude) or None,
        "strict": settings.strict,
    }
    return {name: value for name, value in limits.items() if value is not None} or None


def exploration_budget(settings: Settings) -> ExplorationBudget:
    """The limits on the exploration of one target."""
    mutants = MutantSearchLimits(mutants=_SEARCHED_MUTANTS * settings.mutants)
    return ExplorationBudget(trials=settings.trials, wall_seconds=settings.step_seconds, mutant_search=mutants)


def script_spec_generator(settings: Settings, target: ProvideTarget, *, flows: bool = False) -> ScriptSpecGenerator:
    """Create what generates specs of tests of scripts: unit tests, or integration tests (`flows`)."""
    return ScriptSpecGenerator(target, mutants=_SCRIPT_MUTANTS * settings.mutants, flows=flows)


def unit_spec_generator(settings: Settings, target: ProvideTarget, first: FirstTests | None = None) -> SpecGenerator:
    """Create what generates specs of unit tests, with a cache of the specs of earlier runs if the settings allow it.

    Args:
        target: prepares the target's environment when it is first needed.
        first: previews the first tests of a run; None for no preview.
    """
    budget = exploration_budget(settings)
    unit = UnitSpecGenerator(target, settings.root, budget=budget, first=first, examples=settings.examples)
    scripts = script_spec_generator(settings, target)
    if not settings.cache:
        return SpecsByLanguage(unit, scripts)
    cached = CachedSpecGenerator(
        unit,
        target,
        settings.cache_dir,
        budget={
            "trials": settings.trials,
            "mutants": settings.mutants,
            "examples": settings.examples,
            "env": settings.env,
        },
        most_bytes=settings.cache_mib * 1024 * 1024,
        fresh=settings.fresh,
    )
    return SpecsByLanguage(cached, scripts)


@asynccontextmanager
async def open_early(
    settings: Settings,
    run_id: str,
    *,
    on_event: EventSink | None = None,
    request: str | None = None,
    ask: Ask | None = None,
    agents: Mapping[str, Any] | None = None,
    shared_since: float | None = None,
) -> AsyncIterator[EarlyRun]:
    """Open the light half of a run for the block.

    Args:
        run_id: the run's folder is created when it is new.
        on_event: called with every event, in order.
        ask: puts a question to the user; None where nobody can be asked.
        agents: agents and functions of the caller's own, by role.
        request: of a new run, whose first spec is prefetched where `_can_prefetch` allows. None prefetches nothing.
        shared_since: other processes work on the run as well, since then, in seconds since the epoch.

    Raises:
        HistoryError: git cannot say what has changed since `changed_since`.
        RunLocked: another process works on the run or on the project.
        StorageError: the state folder cannot be used.
    """
    changes = await load_changes(settings)
    folder, meter = RunFolder(settings.state, run_id), WorkMeter()
    redactor = Redactor.from_environment({**os.environ, **settings.variables})
    is_shared = shared_since is not None
    with _open_log(settings, folder, redactor, shared=is_shared) as (events, is_new):
        await asyncio.to_thread(_remove_dead_copies, settings.state)
        if on_event is not None:
            events.subscribe(on_event)
        target = TargetProvider(settings, folder, meter, events=events)
        first = _first_tests(settings.root, folder, target, events) if settings.run else None
        unit, prefetched = unit_spec_generator(settings, target, first), PrefetchedSpec()
        early = EarlyRun(
            settings, folder, redactor, events, meter, target, unit, prefetched, changes, ask, agents or {}, first
        )
        if shared_since is not None:
            early.began_at = shared_since
        prefetching: asyncio.Task[None] | None = None
        if request is not None and is_new and _can_prefetch(settings, {*settings.agents, *(agents or ())}):
            early.announce(request)
            prefetching = asyncio.ensure_future(_prefetch_first_spec(early, request))
        try:
            yield early
        finally:
            if prefetching is not None:
                await _cancel(prefetching)
            await prefetched.close()
            if first is not None:
                await first.close()
            await target.discard()


async def _cancel(task: asyncio.Task[None]) -> None:
    task.cancel()
    await asyncio.wait((task,))
    if not task.cancelled():
        task.exception()  # retrieved so that asyncio does not warn; the graph meets the same error where it belongs


def _can_prefetch(settings: Settings, own: Collection[str]) -> bool:
    """Whether our own agents make plan and spec here, without a model, a ceiling on time or a gate to wait for."""
    models = settings.models
    if is_gated(settings, own):
        return False
    elsewhere = settings.isolate_agents or bool({"planner", "spec"}.intersection(own))
    is_local = models.of("planner") is None and models.of("spec") is None and not elsewhere
    return is_local and settings.max_seconds is None  # only the graph knows a step's share of a ceiling on time


def is_gated(settings: Settings, own: Collection[str]) -> bool:
    """Whether the safety gate has to decide before anything of the project is touched.

    The user's own may reject what would have run already, and without isolation nothing runs before a gate has decided.

    Args:
        own: roles with an agent of the user's own.
    """
    return "safety" in own or settings.sandbox == "weak"


async def _prefetch_first_spec(run: EarlyRun, request: str) -> None:
    """Say how the request is understood, and start on the plan's first spec, if that is one of unit tests.

    The target is prepared meanwhile. Errors are dropped: the graph asks for the same again and reports them.
    """
    with suppress(TestwrightError):
        async with run.target.ahead():
            plan = await asyncio.to_thread(_early_plan, run, request)
            understood = [str(said) for said in plan.get("understood", ())]
            inputs = _first_spec_inputs(plan, request)
            exploring = {} if inputs is None else {"exploring": str(inputs["target"]["path"])}
            if understood:
                run.events.emit(EventType.PROGRESS, understood[0], understood=understood, **exploring)
            if inputs is not None:
                run.prefetched.begin(run.unit, inputs)
            await run.target()


def _early_plan(run: EarlyRun, request: str) -> dict[str, Any]:
    """The plan that the graph will make. Raises RequestError."""
    planner = EmbeddedPlannerAgent(
        command=shlex.split(run.settings.app_command or ""),
        application=run.settings.app_object or "",
        url=run.settings.app_url or "",
    )
    return planner.plan(planner_inputs_for(run.settings, request, run.changes))


def _first_spec_inputs(plan: Mapping[str, Any], request: str) -> dict[str, Any] | None:
    """The inputs of the plan's first spec, equal to what the graph will send; None unless it is for unit tests."""
    generate = [step for step in plan["steps"] if str(step["type"]).startswith("generate_")]
    if not generate or generate[0]["type"] != _UNIT_STEP:
        return None
    params = generate[0]["params"]
    return {
        "target": params["target"],
        "framework": params["framework"],
        "test_type": "unit",
        "user_request": request,
    }


def _first_tests(root: Path, folder: RunFolder, target: TargetProvider, events: EventLog) -> FirstTests:
    """Publishes the first passing tests of a run while it is still working."""

    def announce(path: str, passing: int) -> None:
        tests = "test passes" if passing == 1 else f"{passing} tests pass"
        message = f"The first {tests}; a preview of the suite: {path}"
        events.emit(EventType.PROGRESS, message, first_tests=passing, path=path)

    return FirstTests(target, root, folder.first, announce)


def _remove_dead_copies(state: Path) -> None:
    """Delete copies of projects that earlier processes left when they were killed."""
    remove_scratch_of_dead_runs(state)
    remove_abandoned(state)


@contextmanager
def _open_log(
    settings: Settings, folder: RunFolder, redactor: Redactor, *, shared: bool
) -> Iterator[tuple[EventLog, bool]]:
    """Take the locks of project and run; yields the event log, and whether the run's folder is new."""
    with project_lock(settings.state, settings.root, f"run {folder.run_id}", shared=shared):
        is_new = not folder.path.exists()
        with run_lock(folder.create(), shared=shared):
            events = EventLog(folder.events_jsonl, redactor.value)
            try:
                yield events, is_new
            finally:
                events.close()
