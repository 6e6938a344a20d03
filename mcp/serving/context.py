"""Holds what tool calls of clients share: the server's state, the caller, and schemas of common arguments."""

from __future__ import annotations

from dataclasses import dataclass, field

from ..toolbox.content_cache import ContentCache
from ..toolbox.json_schema import Schema, string
from .admission import WorkSlots
from .backend import McpBackend
from .background import BackgroundCall, BackgroundCalls
from .progress import HEARTBEAT_SECONDS, SendProgress
from .roots import Roots
from .sessions import ClientSessions

RUN_ID: Schema = string(
    pattern="^[A-Za-z0-9][A-Za-z0-9_.-]{0,63}$", description="The id of a run, as an earlier answer gave it."
)
ROOT: Schema = string(
    minLength=1,
    description="Which served project: its name, or its absolute path. Needed only when several are served.",
)
FRAMEWORK: Schema = string(
    enum=["pytest", "unittest", "locust", "jest", "playwright", "maestro"],
    description="What the tests are written for; locust for load tests, jest for scripts, playwright for browser "
    "tests in TypeScript, maestro for flows that are written and not run.",
)
TEST_TYPE: Schema = string(enum=["unit", "api", "integration", "e2e", "performance"])


@dataclass(frozen=True, slots=True)
class ServerContext:
    """State shared by all client sessions.

    Attributes:
        results: answers that depend on no project, shared by all sessions.
        heartbeat_seconds: the maximum interval between two progress notifications.
    """

    backend: McpBackend
    roots: Roots
    slots: WorkSlots
    sessions: ClientSessions = field(default_factory=ClientSessions)
    calls: BackgroundCalls = field(default_factory=BackgroundCalls)
    results: ContentCache = field(default_factory=lambda: ContentCache(1024))
    heartbeat_seconds: float = HEARTBEAT_SECONDS


@dataclass(frozen=True, slots=True)
class ClientCall:
    """One call: the server's state, the caller's session (None without one), and how to report progress.

    Attributes:
        background: the call, where it may be answered before its work has ended.
    """

    server: ServerContext
    session: str | None
    send_progress: SendProgress
    background: BackgroundCall | None = None

    def begin_work(self, root: str, run_id: str | None = None) -> str | None:
        """Records which project, and which run, the call works on; returns the run's id, None for a new one."""
        if self.background is None:
            return run_id
        self.background.root = root
        self.background.run_id = run_id or self.background.run_id
        return self.background.run_id or None
