"""Open runs in a worker: each is opened once for all its activities in this process, and closed after them."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field, fields, replace
from pathlib import Path

from ...config.settings import Settings, changed_settings, load_settings
from ...graph.context import providing
from ...store.database.runs import StoredRun
from ..container import LiveRun, open_run
from ..model_clients import ceilings_of
from ..service import stored_run
from .messages import NewCeilings, RunTask

_IDLE_SECONDS = 1.0
"""How long an open run waits for its next activity: opening it copies the project."""

_CEILINGS = tuple(one.name for one in fields(NewCeilings))


@dataclass
class _Session:
    """One open run. A task of its own opens and closes it, because scopes must be closed where they were opened."""

    opened: asyncio.Future[tuple[LiveRun, StoredRun]]
    closing: asyncio.Event = field(default_factory=asyncio.Event)
    users: int = 0
    holder: asyncio.Task[None] | None = None
    timer: asyncio.TimerHandle | None = None


class RunSessions:
    """The runs that this process has open.

    Args:
        trust_project: whether runs that others have begun may be worked on, too.
    """

    def __init__(self, *, trust_project: bool = False) -> None:
        self._trust_project = trust_project
        self._sessions: dict[str, _Session] = {}

    @asynccontextmanager
    async def use(self, task: RunTask, *, is_last: bool = False) -> AsyncIterator[tuple[LiveRun, StoredRun]]:
        """Hold a run open for the block.

        Args:
            is_last: close it after the block, unless others use it as well.

        Raises:
            What `stored_run` and `open_run` raise.
        """
        key = f"{task.root}\0{task.state_dir}\0{task.run_id}"
        session = await self._enter(key, task)
        try:
            live, record = await asyncio.shield(session.opened)
            await asyncio.to_thread(_refresh, live)
            yield live, record
        finally:
            await self._leave(key, session, is_last=is_last)

    async def close(self) -> None:
        """Close all."""
        for key, session in list(self._sessions.items()):
            await self._end(key, session)

    async def _enter(self, key: str, task: RunTask) -> _Session:
        session = self._sessions.get(key)
        if session is None or session.closing.is_set():
            if session is not None and session.holder is not None:
                await asyncio.wait((session.holder,))
            session = self._sessions.get(key)
        if session is None or session.closing.is_set():
            session = _Session(asyncio.get_running_loop().create_future())
            session.holder = asyncio.create_task(self._hold(session, task))
            self._sessions[key] = session
        session.users += 1
        if session.timer is not None:
            session.timer.cancel()
            session.timer = None
        return session

    async def _leave(self, key: str, session: _Session, *, is_last: bool) -> None:
        session.users -= 1
        if session.users:
            return
        failed = session.opened.done() and (session.opened.cancelled() or session.opened.exception() is not None)
        if is_last or failed:
            await self._end(key, session)
        else:
            session.timer = asyncio.get_running_loop().call_later(_IDLE_SECONDS, self._forget, key, session)

    def _forget(self, key: str, session: _Session) -> None:
        if not session.users:
            session.closing.set()

    async def _end(self, key: str, session: _Session) -> None:
        session.closing.set()
        if session.holder is not None:
            await asyncio.wait((session.holder,))
        if self._sessions.get(key) is session:
            del self._sessions[key]

    async def _hold(self, session: _Session, task: RunTask) -> None:
        try:
            where = await asyncio.to_thread(self._where, task)
            record, settings = await asyncio.to_thread(stored_run, task.run_id, where)
            opened = open_run(settings, task.run_id, seconds_before=record.spent.seconds, shared_since=task.began_at)
            async with opened as live:
                live.services = replace(live.services, is_shared=True)
                with providing(live.context, live.services):
                    session.opened.set_result((live, record))
                    await session.closing.wait()
        except BaseException as error:
            if session.opened.done():
                raise
            session.opened.set_exception(error)
            with suppress(BaseException):
                session.opened.exception()  # retrieved, for when nobody waits any more

    def _where(self, task: RunTask) -> Settings:
        flags = {
            "root": Path(task.root),
            "state_dir": Path(task.state_dir) if task.state_dir else None,
            "store": task.store,
            "trust_project": self._trust_project or None,
        }
        return load_settings(flags)


def _refresh(live: LiveRun) -> None:
    """Take over what other workers have stored meanwhile: the run's ceilings, and what its models have cost."""
    stored = live.store.runs.get(live.folder.run_id).settings
    new = {name: stored.get(name) for name in _CEILINGS}
    if new != {name: getattr(live.settings, name) for name in _CEILINGS}:
        live.settings = changed_settings(live.settings, new)
        ceilings = ceilings_of(live.settings)
        live.models.budget.replace_ceilings(ceilings)
        live.context = replace(
            live.context,
            wall_seconds=ceilings.seconds,
            max_tokens=ceilings.tokens,
            max_cost=ceilings.cost,
        )
    live.models.recount()
