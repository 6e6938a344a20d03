"""Runs the long work of tool calls: waits for a free slot, reports progress, and finds runs by their id."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from typing import Any, TypeVar

from ...core.errors import RunLocked, RunNotFound, StoreCorrupt, TestwrightError, ToolBusy
from ..toolbox.tool_adapter import as_typed
from .backend import Job, Json
from .context import ClientCall, ServerContext
from .progress import ProgressReporter, run_with_progress
from .roots import Root
from .run_files import read_json, run_folder
from .sessions import SessionRun

_RETRY_SECONDS = 30
Answer = TypeVar("Answer")


@dataclass(frozen=True, slots=True)
class RootFault:
    """Why a served project cannot be read."""

    root: Root
    error: TestwrightError

    def row(self) -> Json:
        """The fault as a part of an answer."""
        return {"root": self.root.name, "message": self.error.message, "advice": self.error.advice}


async def run_job(
    call: ClientCall,
    root: Root,
    kind: str,
    work: Callable[[Job], Awaitable[Json]],
    *,
    run_id: str | None = None,
) -> tuple[str, Json]:
    """Does long work as a run, as soon as a slot is free, and returns the run's id and the result.

    Args:
        kind: the kind of run, in a word.
        run_id: the run to continue; by default a new one.

    Raises:
        ToolBusy: the server accepts no more work. Also whatever the work raises.
    """
    server = call.server
    reporter = ProgressReporter(call.send_progress, heartbeat=server.heartbeat_seconds)
    chosen = call.begin_work(root.name, run_id) or server.backend.new_run_id()
    call.begin_work(root.name, chosen)

    async def execute() -> Json:
        async with _slot(server, root, reporter):
            # A continued run sends no PLAN_READY event; without its plan progress has no total.
            if run_id is not None:
                reporter.progress.set_plan(await asyncio.to_thread(_planned_steps, server, root, run_id))
            # Listed from its start, so that a client that loses the answer finds the run.
            server.sessions.add(call.session, SessionRun(root, chosen, kind))
            try:
                return await work(Job(root.path, chosen, reporter.on_event))
            except RunLocked as error:
                # Another process works on the project; only a person can decide whether to end it.
                raise ToolBusy(
                    error.message,
                    advice=f"call again in {_RETRY_SECONDS} s with the same arguments",
                    details={"retry_after_seconds": _RETRY_SECONDS},
                ) from error

    return chosen, await run_with_progress(execute(), reporter)


async def run_exclusive(call: ClientCall, root: Root, name: str, work: Callable[[], Awaitable[Json]]) -> Json:
    """Does heavy work that is no run, as soon as a slot is free. Raises ToolBusy, and whatever the work raises."""
    reporter = ProgressReporter(call.send_progress, heartbeat=call.server.heartbeat_seconds)
    call.begin_work(root.name)

    async def execute() -> Json:
        async with _slot(call.server, root, reporter):
            reporter.report(f"{name} is at work")
            return await work()

    return await run_with_progress(execute(), reporter)


def _slot(server: ServerContext, root: Root, reporter: ProgressReporter) -> AbstractAsyncContextManager[None]:
    return server.slots.acquire(root.path, lambda before: reporter.report(f"waiting: {before} before this one"))


def _planned_steps(server: ServerContext, root: Root, run_id: str) -> list[Any]:
    """The planned steps of a run that is continued; empty when it has no plan, or one that does not read."""
    try:
        steps = list(read_json(run_folder(server, root, run_id), "plan.json")["steps"])
    except (TestwrightError, KeyError, TypeError):
        return []
    return steps if all(_is_step(step) for step in steps) else []


def _is_step(step: Any) -> bool:
    return (
        isinstance(step, dict)
        and isinstance(step.get("id"), str)
        and isinstance(step.get("type"), str)
        and isinstance(step.get("params") or {}, dict)
    )


async def of_root(root: Root, asked: Awaitable[Answer]) -> Answer | RootFault:
    """The answer of one served project, or why it has none: a project that does harm must not silence the others."""
    try:
        return await asked
    except Exception as error:  # noqa: BLE001 - whatever a project brings along is told beside what the others answer
        return RootFault(root, as_typed(error, "reading the runs"))


async def find_run(server: ServerContext, run_id: str) -> tuple[Root, Json]:
    """Finds a run of one of the served projects, of any session.

    Raises:
        RunNotFound: no project has it; its message names the projects that cannot be read.
        TestwrightError: why the only project cannot be read.
    """
    faults: list[RootFault] = []
    for root in server.roots:
        run = await of_root(root, server.backend.run(root.path, run_id))
        if isinstance(run, RootFault):
            faults.append(run)
        elif run is not None:
            return root, run
    if len(faults) == len(tuple(server.roots)) == 1:
        raise faults[0].error
    unread = "".join(f"; {fault.root.name} cannot be read: {fault.error.message}" for fault in faults)
    raise RunNotFound(
        f"there is no run {run_id!r} in the served projects{unread}",
        advice="list_runs lists the runs of this session; generate_tests starts a new one",
        details={"run_id": run_id, "faults": [fault.row() for fault in faults]},
    )


def report_of(run: Json) -> Json | None:
    """The report of a run, None without one. Raises StoreCorrupt for one that does not read."""
    if run.get("report_fault"):
        raise StoreCorrupt(
            run["report_fault"], advice="start the request as a new run; its other files are resources still"
        )
    return run["report"]


def without_none(**options: Any) -> Json:
    """The options that have a value."""
    return {name: value for name, value in options.items() if value is not None}
