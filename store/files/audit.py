"""The audit log: every attempt of every agent and tool, with its outcome and the reason for a retry."""

from __future__ import annotations

import time
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any, Literal

from ...utils.redact import Redact
from .journal import JsonlJournal

AttemptOutcome = Literal["ok", "invalid", "malformed", "failed", "timed_out", "cancelled", "reused"]


@dataclass(frozen=True, slots=True)
class AuditEntry:
    """One attempt of an agent or tool.

    Attributes:
        role: planner, spec, writer, analyzer, or a tool's name.
        attempt: its number, from 1: of a model, the generation within the step; of an agent, how often the same was
            asked of it, while `details["generation"]` is the generation.
        outcome: how it ended; `reused` is an answer taken from the store instead of asked again.
        prompt_hash: sha256 of what was asked (`utils/canonical.digest_of`), "" where nothing was.
        step_id: the plan step, or None.
        response: what came back, as text or JSON; redacted when stored.
        errors: what was wrong with it, as the validators said.
        reason: why this attempt was made: "first", what failed before it, or what a refinement is to mend.
        at: start, seconds since the epoch.
        duration_ms: how long it took.
        tokens: tokens in and out together; 0 for embedded agents.
        cost: in US dollars; 0.0 where unknown.
        model: which model or embedded agent answered.
    """

    role: str
    attempt: int
    outcome: AttemptOutcome
    prompt_hash: str = ""
    step_id: str | None = None
    response: Any = None
    errors: tuple[Any, ...] = ()
    reason: str = "first"
    at: float = 0.0
    duration_ms: float = 0.0
    tokens: int = 0
    cost: float = 0.0
    model: str = ""
    details: dict[str, Any] = field(default_factory=dict)


class AuditLog:
    """Appends attempts to audit.jsonl, in order, from any thread, with secrets redacted."""

    def __init__(self, path: Path, redact: Redact) -> None:
        self._journal = JsonlJournal(path)
        self._redact = redact

    def record(self, attempt: AuditEntry) -> None:
        """Store one attempt; one without `at` has ended just now. Raises StoreFull, StorageError."""
        if not attempt.at:
            attempt = replace(attempt, at=time.time() - attempt.duration_ms / 1000)
        self._journal.append(self._redact(asdict(attempt)))

    def close(self) -> None:
        """Close the file."""
        self._journal.close()
