"""Builds the live things of a run from its settings: the only place that knows all rooms."""

from __future__ import annotations

import asyncio
import os
import uuid
from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from .agents.embedded.first_tests import FirstTests
from .agents.lifecycle import Agent
from .agents.model.usage import Budget, Spend
from .agents.protocol import AgentProtocol
from .changes.changed_code import changed_code
from .engine.python.layout import find_layout
from .errors import UsageError
from .events import EventSink, EventType
from .graph.checkpoints import open_checkpoints
from .graph.context import GraphServices, RunContext
from .isolated_agents import isolated_agents
from .mcp.client import ToolClient
from .mcp.services import ToolServices
from .mcp.toolbox import build_toolbox
from .metered import MeteredAgent, MeteredSandbox
from .model_chats import Chats, RunAnswers, open_chats
from .repository_roles import repository_agents
from .role_agents import role_agents
from .run_tools import open_tools
from .sandbox.interpreter import Interpreter
from .sandbox.opening import open_sandbox
from .sandbox.protocol import Sandbox
from .sandbox.target import PythonTarget, prepare_target
from .settings import Settings
from .store.artifacts import Artifact, Artifacts
from .store.audit import Attempt, AuditLog
from .store.database import Store
from .store.event_log import EventLog
from .store.lock import project_lock, run_lock
from .store.run_folder import RunFolder
from .utils.redact import Redactor
from .utils.work_meter import WorkMeter

_RUN_IDS = uuid.UUID("0b1f7d0c-6c5e-5d0e-9b56-7f3d1c0a9e42")


def request_id_of(run_id: str) -> str:
    """The UUID that contracts, checkpoints and artifacts know a run by: the id itself when it is one."""
    try:
        return str(uuid.UUID(run_id))
    except ValueError:
        return str(uuid.uuid5(_RUN_IDS, run_id))


class RunArtifacts:
    """A run's artifacts: contracts know the run by its UUID, the store by the name it was given."""

    def __init__(self, artifacts: Artifacts, run_id: str) -> None:
        self._artifacts = artifacts
        self._run_id = run_id

    def put(self, run_id: str, kind: str, payload: Any, *, meta: Mapping[str, Any]) -> Artifact:
        """See `Artifacts.put`."""
        return replace(self._artifacts.put(self._run_id, kind, payload, meta=meta), run_id=run_id)

    def get(self, artifact_id: str) -> Artifact:
        """See `Artifacts.get`."""
        return replace(self._artifacts.get(artifact_id), run_id=request_id_of(self._run_id))


@dataclass
class LiveRun:
    """What is open while a run is worked on.

    Attributes:
        context: what the graphs are called with.
        services: what their nodes work with.
        meter: when work was in flight.
        target: prepares the target's environment on first use, once.
        chats: the models that are asked, and what they spent.
        changes: what the run is limited to, as plain data; None for no limit.
    """

    settings: Settings
    folder: RunFolder
    store: Store
    events: EventLog
    redactor: Redactor
    context: RunContext
    services: GraphServices
    tools: ToolClient
    meter: WorkMeter
    target: TargetProvider
    chats: Chats
    changes: dict[str, Any] | None = None


async def changes_of(settings: Settings) -> dict[str, Any] | None:
    """What the settings limit a run to, as the planner is told it; None where they do not.

    Raises:
        HistoryError, EnvironmentFault: git cannot say what has changed; the advice says what to do.
    """
    if settings.changed_since is None:
        return None
    return (await asyncio.to_thread(changed_code, settings.root, settings.changed_since)).to_dict()


def interpreter_in_words(interpreter: Interpreter) -> str:
    """Path and version of the target's interpreter, as the report has them."""
    return f"{interpreter.path} {'.'.join(str(part) for part in interpreter.version[:3])}"


