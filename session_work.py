"""What the sessions of a run used, stored as the run goes on (B-08)."""

from __future__ import annotations

from dataclasses import asdict

from .events import Event
from .reports.run_facts import tool_use
from .store.sessions import Sessions, SessionWork
from .wiring import LiveRun


class UsedWork:
    """What the sessions of a run used: those before this one, and this one, which is stored as it goes on."""

    def __init__(self, live: LiveRun) -> None:
        self._live = live
        self._sessions = Sessions(live.folder.sessions_json)
        self._earlier = self._sessions.all()
        live.events.subscribe(self._heard)

    def keep(self) -> list[SessionWork]:
        """Store what was used until now; the answer is every session's. Raises StorageError."""
        read = self._live.meter.read()
        calls = tool_use(asdict(call) for call in self._live.tools.calls())
        now = SessionWork(read.wall_seconds, read.idle_seconds, [one.model_dump() for one in calls])
        self._sessions.keep(self._earlier, now)
        return [*self._earlier, now]

    def _heard(self, event: Event) -> None:
        if self._sessions.due():
            self.keep()
