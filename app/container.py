"""Composition root: opens database, tools, checkpoints, model clients and agents of a run from its settings."""

from __future__ import annotations

import os
from collections.abc import AsyncIterator, Callable, Collection, Mapping
from contextlib import AbstractAsyncContextManager, asynccontextmanager, closing
from dataclasses import dataclass, fields, replace
from typing import Any

from ..agents.contract.lifecycle import Agent, RequestOptions
from ..agents.contract.protocol import AgentProtocol
from ..agents.model.embeddings_meter import EmbeddingsMeter
from ..config.control import STEERING_ROLES
from ..config.settings import Settings
from ..core.events import EventSink, EventType
from ..graph.checkpoints import open_run_checkpoints
from ..graph.context import GraphServices, RunContext
from ..graph.control_policy import ControlPolicy
from ..mcp.tool_client.tool_client import ToolClient
from ..mcp.toolbox.services import ToolServices
from ..mcp.toolbox.toolbox import build_toolbox
from ..store.database.artifacts import Artifact, Artifacts
from ..store.database.database import Store
from ..store.files.audit import AuditLog
from ..store.files.lorebook_file import LorebookFile
from ..store.files.run_folder import RunFolder, request_id_of
from ..utils.work_meter import WorkMeter
from .agent_factory import create_agents, isolated_agents
from .bootstrap import Ask, EarlyRun, open_early
from .model_clients import ModelClients, RunAnswers, open_model_clients
from .opened_store import open_store
from .own_agents import health_interval, keeps_lorebook
from .target.provider import TargetProvider
from .tool_factory import context_tools, open_tools


class RunArtifacts:
    """Stores a run's artifacts; maps the UUID that contracts use to the run id that the database uses."""

    def __init__(self, artifacts: Artifacts, run_id: str) -> None:
        self._artifacts = artifacts
        self._run_id = run_id

    def put(self, run_id: str, kind: str, payload: Any, *, meta: Mapping[str, Any]) -> Artifact:
        """See `Artifacts.put`."""
        return replace(self._artifacts.put(self._run_id, kind, payload, meta=meta), run_id=run_id)

    def get(self, artifact_id: str) -> Artifact:
        """See `Artifacts.get`."""
        return replace(self._artifacts.get(artifact_id), run_id=request_id_of(self._run_id))


@dataclass(kw_only=True)
class LiveRun(EarlyRun):
    """An open run: the light half, and everything that `open_services` adds.

    Attributes:
        context: passed to every call of the graphs.
        services: used by the graphs' nodes.
        models: the clients of the models, and what they used.
        usage: the `UsageRecorder` of this session; set by its first `run_scope`.
    """

    store: Store
    context: RunContext
    services: GraphServices
    tools: ToolClient
    models: ModelClients
    usage: Any = None


@asynccontextmanager
async def open_run(
    settings: Settings,
    run_id: str,
    *,
    on_event: EventSink | None = None,
    ask: Ask | None = None,
    agents: Mapping[str, Any] | None = None,
    seconds_before: float = 0.0,
    shared_since: float | None = None,
) -> AsyncIterator[LiveRun]:
    """Open both halves of a run; see `open_early` and `open_services` for arguments and errors."""
    async with (
        open_early(settings, run_id, on_event=on_event, ask=ask, agents=agents, shared_since=shared_since) as early,
        open_services(early, seconds_before=seconds_before, shared=shared_since is not None) as live,
    ):
        yield live


@asynccontextmanager
async def open_services(
    early: EarlyRun, *, seconds_before: float = 0.0, shared: bool = False
) -> AsyncIterator[LiveRun]:
    """Open the second half of a run: database, tools, checkpoints, model clients and agents.

    They are closed in reverse order, also when the run is interrupted.

    Args:
        early: the first half; closed by whoever opened it.
        seconds_before: wall seconds of the run's earlier sessions.
        shared: other processes work on the run as well.

    Raises:
        SettingsError: a model's key or price is missing; see `open_tools` for more.
        EnvironmentFault: a tool server of the settings does not start.
        StorageError: the state folder cannot be used.
    """
    settings, folder, events = early.settings, early.folder, early.events

    def warn(message: str) -> None:
        events.emit(EventType.PROGRESS, message, warning=message)

    with (
        open_store(settings, begins=True) as store,
        store.holding(folder.run_id, shared=shared),
        closing(AuditLog(folder.audit_jsonl, early.redactor.value)) as audit,
    ):
        meter, answers = EmbeddingsMeter(audit.record), RunAnswers(store.answers, folder.run_id)
        async with (
            open_tools(settings, folder, early.target, os.environ, warn=warn, embeddings=meter) as tools,
            open_run_checkpoints(store.checkpoints, folder.run_id) as checkpointer,
            _open_models(early, answers, audit, warn, seconds_before=seconds_before) as models,
            _start_agents(_agents_of(early, models, tools), warn) as agents,
        ):
            meter.use(models.budget, models.embeddings_cost, answers.keep_usage)
            services = GraphServices(
                agents=_callable_agents(agents, early.agents, settings, folder.run_id, audit, models),
                tools=tools,
                artifacts=RunArtifacts(store.artifacts, folder.run_id),
                emit=events.emit,
                audit=audit.record,
                checkpointer=checkpointer,
                budget=models.budget,
                model_roles=frozenset(models.by_role),
                context_tools=context_tools(settings),
                stop_without_planner=settings.planner_failure == "stop",
                ask=early.ask,
                lorebook=_lorebook(early) if keeps_lorebook(settings, early.agents) else None,
                request_options=RequestOptions(working=early.meter.working),
            )
            light = {part.name: getattr(early, part.name) for part in fields(early)}
            context = _run_context(settings, folder.run_id, early.agents)
            yield LiveRun(**light, store=store, context=context, services=services, tools=tools, models=models)