class TargetProvider:
    """Prepares the copy of the project and its interpreter when somebody first needs them.

    Concurrent callers share one preparation; one that failed is tried again by the next caller.
    """

    def __init__(
        self,
        settings: Settings,
        folder: RunFolder,
        meter: WorkMeter,
        *,
        scratch: Path | None = None,
        events: EventLog | None = None,
    ) -> None:
        self._settings = settings
        self._events = events
        self._scratch = scratch or folder.scratch
        self._meter = meter
        self._lock = asyncio.Lock()
        self._prepared: PythonTarget | None = None

    async def __call__(self) -> PythonTarget:
        """The target's environment.

        Raises:
            SandboxUnavailable, InterpreterError, EnvironmentFault, ProjectError: what is missing, with advice.
        """
        async with self._lock:
            if self._prepared is None:
                with self._meter.working():
                    self._prepared = await self._prepare()
                self._tell(self._prepared)
            return self._prepared

    @property
    def interpreter(self) -> Interpreter | None:
        """What runs the target's code; None as long as nobody has needed it."""
        return self._prepared.interpreter if self._prepared is not None else None

    @asynccontextmanager
    async def ahead(self) -> AsyncIterator[None]:
        """Prepare while something else is begun with inside the block: whoever needs it later waits less."""
        preparing = asyncio.ensure_future(self())
        try:
            yield
        finally:
            preparing.cancel()
            await asyncio.wait((preparing,))
            if not preparing.cancelled():
                preparing.exception()  # whoever needs the target tries again, and tells what is wrong

    def _tell(self, target: PythonTarget) -> None:
        """Put on record what code ran in, for the report of a session that resumes after the last of it."""
        if self._events is not None:
            facts = {"sandbox": target.sandbox.kind, "interpreter": interpreter_in_words(target.interpreter)}
            self._events.emit(EventType.PROGRESS, f"{facts['sandbox']}, {facts['interpreter']}", **facts)

    async def discard(self) -> None:
        """Delete the copy of the project, if one was made."""
        if self._prepared is not None:
            await self._prepared.discard()

    async def _prepare(self) -> PythonTarget:
        settings = self._settings
        sandbox: Sandbox = await asyncio.to_thread(open_sandbox, settings.sandbox)
        layout = await asyncio.to_thread(find_layout, settings.root)
        return await prepare_target(
            settings.root,
            sandbox=MeteredSandbox(sandbox, self._meter),
            python=settings.python,
            state=self._scratch,
            cache=settings.state / "cache",
            import_roots=layout.import_roots,
            exclude=[settings.state],
        )


@asynccontextmanager
async def open_run(
    settings: Settings, run_id: str, *, on_event: EventSink | None = None, seconds_before: float = 0.0
) -> AsyncIterator[LiveRun]:
    """Everything a run needs, opened in order and closed again, also when interrupted.

    Args:
        run_id: the run's folder is made when it is new.
        on_event: told of every event, in order.
        seconds_before: wall seconds of the run's sessions before this one.

    Raises:
        SettingsError: a model is to be asked and its key or price is missing; see `open_tools` for more.
        HistoryError: git cannot say what has changed since `changed_since`.
        EnvironmentFault: a tool server of the settings does not start.
        RunLocked: somebody works on the run, or on the project.
        StorageError: the state folder cannot be used.
    """
    changes = await changes_of(settings)
    folder = RunFolder(settings.state, run_id)
    redactor = Redactor.from_environment(os.environ)
    meter = WorkMeter()
    with _stored(settings, folder, redactor) as (store, events, audit):
        if on_event is not None:
            events.subscribe(on_event)
        target = TargetProvider(settings, folder, meter, events=events)

        def warn(message: str) -> None:
            events.emit(EventType.PROGRESS, message, warning=message)

        async with (
            open_tools(settings, folder, target, os.environ, warn=warn) as tools,
            open_checkpoints(folder.checkpoints) as checkpointer,
            open_chats(
                settings,
                os.environ,
                cache=settings.state / "cache",
                kept=RunAnswers(store.answers, run_id),
                seconds_before=seconds_before,
                audit=audit.record,
                waiting=meter.waiting,
            ) as chats,
            _first_tests(settings, folder, target, events) as first,
            _started(
                {
                    **role_agents(settings, target, chats.by_role, call=tools.call, first=first),
                    **repository_agents(tools, chats.by_role),
                }
            ) as agents,
        ):
            context = RunContext(
                run_id=request_id_of(run_id),
                root=str(settings.root),
                jobs=settings.jobs,
                wall_seconds=settings.max_seconds,
                max_tokens=settings.max_tokens,
                max_cost=settings.max_cost,
            )
            asked: Mapping[str, AgentProtocol] = agents
            if settings.isolate_agents:
                asked = isolated_agents(agents, settings, run_id, audit=audit.record, budget=chats.budget)
            services = GraphServices(
                agents={role: MeteredAgent(agent, meter) for role, agent in asked.items()},
                tools=tools,
                artifacts=RunArtifacts(store.artifacts, run_id),
                emit=events.emit,
                audit=audit.record,
                checkpointer=checkpointer,
                budget=chats.budget,
            )
            try:
                yield LiveRun(
                    settings, folder, store, events, redactor, context, services, tools, meter, target, chats, changes
                )
            finally:
                await target.discard()


