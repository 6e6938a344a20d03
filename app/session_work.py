"""What the sessions of a run used, stored as the run goes on (B-08)."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from ..core.events import Event
from ..reports.run_facts import tool_use
from ..store.files.event_log import read_events
from ..store.files.sessions import Sessions, SessionUsage
from .container import LiveRun


class UsedWork:
    """What the sessions of a run used: those before this one, and this one, which is stored as it goes on."""

    def __init__(self, live: LiveRun) -> None:
        self._live = live
        self._sessions = Sessions(live.folder.sessions_json)
        self._earlier = self._sessions.all()
        live.events.subscribe(self._heard)

    def keep(self) -> list[SessionUsage]:
        """Store what was used until now; the answer is every session's. Raises StorageError."""
        read = self._live.meter.read()
        calls = tool_use(asdict(call) for call in self._live.tools.calls())
        now = SessionUsage(
            read.wall_seconds, read.idle_seconds, read.model_seconds, [one.model_dump() for one in calls]
        )
        self._sessions.keep(self._earlier, now)
        return [*self._earlier, now]

    def _heard(self, event: Event) -> None:
        if self._sessions.due():
            self.keep()


def ran_in(live: LiveRun) -> dict[str, Any]:
    """Sandbox and interpreter that were last in force, in this session or one before it; empty for none."""
    found: dict[str, Any] = {}
    for event in read_events(live.folder.events_jsonl):
        if "sandbox" in event.data:
            found = event.data
    return found


def told_warnings(live: LiveRun) -> list[str]:
    """What any session of the run told of tools that did not come about, each once, in order."""
    events = read_events(live.folder.events_jsonl)
    return list(dict.fromkeys(str(event.data["warning"]) for event in events if "warning" in event.data))
