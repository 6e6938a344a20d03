"""Defines the typed event stream: one ordered stream per run, which feeds every reporter.

An event is plain data: `data` holds JSON values only, and secrets are redacted before anything is stored.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from enum import StrEnum
from typing import Any


class EventType(StrEnum):
    """What happened. The first twelve are those of a loop of agents, with these data beside the message:

    `searching`, `judging`, `hypothesizing`, `synthesizing`: `agent_id` of the agent at work; `search_complete`:
    `evidence`, how many new pieces; `judge_complete`: `assessment`; `streaming`: `text` and `agent_id`; `complete`:
    `report`, the path of report.json, and `iterations`, how often steps were begun. `thinking` comes once in a session,
    before the first agent is asked. The status of `progress` and the error of `error` are the message.
    """

    STARTED = "started"
    THINKING = "thinking"
    SEARCHING = "searching"
    SEARCH_COMPLETE = "search_complete"
    JUDGING = "judging"
    JUDGE_COMPLETE = "judge_complete"
    HYPOTHESIZING = "hypothesizing"
    SYNTHESIZING = "synthesizing"
    STREAMING = "streaming"
    COMPLETE = "complete"
    ERROR = "error"
    PROGRESS = "progress"
    PLAN_READY = "plan_ready"
    STEP_STARTED = "step_started"
    STEP_ENDED = "step_ended"
    NODE_STARTED = "node_started"
    NODE_ENDED = "node_ended"
    SPEC_WRITTEN = "spec_written"
    CODE_WRITTEN = "code_written"
    TESTS_RUN = "tests_run"
    DEFECT_SUSPECTED = "defect_suspected"


@dataclass(frozen=True, slots=True)
class Event:
    """One event of a run.

    Attributes:
        sequence: position in the run's stream, from 1, without gaps.
        type: what happened.
        at: seconds since the epoch, UTC.
        message: one line for people.
        step_id: the plan step it belongs to, or None for the run itself.
        data: JSON values for machines.
    """

    sequence: int
    type: EventType
    at: float
    message: str
    step_id: str | None = None
    data: dict[str, Any] = field(default_factory=dict)

    def to_dict(self) -> dict[str, Any]:
        """The event as one line of events.jsonl holds it."""
        return {**asdict(self), "type": self.type.value}


EventSink = Callable[[Event], None]
