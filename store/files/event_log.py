"""Writes a run's events to disk, in order, before it passes them to subscribers."""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

from ...core.errors import StoreCorrupt
from ...core.events import Event, EventSink, EventType
from ...utils.redact import Redact
from ...utils.untrusted_files import MAX_RESULT_BYTES, decoded_json, open_regular
from .files import typed_errors
from .journal import JsonlJournal, read_journal

_LONGEST_EVENT = 65_536
_LAST_TIME = 2.0**37
"""A time after it, in seconds since the epoch, is no date that can be printed."""


class EventLog:
    """Writes a run's events and passes them to subscribers, in one order for all of them.

    A log opened on an existing file (resume) continues its numbers. Secrets are redacted before the event is stored or
    passed on. Usable from any thread.

    Args:
        path: events.jsonl of the run.
        redact: takes secrets out of a JSON value (`Redactor.value`).
        clock: seconds since the epoch.
    """

    def __init__(self, path: Path, redact: Redact, *, clock: Callable[[], float] = time.time) -> None:
        self._journal = JsonlJournal(path)
        self._redact = redact
        self._clock = clock
        self._sinks: list[EventSink] = []
        self._waiting: deque[Event] = deque()
        self._lock = threading.RLock()
        self._delivering = False

    def emit(self, type: EventType, message: str, step_id: str | None = None, **data: Any) -> Event:  # noqa: A002 - the event's own word
        """Store one event, then pass it to every subscriber.

        Args:
            data: JSON values.

        Raises:
            StoreFull, StorageError: the event was neither stored nor passed on.
        """
        with self._lock:
            event = Event(
                sequence=0,
                type=EventType(type),
                at=self._clock(),
                message=self._redact(message),
                step_id=step_id,
                data=self._redact(data),
            )

            def numbered(number: int) -> dict[str, Any]:
                nonlocal event
                event = replace(event, sequence=number)
                return event.to_dict()

            self._journal.append_numbered(numbered)
            self._waiting.append(event)
            self._deliver()
            return event

    def subscribe(self, sink: EventSink) -> Callable[[], None]:
        """Pass every event from now on to `sink` until the returned function is called, or the sink raises."""
        with self._lock:
            self._sinks.append(sink)
        return lambda: self._forget(sink)

    def close(self) -> None:
        """Close the file."""
        self._journal.close()

    def _deliver(self) -> None:
        """Empty the queue. An event that a sink emits meanwhile waits its turn, so that all sinks see one order."""
        if self._delivering:
            return
        self._delivering = True
        try:
            while self._waiting:
                event = self._waiting.popleft()
                for sink in tuple(self._sinks):
                    try:
                        sink(event)
                    except Exception:  # noqa: BLE001 - a broken reporter (a closed pipe) must not end the run it reports on
                        self._forget(sink)
        finally:
            self._delivering = False

    def _forget(self, sink: EventSink) -> None:
        with self._lock:
            if sink in self._sinks:
                self._sinks.remove(sink)


class EventTail:
    """Reads the events of a run that others write, from one call to the next."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._position = 0

    def new(self) -> list[Event]:
        """The whole events since the last call; those that do not read are left out. Raises StorageError."""
        if not self._path.exists():
            return []
        with typed_errors(self._path, "read"), self._path.open("rb") as stream:
            stream.seek(self._position)
            text = stream.read(MAX_RESULT_BYTES)
        end = text.rfind(b"\n") + 1
        self._position += end
        found: list[Event] = []
        for line in text[:end].splitlines():
            with suppress(ValueError, KeyError, TypeError):
                entry = decoded_json(line)
                event = _event(entry)
                found += [event] if _is_well_formed(event) else []
        return found


def read_events(path: Path, *, after: int = 0) -> Iterator[Event]:
    """The stored events with a sequence above `after`, in order; a torn last line is left out.

    Raises:
        StoreCorrupt: a line before the last is no event.
    """
    for number, entry in enumerate(read_journal(path), start=1):
        try:
            event = _event(entry)
            if not _is_well_formed(event):
                raise TypeError("a field of another type")
        except (KeyError, TypeError, ValueError) as error:
            raise StoreCorrupt(
                f"Line {number} of {path} is no event.",
                advice="The file was changed or written by another version. It has been left as it is.",
                details={"path": str(path), "line": number},
            ) from error
        if event.sequence > after:
            yield event


def first_event_time(path: Path) -> float | None:
    """When the first event was written, which is when the run began; None where there is none that reads."""
    try:
        with open_regular(path.parent, path.name) as events:
            first = decoded_json(events.readline(_LONGEST_EVENT))
    except (OSError, ValueError):
        return None
    at = first.get("at") if isinstance(first, dict) else None
    return float(at) if isinstance(at, int | float) and 0 < at < _LAST_TIME else None


def _event(entry: Mapping[str, Any]) -> Event:
    """The event of a stored line. Raises KeyError, TypeError, ValueError for another one."""
    fields: dict[str, Any] = {**entry, "type": EventType(entry["type"])}
    return Event(**fields)


def _is_well_formed(event: Event) -> bool:
    return (
        type(event.sequence) is int
        and isinstance(event.at, int | float)
        and isinstance(event.message, str)
        and isinstance(event.step_id, str | None)
        and isinstance(event.data, dict)
    )
