"""What the tools share: doing a piece of long work, and finding a run by its id."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

from ...core.errors import RunLocked, RunNotFound, TestwrightError, ToolBusy
from .backend import Job, Json
from .progress import Teller, seen_through
from .roots import Root
from .sessions import KnownRun
from .tool_definition import Call, Desk
from .tools.run_files import folder_of, json_file

_ELSEWHERE_SECONDS = 30


async def worked(
    desk: Desk,
    call: Call,
    root: Root,
    kind: str,
    work: Callable[[Job], Awaitable[Json]],
    *,
    run_id: str | None = None,
) -> tuple[str, Json]:
    """Do long work when there is a place for it, telling the caller how far it is; the answer is run id and result.

    Args:
        kind: what sort of run it is, in a word.
        run_id: the run to continue; a new one without it.

    Raises:
        ToolBusy: there is more work than the server takes. And what the work raises.
    """
    teller = Teller(call.tell, beat=desk.beat_seconds)
    chosen = run_id or desk.application.new_run_id()

    async def doing() -> Json:
        async with desk.slots.taken(root.path, _waiting(teller)):
            if run_id is not None:
                teller.stage.planned(await asyncio.to_thread(_planned_steps, desk, root, run_id))
            desk.sessions.add(call.session, KnownRun(root, chosen, kind))
            try:
                return await work(Job(root.path, chosen, teller.hear))
            except RunLocked as error:
                raise _elsewhere(error) from error

    return chosen, await seen_through(doing(), teller)


async def held(desk: Desk, call: Call, root: Root, name: str, work: Callable[[], Awaitable[Json]]) -> Json:
    """Do heavy work that is no run, when there is a place for it. Raises ToolBusy, and what the work raises."""
    teller = Teller(call.tell, beat=desk.beat_seconds)

    async def doing() -> Json:
        async with desk.slots.taken(root.path, _waiting(teller)):
            teller.say(f"{name} is at work")
            return await work()

    return await seen_through(doing(), teller)


def _waiting(teller: Teller) -> Callable[[int], None]:
    return lambda before: teller.say(f"waiting: {before} before this one")


def _elsewhere(error: RunLocked) -> ToolBusy:
    """Another process holds the project: whose business it is to end that one is for a person to say."""
    return ToolBusy(
        error.message,
        advice=f"call again in {_ELSEWHERE_SECONDS} s with the same arguments",
        details={"retry_after_seconds": _ELSEWHERE_SECONDS},
    )


def _planned_steps(desk: Desk, root: Root, run_id: str) -> list[Any]:
    """What a run that is continued has planned to do; nothing, when it had not come so far."""
    try:
        return list(json_file(folder_of(desk.application.state(root.path), run_id), "plan.json")["steps"])
    except (TestwrightError, KeyError, TypeError):
        return []


async def found_run(desk: Desk, run_id: str) -> tuple[Root, Json]:
    """A run of one of the served projects, whoever began it.

    Raises:
        RunNotFound: none of them has it.
    """
    for root in desk.roots:
        run = await desk.application.run(root.path, run_id)
        if run is not None:
            return root, run
    raise RunNotFound(
        f"there is no run {run_id!r} in the served projects",
        advice="list_runs tells the runs of this session; generate_tests makes a new one",
        details={"run_id": run_id},
    )


def said(**options: Any) -> Json:
    """The options that were given a value."""
    return {name: value for name, value in options.items() if value is not None}
