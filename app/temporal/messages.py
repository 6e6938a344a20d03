"""What crosses between client, workflow and workers: plain data and handles. What is large stays in the run's store.

The standard library only: the workflow's sandbox imports this module anew for each run.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

WORKFLOW = "testwright-run-v1"
"""Name of the workflow. A change that a history of the old one cannot be replayed with gets a new number."""
TASK_QUEUE = "testwright-v1"
"""Queue of the workflow and its activities; of the same version, so that old workers take no new work."""

ADVANCE, EXECUTE_STEP, FINISH, STOP, CHANGE_CEILINGS = (
    "advance_run",
    "execute_step",
    "finish_run",
    "stop_run",
    "change_ceilings",
)
"""Names of the activities."""

LOCKED = "RunLocked"
"""Another process works on it: the workflow asks again later, which is none of an activity's attempts."""
STORE_AWAY = "StoreUnreachable"
"""The run's database does not serve: waited for in the same way, because what it has is not lost."""
WORKER_STOPPED = "WorkerStopped"
"""The worker was told to stop: the workflow asks another, which is none of an activity's attempts."""

NOT_RETRIED = (
    "SchemaValidationError",
    "UsageError",
    "RequestError",
    "SettingsError",
    "BudgetExhausted",
    "RunTerminated",
)
"""Errors that the same activity would end with again, whoever raises them; `activities` decides of all others."""


@dataclass
class RunTask:
    """The handle of a run.

    Attributes:
        root: the project's folder, as every worker sees it.
        state_dir: where runs are kept; None for the project's own state folder.
        began_at: when this session of the run began, seconds since the epoch.
        heartbeat_seconds: how long a worker may be silent before another takes its step over.
        store: the database of the run by its URL; None for SQLite in the state folder.
        so_far: what the workflow's history before this one came to; None at the begin, and for activities.
    """

    run_id: str
    root: str
    state_dir: str | None
    began_at: float
    heartbeat_seconds: float = 30.0
    store: str | None = None
    so_far: RunSoFar | None = None


@dataclass
class StepEnded:
    """How a step ended.

    Attributes:
        attempts: how often it was begun.
        fault: what ended it (`graph.faults.Fault.to_dict`), None when its graph came to its end.
        refused: whether a ceiling did not let it begin.
    """

    attempts: int = 1
    fault: dict[str, Any] | None = None
    refused: bool = False


@dataclass
class AdvanceTask:
    """Asks for the next steps.

    Attributes:
        ended: the steps of the wave before, by id; None at the begin.
    """

    run: RunTask
    ended: dict[str, StepEnded] | None = None


@dataclass
class StepTask:
    """Asks for one step.

    Attributes:
        attempts: how often it may be begun where the infrastructure fails.
    """

    run: RunTask
    step_id: str
    attempts: int = 2


@dataclass
class WaveOfSteps:
    """Steps that may be executed now.

    Attributes:
        step_ids: the first to begin first; none when the plan has ended.
        jobs: how many at the same time.
        attempts: how often each may be begun where the infrastructure fails.
    """

    step_ids: list[str] = field(default_factory=list)
    jobs: int = 1
    attempts: int = 2


@dataclass
class NewCeilings:
    """Ceilings that replace those of a run; None leaves one as it is. Seconds of wall time, tokens, US dollars."""

    max_tokens: int | None = None
    max_cost: float | None = None
    max_seconds: float | None = None


@dataclass
class RunSoFar:
    """What a run takes with it into a new history.

    Attributes:
        wave: the steps of the present wave that have not begun.
        ended: how its other steps ended.
        ended_before, notes: as of `RunProgress`: steps of all waves, and what did not work.
        paused: whether the run is paused.
        ceilings: those that were raised and not yet stored.
    """

    wave: WaveOfSteps = field(default_factory=WaveOfSteps)
    ended: dict[str, StepEnded] = field(default_factory=dict)
    ended_before: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    paused: bool = False
    ceilings: list[NewCeilings] = field(default_factory=list)


@dataclass
class RunEnded:
    """How a run ended; its report is in its folder."""

    exit_reason: str
    exit_code: int


@dataclass
class CeilingsTask:
    """Asks for other ceilings of a run."""

    run: RunTask
    ceilings: NewCeilings


@dataclass
class RunProgress:
    """How far a run is.

    Attributes:
        state: planning, executing, finishing, paused, or how it ended.
        waiting, at_work, ended: ids of steps of the present wave; `ended` are those of all waves.
        notes: what did not work and did not end the run.
    """

    run_id: str
    state: str = "planning"
    waiting: list[str] = field(default_factory=list)
    at_work: list[str] = field(default_factory=list)
    ended: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
