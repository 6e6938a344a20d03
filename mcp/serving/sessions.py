"""Identifies client sessions and keeps their runs: a run is listed to its own session, and readable by id for all."""

from __future__ import annotations

import hashlib
import uuid
from collections import OrderedDict
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

from ..sdk import MCPServer, ServerRequestContext
from .roots import Root

SESSION_META = "testwright/session"
"""A request's `_meta` key: a client's own secret name for its session, for protocols without sessions."""

_MAX_SESSIONS, _MAX_RUNS = 1000, 500
_CONNECTION = "connection"


@dataclass(frozen=True, slots=True)
class SessionRun:
    """A run that a session started or continued."""

    root: Root
    run_id: str
    kind: str


@asynccontextmanager
async def connection_lifespan(_: MCPServer[Any]) -> AsyncIterator[dict[str, str]]:
    """Gives the connection a random name for its lifetime. Over HTTP all connections share one, and it is not used."""
    yield {_CONNECTION: uuid.uuid4().hex}


def session_of(request: ServerRequestContext[Any, Any]) -> str | None:
    """Identifies the session of a request; None for stateless HTTP without a session name.

    Used are, in this order: the name in its `_meta`, its HTTP session, its connection.
    """
    named = (request.meta or {}).get(SESSION_META)
    if isinstance(named, str) and named:
        # Hashed, because the name is a secret.
        return "named " + hashlib.sha256(named.encode("utf-8", "surrogatepass")).hexdigest()
    # Only HTTP requests have headers; over stdio and in memory the connection is the session.
    headers = getattr(request.request, "headers", None)
    if headers is not None:
        session_id = headers.get("mcp-session-id")
        return f"http {session_id}" if session_id else None
    lifespan = request.lifespan_context
    return connection_session(lifespan) if isinstance(lifespan, dict) and _CONNECTION in lifespan else None


def connection_session(lifespan: Mapping[str, str]) -> str:
    """The session of a connection that is named by the value of `connection_lifespan`."""
    return f"connection {lifespan[_CONNECTION]}"


class ClientSessions:
    """Keeps the runs of each session, newest first; the least recently used sessions are dropped, not their runs."""

    def __init__(self) -> None:
        self._runs: OrderedDict[str, OrderedDict[tuple[str, str], SessionRun]] = OrderedDict()

    def add(self, session: str | None, run: SessionRun) -> None:
        """Records that a session works on a run; without a session nothing is recorded."""
        if session is None:
            return
        runs = self._runs.setdefault(session, OrderedDict())
        runs[run.root.name, run.run_id] = run
        runs.move_to_end((run.root.name, run.run_id))
        self._runs.move_to_end(session)
        while len(runs) > _MAX_RUNS:
            runs.popitem(last=False)
        while len(self._runs) > _MAX_SESSIONS:
            self._runs.popitem(last=False)

    def runs(self, session: str | None) -> tuple[SessionRun, ...]:
        """A session's runs, newest first."""
        return tuple(reversed(self._runs.get(session, OrderedDict()).values())) if session is not None else ()
