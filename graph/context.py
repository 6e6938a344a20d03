"""Defines the graphs' context: a serialisable `RunContext`, and the registry of each run's live services.

The context is passed with every call (LangGraph's `context_schema`), also to a Temporal activity, so it is plain data.
Clients, agents and stores cannot be serialised: each process that executes nodes builds a `GraphServices` once and
registers it with `providing`; `services_of` finds it by run id. `run_graph` runs a graph with its context, apart from
the calling graph.

The registry is process-wide on purpose: a node is a module-level function that an engine calls by name with state and
context only. A context variable would not reach a Temporal activity's thread. The registry holds its entries weakly,
and `providing` removes them, so nothing outlives its run.
"""

from __future__ import annotations

import asyncio
import time
import weakref
from collections.abc import Awaitable, Callable, Coroutine, Iterator, Mapping
from contextlib import contextmanager
from contextvars import copy_context
from dataclasses import dataclass, field
from typing import Any, Protocol, TypeVar

from langchain_core.runnables import RunnableConfig
from langchain_core.runnables.config import var_child_runnable_config
from langgraph.checkpoint.base import BaseCheckpointSaver
from langgraph.graph.state import CompiledStateGraph
from langgraph.runtime import Runtime
from langgraph.types import Durability
from langsmith import tracing_context

from ..agents.contract.contracts import contract_violations
from ..agents.contract.handoff import ArtifactStore
from ..agents.contract.lifecycle import ContractValidator, RequestOptions, Sleep
from ..agents.contract.protocol import AgentProtocol, AgentResponse, JsonObject
from ..core.errors import TestwrightError
from ..core.events import EventType
from ..core.usage import ModelBudget
from ..store.files.audit import AuditEntry
from ..utils.schema_registry import bundle, select_schema
from .control_policy import ControlPolicy
from .faults import Fault

Result = TypeVar("Result")


@dataclass(frozen=True, slots=True)
class RunContext:
    """The settings of a run that nodes need. A run may be resumed with other ceilings and jobs.

    Attributes:
        run_id: a UUID; also the planning graph's checkpoint thread.
        root: the project's root folder, absolute.
        profile: the named set of settings, for agents' request metadata.
        jobs: steps that run at the same time, at least 1.
        agent_timeout: seconds one request to an agent may take; None for no limit.
        wall_seconds, max_tokens, max_cost: ceilings of the whole run, cost in US dollars; None for none.
        step_share: share of the time left until `wall_seconds` that the current step may take, above 0, at most 1.
        without_models: whether every agent answers without its model.
        control: how the run is steered.
        briefing: what agents are told beside their task (`AgentRequest.context`): `summary` of past turns, `lore`.
        priority: of the current step, in the metadata of requests.
        evidence: whether an evidence loop runs before a spec is written: `on`, `off`, or where something outside of the
            target uses it.
    """

    run_id: str
    root: str
    profile: str = "default"
    jobs: int = 1
    agent_timeout: float | None = None
    wall_seconds: float | None = None
    max_tokens: int | None = None
    max_cost: float | None = None
    step_share: float = 1.0
    without_models: bool = False
    evidence: str = "auto"
    control: ControlPolicy = field(default_factory=ControlPolicy)
    briefing: Mapping[str, Any] = field(default_factory=dict)
    priority: int = 5

    def __post_init__(self) -> None:
        """Restore what JSON cannot hold: a context crosses to other processes as JSON."""
        if isinstance(self.control, Mapping):
            object.__setattr__(self, "control", ControlPolicy(**self.control))


class LorebookKeeper(Protocol):
    """Keeps what runs learned about the project."""

    def load(self) -> JsonObject:
        """Return the lorebook as JSON; {} where there is none."""
        ...

    def keep(self, lorebook: JsonObject) -> None:
        """Store the lorebook. Raises StorageError."""
        ...


class ToolCaller(Protocol):
    """Calls built-in and external tools; implemented by the tool client."""

    async def call(self, name: str, arguments: dict[str, Any]) -> dict[str, Any]:
        """Return the tool's structured answer. Raises ToolFailure, ToolInputError, ToolTimeout."""
        ...


class Emit(Protocol):
    """Emits an event of the run; implemented by the event log."""

    def __call__(self, type: EventType, message: str, step_id: str | None = None, **data: Any) -> Any: ...  # noqa: A002


@dataclass(frozen=True, slots=True)
class EndedApart:
    """How a step ended that another process has executed; its result is in the testing graph's last checkpoint.

    Attributes:
        attempts: how often it was begun, at least 1.
        fault: what ended it, if a fault did.
    """

    attempts: int = 1
    fault: Fault | None = None


