"""Keeps the latest events of each session, so that a client whose connection broke can resume its streams.

The SDK numbers streams by request, from the start in every session, and has one store for all of them. Here each
session has a record of its own, found through the context variable in which its requests and its task run, so that no
session reads another's events. A resumed stream is served here to its end: if it were handed back to the SDK, events
that arrive at that moment would be lost.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Iterator
from contextvars import ContextVar
from dataclasses import dataclass, field
from uuid import uuid4
from weakref import WeakValueDictionary

from ...sdk import (
    GET_STREAM_KEY,
    EventCallback,
    EventMessage,
    EventStore,
    JSONRPCError,
    JSONRPCMessage,
    JSONRPCResponse,
)


@dataclass(frozen=True, slots=True)
class _Event:
    number: int
    event_id: str
    stream_id: str
    message: JSONRPCMessage | None
    size: int


@dataclass(eq=False)
class SessionRecord:
    """The latest events of one session; lives as long as the session's task, whose context refers to it."""

    events: deque[_Event] = field(default_factory=deque)
    size: int = 0
    count: int = 0
    has_ended: bool = False
    changed: asyncio.Event = field(default_factory=asyncio.Event)

    def add(self, stream_id: str, message: JSONRPCMessage | None, limit: int) -> str:
        """Keeps an event, at most `limit` bytes of all of them, and returns its id."""
        size = 0 if message is None else len(message.model_dump_json(by_alias=True, exclude_unset=True))
        self.count += 1
        event = _Event(self.count, uuid4().hex, stream_id, message, size)
        self.events.append(event)
        self.size += size
        # The oldest events go first; a client that resumes behind them starts anew.
        while self.size > limit:
            self.size -= self.events.popleft().size
        self.notify()
        return event.event_id

    def notify(self) -> None:
        """Wakes everyone who waits for a change."""
        current, self.changed = self.changed, asyncio.Event()
        current.set()

    def after(self, number: int, stream_id: str) -> Iterator[tuple[int, EventMessage]]:
        """Yields the kept events of a stream after an event number."""
        for event in list(self.events):
            if event.number > number and event.stream_id == stream_id and event.message is not None:
                yield event.number, EventMessage(event.message, event.event_id)


class ResumableStreams(EventStore):
    """Holds the records of all sessions.

    Args:
        session_bytes: the maximum of bytes kept for a session; the oldest events are dropped first.
    """

    def __init__(self, session_bytes: int) -> None:
        self._session_bytes = session_bytes
        self._records: WeakValueDictionary[str, SessionRecord] = WeakValueDictionary()
        self._current: ContextVar[SessionRecord] = ContextVar("session_record")

    def enter(self, session_id: str | None) -> SessionRecord:
        """Binds the current task, and tasks it starts, to a session's record; to a new record without an id."""
        record = (self._records.get(session_id) if session_id is not None else None) or SessionRecord()
        self._current.set(record)
        return record

    def register(self, session_id: str, record: SessionRecord) -> None:
        """Records the id of a new session."""
        self._records[session_id] = record

    def end(self, session_id: str) -> None:
        """Marks a session as ended: no further events will arrive."""
        record = self._records.get(session_id)
        if record is not None:
            record.has_ended = True
            record.notify()

    async def store_event(self, stream_id: str, message: JSONRPCMessage | None) -> str:
        """Keeps an event; see `EventStore`."""
        return self._current.get().add(stream_id, message, self._session_bytes)

    async def replay_events_after(self, last_event_id: str, send_callback: EventCallback) -> str | None:
        """Sends the events after an event of its stream, and further ones until the answer; see `EventStore`.

        Returns:
            The stream the SDK has to continue if it has no end: the one of a session's own notifications.
        """
        record = self._current.get()
        last = next((event for event in record.events if event.event_id == last_event_id), None)
        # Dropped, or of another session.
        if last is None:
            return None
        number = last.number
        while True:
            changed = record.changed  # taken before reading: an event that arrives meanwhile sets it
            for sent, event in record.after(number, last.stream_id):
                await send_callback(event)
                number = sent
                # The answer is the last event of a request's stream.
                if isinstance(event.message, JSONRPCResponse | JSONRPCError):
                    return None
            if last.stream_id == GET_STREAM_KEY:
                return last.stream_id
            if record.has_ended:
                return None
            await changed.wait()
