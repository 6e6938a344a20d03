"""Builds the live things of a run from its settings: the only place that knows all rooms."""

from __future__ import annotations

import os
import uuid
from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass, replace
from typing import Any

from ..agents.contract.lifecycle import Agent, RequestOptions
from ..agents.contract.protocol import AgentProtocol
from ..config.settings import Settings
from ..core.errors import UsageError
from ..core.events import EventSink, EventType
from ..core.usage import ModelBudget, ModelUsage
from ..graph.checkpoints import open_checkpoints
from ..graph.context import GraphServices, RunContext
from ..mcp.tool_client.tool_client import ToolClient
from ..mcp.toolbox.services import ToolServices
from ..mcp.toolbox.toolbox import build_toolbox
from ..store.database.artifacts import Artifact, Artifacts
from ..store.database.database import Store
from ..store.files.audit import Attempt, AuditLog
from ..store.files.event_log import EventLog
from ..store.files.run_folder import RunFolder
from ..utils.redact import Redactor
from ..utils.work_meter import WorkMeter
from .agent_factory import role_agents
from .agent_isolation import isolated_agents
from .bootstrap import BegunRun, begun
from .model_factory import Chats, RunAnswers, open_chats
from .repository_roles import repository_agents
from .target_provider import TargetProvider
from .tool_factory import open_tools

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
        beginning: what was open before all the rest.
        context: what the graphs are called with.
        services: what their nodes work with.
        chats: the models that are asked, and what they spent.
    """

    beginning: BegunRun
    store: Store
    context: RunContext
    services: GraphServices
    tools: ToolClient
    chats: Chats

    @property
    def settings(self) -> Settings:
        """The run's settings."""
        return self.beginning.settings

    @property
    def folder(self) -> RunFolder:
        """Where the run keeps its files."""
        return self.beginning.folder

    @property
    def events(self) -> EventLog:
        """The run's log of events."""
        return self.beginning.events

    @property
    def redactor(self) -> Redactor:
        """Takes secrets out of what is kept."""
        return self.beginning.redactor

    @property
    def meter(self) -> WorkMeter:
        """When work was in flight."""
        return self.beginning.meter

    @property
    def target(self) -> TargetProvider:
        """Prepares the target's environment on first use, once."""
        return self.beginning.target

    @property
    def changes(self) -> dict[str, Any] | None:
        """What the run is limited to, as plain data; None for no limit."""
        return self.beginning.changes


@asynccontextmanager
async def open_run(
    settings: Settings, run_id: str, *, on_event: EventSink | None = None, seconds_before: float = 0.0
) -> AsyncIterator[LiveRun]:
    """A run begun and opened; see `begun` and `opened` for arguments and errors."""
    async with (
        begun(settings, run_id, on_event=on_event) as beginning,
        opened(beginning, seconds_before=seconds_before) as live,
    ):
        yield live


@asynccontextmanager
async def opened(beginning: BegunRun, *, seconds_before: float = 0.0) -> AsyncIterator[LiveRun]:
    """Everything else that a run needs, opened in order and closed again, also when interrupted.

    Args:
        beginning: a run that has begun; closed by whoever began it.
        seconds_before: wall seconds of the run's sessions before this one.

    Raises:
        SettingsError: a model is to be asked and its key or price is missing; see `open_tools` for more.
        EnvironmentFault: a tool server of the settings does not start.
        StorageError: the state folder cannot be used.
    """
    settings, folder, events, meter = beginning.settings, beginning.folder, beginning.events, beginning.meter

    def warn(message: str) -> None:
        events.emit(EventType.PROGRESS, message, warning=message)

    with _stored(settings, folder, beginning.redactor) as (store, audit):
        async with (
            open_tools(settings, folder, beginning.target, os.environ, warn=warn) as tools,
            open_checkpoints(folder.checkpoints) as checkpointer,
            open_chats(
                settings,
                os.environ,
                cache=settings.state / "cache",
                kept=RunAnswers(store.answers, folder.run_id),
                seconds_before=seconds_before + beginning.seconds,
                audit=audit.record,
                waiting=meter.waiting,
            ) as chats,
            _started(
                {
                    **role_agents(settings, beginning.target, chats.by_role, call=tools.call, unit=beginning.unit),
                    **repository_agents(tools, chats.by_role),
                }
            ) as agents,
        ):
            context = RunContext(
                run_id=request_id_of(folder.run_id),
                root=str(settings.root),
                jobs=settings.jobs,
                wall_seconds=settings.max_seconds,
                max_tokens=settings.max_tokens,
                max_cost=settings.max_cost,
            )
            asked: Mapping[str, AgentProtocol] = agents
            if settings.isolate_agents:
                asked = isolated_agents(agents, settings, folder.run_id, audit=audit.record, budget=chats.budget)
            services = GraphServices(
                agents=asked,
                tools=tools,
                artifacts=RunArtifacts(store.artifacts, folder.run_id),
                emit=events.emit,
                audit=audit.record,
                checkpointer=checkpointer,
                budget=chats.budget,
                request_options=RequestOptions(working=meter.working),
            )
            yield LiveRun(beginning, store, context, services, tools, chats)


@asynccontextmanager
async def open_agent(
    settings: Settings,
    run_id: str,
    role: str,
    *,
    audit: Callable[[Attempt], None],
    seconds_before: float,
    given_out: set[str],
    spent: Callable[[ModelUsage], None],
) -> AsyncIterator[tuple[Agent, ModelBudget]]:
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
def _stored(settings: Settings, folder: RunFolder, redactor: Redactor) -> Iterator[tuple[Store, AuditLog]]:
    """The database, and the run's log of attempts."""
    with Store.open(settings.state) as store:
        audit = AuditLog(folder.audit_jsonl, redactor.value)
        try:
            yield store, audit
        finally:
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
