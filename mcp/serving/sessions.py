"""Who asks: one client's runs are listed to that client only; with a run's id, anybody may look at it (B-10)."""

from __future__ import annotations

import hashlib
import uuid
from collections import OrderedDict
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

from mcp.server import MCPServer
from mcp.server.context import ServerRequestContext

from .roots import Root

SESSION_META = "testwright/session"
"""A request's `_meta` key: a client's own secret name for its session, where the protocol knows no sessions."""

_SESSIONS, _RUNS_EACH = 1000, 500
_CONNECTION = "connection"


@dataclass(frozen=True, slots=True)
class KnownRun:
    """A run that a session began or continued."""

    root: Root
    run_id: str
    kind: str


@asynccontextmanager
async def connection_lifespan(_: MCPServer[Any]) -> AsyncIterator[dict[str, str]]:
    """What a server's lifespan holds: a name for the connection. Over HTTP it is one for all, and never used."""
    yield {_CONNECTION: uuid.uuid4().hex}


def session_of(request: ServerRequestContext[Any, Any]) -> str | None:
    """The session a request belongs to, or None where it belongs to none (stateless HTTP without a session's name).

    That is, in this order: the name in its `_meta`, the HTTP session it came through, the connection.
    """
    named = (request.meta or {}).get(SESSION_META)
    if isinstance(named, str) and named:
        return "named " + hashlib.sha256(named.encode("utf-8", "surrogatepass")).hexdigest()
    headers = getattr(request.request, "headers", None)
    if headers is not None:
        given = headers.get("mcp-session-id")
        return f"http {given}" if given else None
    held = request.lifespan_context
    return f"connection {held[_CONNECTION]}" if isinstance(held, dict) and _CONNECTION in held else None


class Sessions:
    """The runs of each session, newest first; the sessions longest unused are forgotten, their runs are not."""

    def __init__(self) -> None:
        self._runs: OrderedDict[str, OrderedDict[tuple[str, str], KnownRun]] = OrderedDict()

    def add(self, session: str | None, run: KnownRun) -> None:
        """Note that a session works on a run; without a session nothing is noted."""
        if session is None:
            return
        runs = self._runs.setdefault(session, OrderedDict())
        runs[run.root.name, run.run_id] = run
        runs.move_to_end((run.root.name, run.run_id))
        self._runs.move_to_end(session)
        while len(runs) > _RUNS_EACH:
            runs.popitem(last=False)
        while len(self._runs) > _SESSIONS:
            self._runs.popitem(last=False)

    def runs(self, session: str | None) -> tuple[KnownRun, ...]:
        """A session's runs, newest first."""
        return tuple(reversed(self._runs.get(session, OrderedDict()).values())) if session is not None else ()
