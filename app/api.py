"""The library: one call from a request to a typed report."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Coroutine, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, TypeVar

from ..config.control import AGENT_ROLES
from ..config.settings import load_settings
from ..core.errors import SettingsError, UsageError
from ..core.events import EventSink
from ..reports.model import Report
from ..store.files.acceptance import Acceptance
from . import runs, service
from .run_lifecycle import GraphSession

T = TypeVar("T")


def generate(
    request: str,
    *,
    root: str | Path = ".",
    on_event: EventSink | None = None,
    agents: Mapping[str, Any] | None = None,
    **settings: Any,
) -> Report:
    """Plan, specify, write, validate, run and judge tests, and add those that hold to the project.

    Args:
        request: what to test, in plain words.
        root: the project's folder.
        on_event: told of every event, in order.
        agents: agents of your own by role: objects with `process`, functions of a request, or texts as in the setting
            of that name. What they write is added to the project like any other test.
        settings: any field of `Settings`, such as `framework="unittest"` or `dry_run=True`.

    Returns:
        The report; `report.exit_code` is what the command line would exit with.

    Raises:
        TestwrightError: what could not be done, with advice. A suspected defect is a finding, not an error.
        UsageError: called inside a running event loop; `agenerate` is for that.
    """
    return _finished(agenerate(request, root=root, on_event=on_event, agents=agents, **settings))


async def agenerate(
    request: str,
    *,
    root: str | Path = ".",
    on_event: EventSink | None = None,
    agents: Mapping[str, Any] | None = None,
    **settings: Any,
) -> Report:
    """`generate`, for async code."""
    named, given = _agents(agents)
    chosen = await asyncio.to_thread(load_settings, {"root": Path(root), **named, **settings})
    return (await runs.run(request, chosen, on_event=on_event, agents=given)).report


def _agents(agents: Mapping[str, Any] | None) -> tuple[dict[str, Any], dict[str, Any]]:
    """The setting `agents` for those that are named, and those that are given as objects. Raises UsageError."""
    unknown = sorted(set(agents or {}) - set(AGENT_ROLES))
    if unknown:
        raise UsageError(f"There is no role {', '.join(unknown)}.", advice=f"The roles are {', '.join(AGENT_ROLES)}.")
    named = {role: agent for role, agent in (agents or {}).items() if isinstance(agent, str)}
    given = {role: agent for role, agent in (agents or {}).items() if not isinstance(agent, str)}
    return ({"agents": named} if named else {}), given


def plan(request: str, *, root: str | Path = ".", **settings: Any) -> dict[str, Any]:
    """Only the plan: `steps`, `understood`, `not_understood`, `skipped`. Nothing is run or written.

    Raises:
        UsageError: the request is empty.
        RequestError: the request names nothing that was found.
    """
    return _finished(service.plan(request, load_settings({"root": Path(root), **settings})))


def resume(
    run_id: str,
    *,
    root: str | Path = ".",
    on_event: EventSink | None = None,
    agents: Mapping[str, Any] | None = None,
    **settings: Any,
) -> Report:
    """Continue a run that was interrupted, or that a ceiling ended, with the settings it began with.

    Args:
        agents: agents of your own by role, as objects; those that the run began with are not kept.
        settings: `state_dir` and `store` say where the run is kept; `trust_project` consents to the settings of a run
            that was not begun here; `jobs`, `max_tokens`, `max_cost`, `max_seconds` and `prices` replace the run's own.

    Raises:
        RunNotFound, StateVersionError, RunLocked.
        BudgetExhausted: a ceiling ended the run, and it is not higher now.
        SettingsError: another setting is given.
    """
    return _finished(aresume(run_id, root=root, on_event=on_event, agents=agents, **settings))


async def aresume(
    run_id: str,
    *,
    root: str | Path = ".",
    on_event: EventSink | None = None,
    agents: Mapping[str, Any] | None = None,
    **settings: Any,
) -> Report:
    """`resume`, for async code."""
    named, given = _agents(agents)
    if named:
        raise SettingsError("A run keeps the agents that its settings name.", advice="Give others as objects.")
    places = {name: settings.pop(name, None) for name in ("state_dir", "store", "trust_project")}
    where = await asyncio.to_thread(load_settings, {"root": Path(root), **places})
    return (await service.resume(run_id, where, changes=settings, on_event=on_event, agents=given)).report


def apply(run_id: str, *, root: str | Path = ".", **settings: Any) -> tuple[Acceptance, ...]:
    """Add a run's staged tests to the project; a file that a person has changed is left alone.

    Raises:
        RunNotFound, StorageError.
    """
    return service.apply(run_id, load_settings({"root": Path(root), **settings}))


@asynccontextmanager
async def graph_session(
    request: str,
    *,
    root: str | Path = ".",
    on_event: EventSink | None = None,
    interrupts: bool = False,
    **settings: Any,
) -> AsyncIterator[GraphSession]:
    """What `build_planning_graph()` needs as a node of a graph of yours, open for as long as the block lasts.

    Args:
        interrupts: the safety gate asks about a step that is not approved by LangGraph's `interrupt()`; your
            graph, which needs a checkpointer, goes on with `Command(resume=True)`, else without the step.

    Yields:
        `state` to begin with, and `context` to pass on: `await graph.ainvoke(session.state, context=session.context)`.

    Raises:
        TestwrightError: the run id is taken, or state cannot be kept.
    """
    chosen = await asyncio.to_thread(load_settings, {"root": Path(root), **settings})
    async with runs.graph_session(request, chosen, on_event=on_event, interrupts=interrupts) as session:
        yield session


def _finished(work: Coroutine[Any, Any, T]) -> T:
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return asyncio.run(work)
    work.close()
    raise UsageError("This was called inside a running event loop.", advice="Await the async form instead.")