@dataclass(frozen=True)
class GraphServices:
    """The live services of one run in one process.

    Attributes:
        agents: by role: `planner`, `spec`, `writer`, `analyzer`; and those that steer, where there are any: `safety`,
            `goal`, `judge`, `health`, `lorebook`, `summary`; `embedded_planner` beside a planner of the user's.
        tools: calls every tool.
        artifacts: stores what is handed from one agent to the next.
        emit: emits events.
        audit: records every attempt in the audit log.
        checkpointer: stores the testing graphs' states, each on the thread `<run_id>:<step_id>`; None for memory only.
        request_options: how requests to agents are sent and repeated.
        validate: lists violations of a contract.
        select_schema: (test type, hints) → schema name, or None for an unknown type.
        load_schema: returns a self-contained schema by name.
        sleep: waits between attempts of a step.
        clock: seconds, monotonic.
        node_attempts: attempts of a node whose tools fail transiently.
        node_wait: seconds before its second attempt; doubled from then on.
        budget: counts model cost and wall time against the ceilings; None leaves it to the graph, which sums up what
            agents report and the time its steps take.
        stop_without_planner: end the run where the planner's model fails; else the embedded planner plans.
        model_roles: roles in which a model is asked; their agents also answer without it.
        ask: puts a question to the user and returns whether the answer is yes; None where nobody can be asked.
        interrupts: ask by LangGraph's `interrupt()` instead, where a caller runs the graph and has a checkpointer.
        predicates: reveal steps in reserve, by name, beside those of `planning_graph/reserve.py`.
        lorebook: keeps what the run learns about the project; None keeps nothing.
        background: health checks that are not waited for.
        context_tools: further tools whose answers about a target models are told: lint_code, check_syntax, run_build.
        once: answers of tools that are the same for every target, under `once_lock`.
        is_shared: several parts of the run are at work in this process, one of which has registered the services.
        apart: steps of the wave that other processes have executed, by id; how each ended is read, not repeated.
    """

    agents: Mapping[str, AgentProtocol]
    tools: ToolCaller
    artifacts: ArtifactStore
    emit: Emit
    audit: Callable[[AuditEntry], None]
    checkpointer: BaseCheckpointSaver[str] | None = None
    request_options: RequestOptions = field(default_factory=RequestOptions)
    validate: ContractValidator = contract_violations
    select_schema: Callable[[str, Mapping[str, Any]], str | None] = select_schema
    load_schema: Callable[[str], JsonObject] = bundle
    sleep: Sleep = asyncio.sleep
    clock: Callable[[], float] = time.monotonic
    node_attempts: int = 3
    node_wait: float = 0.5
    budget: ModelBudget | None = None
    model_roles: frozenset[str] = frozenset()
    context_tools: tuple[str, ...] = ()
    stop_without_planner: bool = False
    ask: Callable[[str], Awaitable[bool]] | None = None
    interrupts: bool = False
    predicates: Mapping[str, Callable[[Mapping[str, Any]], bool]] = field(default_factory=dict)
    lorebook: LorebookKeeper | None = None
    background: list[asyncio.Task[AgentResponse | None]] = field(default_factory=list)
    once: dict[str, Any] = field(default_factory=dict)
    once_lock: asyncio.Lock = field(default_factory=asyncio.Lock)
    is_shared: bool = False
    apart: dict[str, EndedApart] = field(default_factory=dict)


_LIVE: weakref.WeakValueDictionary[str, GraphServices] = weakref.WeakValueDictionary()


@contextmanager
def providing(context: RunContext, services: GraphServices) -> Iterator[GraphServices]:
    """Register the services of a run in this process, for the duration of the block.

    Raises:
        TestwrightError: the run is being worked on in this process already.
    """
    if services.is_shared and _LIVE.get(context.run_id) is services:
        yield services
        return
    if _LIVE.get(context.run_id) is not None:
        raise TestwrightError(
            f"run {context.run_id} is being worked on in this process already",
            advice="Wait for it, or give the new run an id of its own.",
        )
    _LIVE[context.run_id] = services
    try:
        yield services
    finally:
        if _LIVE.get(context.run_id) is services:
            del _LIVE[context.run_id]


def find_services(context: RunContext) -> GraphServices:
    """Return the services of a run.

    Raises:
        TestwrightError: none were registered in this process, or the context was left out.
    """
    if not isinstance(context, RunContext):
        raise TestwrightError(
            f"a graph was run without its RunContext (got {type(context).__name__})",
            advice="Pass context=RunContext(...) to every ainvoke or astream, also when resuming.",
        )
    found = _LIVE.get(context.run_id)
    if found is None:
        raise TestwrightError(
            f"no services were announced for run {context.run_id} in this process",
            advice="Run the graph inside `with graph.context.providing(context, services):`.",
        )
    return found


def services_of(runtime: Runtime[RunContext]) -> GraphServices:
    """Return the services for a node. Raises as `find_services` does."""
    return find_services(runtime.context)


def isolated(work: Coroutine[Any, Any, Result]) -> asyncio.Task[Result]:
    """Run a coroutine in a task of its own, without the configuration of the calling node. Await the task.

    A graph that is called inside a node inherits the node's checkpoint namespace, checkpointer and task ids. A testing
    graph has its own thread, so it must not. Tracing is off, because a LANGSMITH_TRACING in the user's environment must
    not send prompts and code to a third party. Cancelling the caller cancels the task.
    """
    with tracing_context(enabled=False):
        context = copy_context()
    context.run(var_child_runnable_config.set, None)
    return asyncio.get_running_loop().create_task(work, context=context)


def run_graph(
    graph: CompiledStateGraph[Any, RunContext, Any, Any],
    state: Any,
    config: RunnableConfig,
    context: RunContext,
    *,
    stop_before: str | None = None,
) -> asyncio.Task[dict[str, Any]]:
    """Run a graph to its end, isolated, every checkpoint on disk before the next node begins. Await the task.

    Args:
        state: the initial state, or None to continue from the checkpoint.
        stop_before: node before which the graph is interrupted; None for none.
    """
    # LangGraph 1.2 fails when a durability is named and there is no checkpointer.
    durability: Durability | None = "sync" if graph.checkpointer else None
    interrupts = [stop_before] if stop_before is not None else None
    return isolated(graph.ainvoke(state, config, context=context, durability=durability, interrupt_before=interrupts))
