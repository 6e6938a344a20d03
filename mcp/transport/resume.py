"""What a session's streams have carried, so that a client whose connection broke can pick them up again (T-11).

The SDK numbers streams by request, anew in every session, and keeps one store for all of them. Here each session has a
record of its own, found through the context in which its requests and its task run; nobody reads another's.
"""

from __future__ import annotations

from collections import deque
from contextvars import ContextVar
from dataclasses import dataclass, field
from uuid import uuid4
from weakref import WeakValueDictionary

from mcp.server.streamable_http import EventCallback, EventMessage, EventStore
from mcp.types import JSONRPCError, JSONRPCMessage, JSONRPCResponse


@dataclass(frozen=True, slots=True)
class _Event:
    event_id: str
    stream_id: str
    message: JSONRPCMessage | None
    size: int


@dataclass(eq=False)
class SessionRecord:
    """The latest events of one session; lives as long as the session's task, which holds it in its context."""

    events: deque[_Event] = field(default_factory=deque)
    size: int = 0


class ResumableStreams(EventStore):
    """The records of all sessions.

    Args:
        session_bytes: how much of a session is kept; the oldest events go first.
    """

    def __init__(self, session_bytes: int) -> None:
        self._session_bytes = session_bytes
        self._records: WeakValueDictionary[str, SessionRecord] = WeakValueDictionary()
        self._current: ContextVar[SessionRecord] = ContextVar("session_record")

    def enter(self, session_id: str | None) -> SessionRecord:
        """Let the current task, and what it starts, speak for a session; for a new one when there is no id yet."""
        record = self._records.get(session_id) if session_id is not None else None
        record = SessionRecord() if record is None else record
        self._current.set(record)
        return record

    def named(self, session_id: str, record: SessionRecord) -> None:
        """A new session has been given its id."""
        self._records[session_id] = record

    async def store_event(self, stream_id: str, message: JSONRPCMessage | None) -> str:
        """Keep an event; see `EventStore`."""
        record = self._current.get()
        size = 0 if message is None else len(message.model_dump_json(by_alias=True, exclude_unset=True))
        event = _Event(uuid4().hex, stream_id, message, size)
        record.events.append(event)
        record.size += size
        while record.size > self._session_bytes:
            record.size -= record.events.popleft().size
        return event.event_id

    async def replay_events_after(self, last_event_id: str, send_callback: EventCallback) -> str | None:
        """Send what came after an event on its stream; see `EventStore`. None when the stream has nothing to follow."""
        known = list(self._current.get().events)
        place = next((n for n, event in enumerate(known) if event.event_id == last_event_id), None)
        if place is None:
            return None
        stream_id = known[place].stream_id
        for event in known[place + 1 :]:
            if event.stream_id == stream_id and event.message is not None:
                await send_callback(EventMessage(event.message, event.event_id))
                if isinstance(event.message, JSONRPCResponse | JSONRPCError):
                    return None
        return stream_id
