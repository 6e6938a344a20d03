"""Removes old runs; a run that is in progress is never touched."""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from ..core.errors import RunLocked, UsageError
from ..utils.untrusted_folders import remove_tree, size_of_tree
from .cache.run_results import StoredResults
from .database.database import Store
from .files.files import typed_errors
from .files.lock import is_locked, run_lock
from .files.run_folder import RunFolder
from .listing import RunSummary, list_runs

_DAY = 86_400.0
_LEAVING = ".removing-"


@dataclass(frozen=True, slots=True)
class CleanupResult:
    """The outcome of `clean`, or of its dry run.

    Attributes:
        removed: ids of the removed runs, oldest first.
        running: ids that the rules select but that are in progress, and stay.
        kept: how many runs are left.
        freed_bytes: size of the removed folders.
    """

    removed: tuple[str, ...]
    running: tuple[str, ...]
    kept: int
    freed_bytes: int


def clean(
    store: Store,
    state_dir: Path,
    *,
    keep_last: int | None = None,
    older_than_days: float | None = None,
    dry_run: bool = False,
    cache: Path | None = None,
    root: Path | None = None,
    clock: Callable[[], float] = time.time,
) -> CleanupResult:
    """Remove old runs: their folders, database rows, artifacts and answers.

    Args:
        keep_last: never remove the newest so many.
        older_than_days: remove only what was created longer ago. At least one rule must be given; with both, a run goes
            when both let it go.
        dry_run: report only, remove nothing.
        cache: the folder of what is kept between runs, from which results of removed runs go as well. Caches beside it,
            of a project that was moved or came with its state folder, are removed.
        root: the project whose runs are old; None for all of the store, which others share where it is a server's.

    Raises:
        UsageError: neither rule is given, or one is negative.
        StorageError: a folder cannot be removed; runs before it are gone, it and those after it are still there.
    """
    runs = list_runs(store, state_dir, root=root)
    removed: list[str] = []
    running: list[str] = []
    freed = 0
    for summary in _chosen(runs, keep_last, older_than_days, clock()):
        folder = RunFolder(state_dir, summary.run_id)
        size = size_of_tree(folder.path)
        if _is_at_work(store, folder) if dry_run else not _remove(store, folder):
            running.append(summary.run_id)
            continue
        removed.append(summary.run_id)
        freed += size
    if not dry_run:
        _remove_leftovers(state_dir)
        if cache is not None:
            StoredResults(state_dir, cache).prune()
            _remove_other_caches(state_dir, cache)
    return CleanupResult(tuple(removed), tuple(running), len(runs) - len(removed), freed)


def _chosen(
    runs: list[RunSummary], keep_last: int | None, older_than_days: float | None, now: float
) -> list[RunSummary]:
    """The runs that the rules select, oldest first. Raises UsageError."""
    if keep_last is None and older_than_days is None:
        raise UsageError("Nothing says which runs are old.", advice="Give --keep N, --older-than DAYS, or both.")
    if (keep_last or 0) < 0 or (older_than_days or 0) < 0:
        raise UsageError("A retention rule cannot be negative.", advice="Give 0 or more.")
    beyond = runs if keep_last is None else runs[keep_last:]
    if older_than_days is not None:
        beyond = [run for run in beyond if run.created_at < now - older_than_days * _DAY]
    return beyond[::-1]


def _is_at_work(store: Store, folder: RunFolder) -> bool:
    return is_locked(folder) or bool(store.held([folder.run_id]))


def _remove(store: Store, folder: RunFolder) -> bool:
    """Remove one run. False when it is in progress and stays."""
    if not folder.exists:
        try:
            with store.holding(folder.run_id):
                store.remove_run(folder.run_id)
        except RunLocked:  # by another machine that shares the store
            return False
        return True
    leaving = folder.path.with_name(f"{_LEAVING}{folder.run_id}")
    try:
        with run_lock(folder), store.holding(folder.run_id):
            # Rename first: after a crash there is no half-deleted run, only a leftover that the next cleaning removes.
            with typed_errors(folder.path, "remove"):
                remove_tree(leaving)
                folder.path.rename(leaving)
            store.remove_run(folder.run_id)
    except RunLocked:
        return False
    with typed_errors(leaving, "remove"):
        remove_tree(leaving)
    return True


def _remove_other_caches(state_dir: Path, cache: Path) -> None:
    if cache.parent != state_dir / "cache":
        return
    for other in cache.parent.iterdir() if cache.parent.is_dir() else ():
        if other != cache:
            remove_tree(other, ignore_errors=True)


def _remove_leftovers(state_dir: Path) -> None:
    """Delete folders that an interrupted cleaning had renamed."""
    for folder in (state_dir / "runs").glob(f"{_LEAVING}*"):
        with suppress(OSError):  # the next cleaning tries again
            remove_tree(folder)
