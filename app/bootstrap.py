"""The light half of opening a run: its locks, folder, log and target, and the first spec begun (T-16).

Graphs, tools and the database take a second or two to be read into memory. What a run does first needs none of them,
and most of it is done by other processes; so it is at work while they are read.
"""

from __future__ import annotations

import asyncio
import os
import shlex
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager, suppress
from dataclasses import dataclass, field
from typing import Any

from ..agents.contract.planner_inputs import planner_inputs
from ..agents.embedded.plan.planner_agent import EmbeddedPlannerAgent
from ..agents.embedded.specs.first_tests import FirstTests
from ..agents.embedded.specs.prefetched_spec import PrefetchedSpecGenerator
from ..config.settings import Settings
from ..core.errors import TestwrightError
from ..core.events import EventSink, EventType
from ..store.files.event_log import EventLog
from ..store.files.lock import project_lock, run_lock
from ..store.files.run_folder import RunFolder
from ..utils.redact import Redactor
from ..utils.work_meter import WorkMeter
from ..vcs.changed_code import changed_code
from .target_provider import TargetProvider
from .unit_specifier import unit_specifier

_UNIT_STEP = "generate_unit_tests"


@dataclass(slots=True)
class BegunRun:
    """What is open of a run from its beginning to its end.

    Attributes:
        meter: when work was in flight.
        target: prepares the target's environment on first use, once.
        unit: specifies unit tests; with the first spec of the plan begun, where that was possible.
        changes: what the run is limited to, as plain data; None for no limit.
        told: whether the log has the run's start already.
        began_at: when this session began, seconds since the epoch.
    """

    settings: Settings
    folder: RunFolder
    redactor: Redactor
    events: EventLog
    meter: WorkMeter
    target: TargetProvider
    unit: PrefetchedSpecGenerator
    changes: dict[str, Any] | None = None
    told: bool = False
    began_at: float = field(default_factory=time.time)

    @property
    def seconds(self) -> float:
        """Wall seconds since this session began."""
        return max(0.0, time.time() - self.began_at)

    def start(self, request: str) -> None:
        """Put on record that the run has started; only the first call does."""
        if not self.told:
            self.told = True
            self.events.emit(EventType.STARTED, f"started: {request}")


async def changes_of(settings: Settings) -> dict[str, Any] | None:
    """What the settings limit a run to, as the planner is told it; None where they do not.

    Raises:
        HistoryError, EnvironmentFault: git cannot say what has changed; the advice says what to do.
    """
    if settings.changed_since is None:
        return None
    return (await asyncio.to_thread(changed_code, settings.root, settings.changed_since)).to_dict()


@asynccontextmanager
async def begun(
    settings: Settings, run_id: str, *, on_event: EventSink | None = None, request: str | None = None
) -> AsyncIterator[BegunRun]:
    """The beginning of a run, held until the block ends.

    Args:
        run_id: the run's folder is made when it is new.
        on_event: told of every event, in order.
        request: what a new run is asked for; its first spec is begun at once where no model is to be asked for the
            plan or for the spec, and no ceiling on time to be shared out. None begins with nothing.

    Raises:
        HistoryError: git cannot say what has changed since `changed_since`.
        RunLocked: somebody works on the run, or on the project.
        StorageError: the state folder cannot be used.
    """
    changes = await changes_of(settings)
    folder, meter = RunFolder(settings.state, run_id), WorkMeter()
    redactor = Redactor.from_environment(os.environ)
    with _logged(settings, folder, redactor) as (events, new):
        if on_event is not None:
            events.subscribe(on_event)
        target = TargetProvider(settings, folder, meter, events=events)
        first = _first_tests(folder, target, events) if settings.run else None
        unit = PrefetchedSpecGenerator(unit_specifier(settings, target, first))
        begun_run = BegunRun(settings, folder, redactor, events, meter, target, unit, changes)
        planning: asyncio.Task[None] | None = None
        if request is not None and new and _may_begin(settings):
            begun_run.start(request)
            planning = asyncio.ensure_future(_first_spec_begun(begun_run, request))
        try:
            yield begun_run
        finally:
            if planning is not None:
                await _given_up(planning)
            await unit.close()
            if first is not None:
                await first.close()
            await target.discard()


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
    )


async def _given_up(work: asyncio.Task[None]) -> None:
    work.cancel()
    await asyncio.wait((work,))
    if not work.cancelled():
        work.exception()


def _may_begin(settings: Settings) -> bool:
    """Whether plan and spec are made in this process by nobody but itself, and in its own time."""
    models = settings.models
    alone = models.of("planner") is None and models.of("spec") is None and not settings.isolate_agents
    return alone and settings.max_seconds is None  # what a spec gets of a ceiling is known to the graph only


async def _first_spec_begun(run: BegunRun, request: str) -> None:
    """Begin with the spec of the plan's first step, where that is one of unit tests, while the target is made ready.

    What goes wrong here goes wrong again where it belongs, and is told there.
    """
    with suppress(TestwrightError):
        async with run.target.ahead():
            inputs = await asyncio.to_thread(_first_spec, run, request)
            if inputs is not None:
                run.unit.begin(inputs)
            await run.target()


def _first_spec(run: BegunRun, request: str) -> dict[str, Any] | None:
    """What the first spec of the plan is asked for with; None where it is none of unit tests."""
    planner = EmbeddedPlannerAgent(command=shlex.split(run.settings.app_command or ""))
    plan = planner.plan(planner_inputs_for(run.settings, request, run.changes))
    generate = [step for step in plan["steps"] if str(step["type"]).startswith("generate_")]
    if not generate or generate[0]["type"] != _UNIT_STEP:
        return None
    params = generate[0]["params"]
    asked = {"target": params["target"], "framework": params["framework"]}
    return {**asked, "test_type": "unit", "user_request": request}


def _first_tests(folder: RunFolder, target: TargetProvider, events: EventLog) -> FirstTests:
    """Shows the first tests of a run while it is at work."""

    def told(path: str, passing: int) -> None:
        message = f"The first {passing} tests pass; a look ahead of the suite: {path}"
        events.emit(EventType.PROGRESS, message, first_tests=passing, path=path)

    return FirstTests(target, folder.first, told)


@contextmanager
def _logged(settings: Settings, folder: RunFolder, redactor: Redactor) -> Iterator[tuple[EventLog, bool]]:
    """The run's locks, folder and log of events, and whether it has just been made."""
    with project_lock(settings.state, settings.root, f"run {folder.run_id}"):
        new = not folder.path.exists()
        with run_lock(folder.create()):
            events = EventLog(folder.events_jsonl, redactor.value)
            try:
                yield events, new
            finally:
                events.close()
