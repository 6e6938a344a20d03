"""What a session's streams have carried, so that a client whose connection broke can pick them up again (T-11).

The SDK numbers streams by request, anew in every session, and keeps one store for all of them. Here each session has a
record of its own, found through the context in which its requests and its task run; nobody reads another's. A stream
that is picked up is followed here to its end: were it handed back to the SDK, what comes at that moment would be lost.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Iterator
from contextvars import ContextVar
from dataclasses import dataclass, field
from uuid import uuid4
from weakref import WeakValueDictionary

from mcp.server.streamable_http import GET_STREAM_KEY, EventCallback, EventMessage, EventStore
from mcp.types import JSONRPCError, JSONRPCMessage, JSONRPCResponse


@dataclass(frozen=True, slots=True)
class _Event:
    number: int
    event_id: str
    stream_id: str
    message: JSONRPCMessage | None
    size: int


@dataclass(eq=False)
class SessionRecord:
    """The latest events of one session; lives as long as the session's task, which holds it in its context."""

    events: deque[_Event] = field(default_factory=deque)
    size: int = 0
    count: int = 0
    over: bool = False
    news: asyncio.Event = field(default_factory=asyncio.Event)

    def add(self, stream_id: str, message: JSONRPCMessage | None, limit: int) -> str:
        """Keep an event, and no more than `limit` bytes of all; its id."""
        size = 0 if message is None else len(message.model_dump_json(by_alias=True, exclude_unset=True))
        self.count += 1
        event = _Event(self.count, uuid4().hex, stream_id, message, size)
        self.events.append(event)
        self.size += size
        while self.size > limit:
            self.size -= self.events.popleft().size
        self.tell()
        return event.event_id

    def tell(self) -> None:
        """Wake who waits for news."""
        heard, self.news = self.news, asyncio.Event()
        heard.set()

    def after(self, number: int, stream_id: str) -> Iterator[tuple[int, EventMessage]]:
        """What came on a stream after an event, as far as it is kept."""
        for event in list(self.events):
            if event.number > number and event.stream_id == stream_id and event.message is not None:
                yield event.number, EventMessage(event.message, event.event_id)


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

    def ended(self, session_id: str) -> None:
        """A session is over: nothing will come on its streams any more."""
        record = self._records.get(session_id)
        if record is not None:
            record.over = True
            record.tell()

    async def store_event(self, stream_id: str, message: JSONRPCMessage | None) -> str:
        """Keep an event; see `EventStore`."""
        return self._current.get().add(stream_id, message, self._session_bytes)

    async def replay_events_after(self, last_event_id: str, send_callback: EventCallback) -> str | None:
        """Send what came after an event on its stream, and what still comes until its answer; see `EventStore`.

        Returns:
            The stream for the SDK to go on with, when it has no end: the one of a session's own notifications.
        """
        record = self._current.get()
        last = next((event for event in record.events if event.event_id == last_event_id), None)
        if last is None:
            return None
        number = last.number
        while True:
            news = record.news
            for sent, event in record.after(number, last.stream_id):
                await send_callback(event)
                number = sent
                if isinstance(event.message, JSONRPCResponse | JSONRPCError):
                    return None
            if last.stream_id == GET_STREAM_KEY:
                return last.stream_id
            if record.over:
                return None
            await news.wait()