@asynccontextmanager
async def _first_tests(
    settings: Settings, folder: RunFolder, target: TargetProvider, events: EventLog
) -> AsyncIterator[FirstTests | None]:
    """Shows the first tests of a run while it is at work; None where tests are not to be run."""
    if not settings.run:
        yield None
        return

    def told(path: str, passing: int) -> None:
        message = f"The first {passing} tests pass; a look ahead of the suite: {path}"
        events.emit(EventType.PROGRESS, message, first_tests=passing, path=path)

    first = FirstTests(target, folder.first, told)
    try:
        yield first
    finally:
        await first.close()


@asynccontextmanager
async def open_agent(
    settings: Settings,
    run_id: str,
    role: str,
    *,
    audit: Callable[[Attempt], None],
    seconds_before: float,
    given_out: set[str],
    spent: Callable[[Spend], None],
) -> AsyncIterator[tuple[Agent, Budget]]:
    """One agent of a run that another process works on, with what it needs, and the budget it spends from (A-06).

    Raises:
        UsageError: there is no such role.
    """
    folder = RunFolder(settings.state, run_id)
    target = TargetProvider(settings, folder, WorkMeter(), scratch=folder.scratch / f"agent-{os.getpid()}")
    with Store.open(settings.state) as store:
        async with (
            open_tools(settings, folder, target, os.environ, others=role in ("crawler", "spec")) as tools,
            open_chats(
                settings,
                os.environ,
                cache=settings.state / "cache",
                kept=RunAnswers(store.answers, run_id),
                seconds_before=seconds_before,
                audit=audit,
                given_out=given_out,
                spent=spent,
            ) as chats,
        ):
            known = {
                **role_agents(settings, target, chats.by_role, call=tools.call),
                **repository_agents(tools, chats.by_role),
            }
            if role not in known:
                raise UsageError(f"There is no agent {role!r}.")
            try:
                async with known[role] as agent:
                    yield agent, chats.budget
            finally:
                await target.discard()


@asynccontextmanager
async def open_validators(settings: Settings, folder: RunFolder) -> AsyncIterator[ToolClient]:
    """Only the tools, for checking a person's own spec or test file; nothing of a run is opened or kept."""
    target = TargetProvider(settings, folder, WorkMeter())
    services = ToolServices(
        root=settings.root, run_folder=folder, python_target=target, cache_dir=settings.state / "cache"
    )
    async with ToolClient(build_toolbox(services)) as tools:
        yield tools


@contextmanager
def _stored(settings: Settings, folder: RunFolder, redactor: Redactor) -> Iterator[tuple[Store, EventLog, AuditLog]]:
    """The run's locks, folder, database and logs."""
    with (
        project_lock(settings.state, settings.root, f"run {folder.run_id}"),
        run_lock(folder.create()),
        Store.open(settings.state) as store,
    ):
        events = EventLog(folder.events_jsonl, redactor.value)
        audit = AuditLog(folder.audit_jsonl, redactor.value)
        try:
            yield store, events, audit
        finally:
            events.close()
            audit.close()


@asynccontextmanager
async def _started(agents: dict[str, Agent]) -> AsyncIterator[dict[str, Agent]]:
    try:
        for agent in agents.values():
            await agent.start()
        yield agents
    finally:
        for agent in agents.values():
            await agent.shutdown()
