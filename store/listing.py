"""Summarizes runs for `runs list` and `runs show`, from the database and the run folders."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from ..core.errors import RunNotFound
from ..utils.untrusted_files import read_json
from ..utils.untrusted_folders import walk_files
from .database.database import Store
from .database.runs import StoredRun
from .files.event_log import first_event_time
from .files.files import TEMPORARY
from .files.lock import is_locked
from .files.run_folder import RunFolder, run_ids

LiveStatus = Literal["created", "running", "completed", "failed", "stopped", "interrupted", "unknown"]

_UNFINISHED = ("created", "running")


@dataclass(frozen=True, slots=True)
class RunSummary:
    """One line of the list.

    Attributes:
        status: as stored, but `interrupted` for a run whose process is gone, `unknown` for a folder the database lacks.
        created_at: when its first session began, seconds since the epoch; of the folder, where nothing records it.
        totals: the counts among the totals of its report, None while there is none.
        resumable: whether `testwright resume` can go on with it.
    """

    run_id: str
    status: LiveStatus
    request: str
    root: str
    created_at: float
    finished_at: float | None
    exit_reason: str | None
    exit_code: int | None
    totals: dict[str, Any] | None
    resumable: bool


@dataclass(frozen=True, slots=True)
class RunDetails:
    """Everything about one run.

    Attributes:
        record: the stored run, None when the database does not know it.
        artifacts: (artifact id, kind), oldest first.
        files: paths of its files relative to its folder, sorted.
        report: report.json, None while there is none or when it does not read.
    """

    summary: RunSummary
    record: StoredRun | None
    artifacts: tuple[tuple[str, str], ...]
    files: tuple[str, ...]
    report: dict[str, Any] | None


def list_runs(store: Store, state_dir: Path, *, root: Path | None = None) -> list[RunSummary]:
    """All runs, newest first; only those of one project when `root` is given.

    Raises:
        StoreCorrupt, StorageError.
    """
    records = {record.run_id: record for record in store.runs.all()}
    wanted = None if root is None else str(root)
    listed = [record for record in records.values() if wanted is None or record.root == wanted]
    unfinished = [record.run_id for record in listed if record.status in _UNFINISHED]
    held = store.held(unfinished) if unfinished else frozenset()
    summaries = [
        _summary(RunFolder(state_dir, record.run_id), record, is_held=record.run_id in held) for record in listed
    ]
    if wanted is None:
        summaries += [
            _summary(RunFolder(state_dir, run_id), None) for run_id in run_ids(state_dir) if run_id not in records
        ]
    return sorted(summaries, key=lambda summary: (-summary.created_at, summary.run_id))


def show_run(store: Store, state_dir: Path, run_id: str) -> RunDetails:
    """One run in full. Raises RunNotFound, StoreCorrupt, StorageError."""
    folder = RunFolder(state_dir, run_id)
    try:
        record = store.runs.get(run_id)
    except RunNotFound:
        folder.require()
        record = None
    artifacts = tuple((artifact.artifact_id, artifact.kind) for artifact in store.artifacts.find(run_id))
    is_held = record is not None and record.status in _UNFINISHED and bool(store.held([run_id]))
    return RunDetails(_summary(folder, record, is_held=is_held), record, artifacts, _files(folder), _report(folder))


def _summary(folder: RunFolder, record: StoredRun | None, *, is_held: bool = False) -> RunSummary:
    found = (_report(folder) or {}).get("totals")
    totals = {name: count for name, count in found.items() if type(count) is int} if isinstance(found, dict) else None
    if record is None:
        running = is_locked(folder)
        status: LiveStatus = "running" if running else "unknown"
        made = first_event_time(folder.events_jsonl) or folder.path.stat().st_mtime
        request = ""
        if folder.assess_json.is_file():
            # An assessment is no run of the database; its file is written when it has ended.
            status, request = "completed", "assess"
        return RunSummary(folder.run_id, status, request, "", made, None, None, None, totals, resumable=False)
    status = record.status
    if status in _UNFINISHED:
        status = "running" if is_held or is_locked(folder) else "interrupted"
    return RunSummary(
        run_id=record.run_id,
        status=status,
        request=record.request,
        root=record.root,
        # The database is opened a while after the work has begun.
        created_at=first_event_time(folder.events_jsonl) or record.created_at,
        finished_at=record.finished_at,
        exit_reason=record.exit_reason,
        exit_code=record.exit_code,
        totals=totals,
        resumable=status in ("interrupted", "stopped") and folder.exists,
    )


def _report(folder: RunFolder) -> dict[str, Any] | None:
    try:
        found = read_json(folder.path, folder.report_json.name)
    except (OSError, ValueError):
        return None
    return found if isinstance(found, dict) else None


def _files(folder: RunFolder) -> tuple[str, ...]:
    if not folder.exists:
        return ()
    return tuple(
        sorted(
            path.relative_to(folder.path).as_posix()
            for path in walk_files(folder.path, lambda inner: inner != folder.scratch)
            if not path.name.endswith(TEMPORARY)
        )
    )