def _open_models(
    early: EarlyRun, answers: RunAnswers, audit: AuditLog, warn: Callable[[str], None], *, seconds_before: float
) -> AbstractAsyncContextManager[ModelClients]:
    return open_model_clients(
        early.settings,
        os.environ,
        cache=early.settings.cache_dir,
        kept=answers,
        seconds_before=seconds_before + early.seconds,
        audit=audit.record,
        waiting=early.meter.waiting,
        warn=warn,
    )


def _lorebook(early: EarlyRun) -> LorebookFile:
    settings = early.settings
    return LorebookFile(settings.cache_dir, settings.root, redact=early.redactor.value, fresh=settings.fresh)


def _agents_of(early: EarlyRun, models: ModelClients, tools: ToolClient) -> dict[str, Agent]:
    return create_agents(
        early.settings,
        early.target,
        models.by_role,
        tools,
        unit=early.unit,
        prefetched=early.prefetched,
        first=early.first,
        own=early.agents,
        metering=models.metering,
    )


def _callable_agents(
    agents: Mapping[str, AgentProtocol],
    given: Collection[str],
    settings: Settings,
    run_id: str,
    audit: AuditLog,
    models: ModelClients,
) -> Mapping[str, AgentProtocol]:
    """The agents as the graphs call them: in processes of their own, where the settings say so.

    Those that steer stay here: they answer at every turn, and read nothing of the project. So do those that the caller
    gave as objects.
    """
    if not settings.isolate_agents:
        return agents
    alone = isolated_agents(
        [role for role in agents if role not in (*STEERING_ROLES, *given)],
        settings,
        run_id,
        audit=audit.record,
        budget=models.budget,
    )
    return {**agents, **alone}


def _run_context(settings: Settings, run_id: str, own: Collection[str]) -> RunContext:
    return RunContext(
        run_id=request_id_of(run_id),
        root=str(settings.root),
        jobs=settings.jobs,
        wall_seconds=settings.max_seconds,
        max_tokens=settings.max_tokens,
        max_cost=settings.max_cost,
        evidence=settings.evidence,
        control=control_policy(settings, own),
    )


def control_policy(settings: Settings, own: Collection[str] = ()) -> ControlPolicy:
    """How a run with these settings is steered.

    The user consents to isolation that is weak and to models that cost money by saying so, and to what our own planner
    plans by the request. Requests to other hosts and installations need `yes`, or an answer to a question.

    Args:
        own: roles with an agent of the caller's own, beside those of the settings.
    """
    control = settings.control
    consented = {"runs_application", "spends_money"}
    if "planner" not in {*settings.agents, *own}:
        consented.add("writes_outside_tests")
    return ControlPolicy(
        planner_repairs=control.planner_repairs,
        max_goal_failures=control.max_goal_failures,
        health_interval=health_interval(settings, own),
        health_error_ratio=control.health_error_ratio,
        health_mode=control.health_mode,
        safety_json=control.safety_json,
        consented=("all",) if settings.yes else tuple(sorted(consented)),
        weak_sandbox=settings.sandbox == "weak",
        is_paid=bool(settings.models.names) and settings.max_cost is None,
    )


@asynccontextmanager
async def open_validators(settings: Settings, folder: RunFolder) -> AsyncIterator[ToolClient]:
    """Open only the tools, to validate a person's own spec or test file; no run is recorded."""
    target = TargetProvider(settings, folder, WorkMeter())
    services = ToolServices(root=settings.root, run_folder=folder, python_target=target, cache_dir=settings.cache_dir)
    async with ToolClient(build_toolbox(services)) as tools:
        yield tools


@asynccontextmanager
async def _start_agents(agents: dict[str, Agent], warn: Callable[[str], None]) -> AsyncIterator[dict[str, Agent]]:
    """Start agents for the block. One that fails to shut down is told of, and costs the run nothing."""
    try:
        for agent in agents.values():
            await agent.start()
        yield agents
    finally:
        for agent in agents.values():
            try:
                await agent.shutdown()
            except Exception as error:  # noqa: BLE001 - the others are shut down all the same, and the run counts
                warn(str(error) or type(error).__name__)
