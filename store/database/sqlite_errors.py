"""Converts SQLite's errors into ours."""

from __future__ import annotations

import shutil
import sqlite3
from pathlib import Path

from ...core.errors import RunLocked, StorageError, StoreCorrupt, StoreFull
from ..files.files import SPACE_ADVICE, STATE_ADVICE

_PRIMARY = 0xFF
_SCARCE_BYTES = 1 << 16
_LONGEST_MESSAGE = 200


def database_error(error: BaseException | None, path: Path) -> StorageError:
    """The typed form of a driver's error about the database at `path`."""
    code = getattr(error, "sqlite_errorcode", None)
    primary = None if code is None else code & _PRIMARY
    details: dict[str, object] = {"path": str(path), "sqlite": getattr(error, "sqlite_errorname", "") or ""}
    if primary in (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB):
        return corrupt_error(path, str(error), details)
    if primary == sqlite3.SQLITE_INTERRUPT:
        return corrupt_error(path, "reading it does not come to an end", details)
    if primary == sqlite3.SQLITE_TOOBIG:
        return corrupt_error(path, "it has a value that is too large", details)
    if primary == sqlite3.SQLITE_FULL or (primary == sqlite3.SQLITE_IOERR and _no_space(path)):
        return StoreFull(f"Cannot write {path}: the disk is full.", advice=SPACE_ADVICE, details=details)
    if primary in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED):
        return RunLocked(
            f"{path} is in use by another process.",
            advice="Wait until that process has finished, or give another folder with --state-dir.",
            details=details,
        )
    if primary in (sqlite3.SQLITE_READONLY, sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_PERM):
        return StorageError(f"Cannot write {path}: {error}.", advice=STATE_ADVICE, details=details)
    message = str(error)[:_LONGEST_MESSAGE]
    if "no such " in message:
        return corrupt_error(path, message, details)
    return StorageError(f"The run database {path} failed: {message}.", advice=STATE_ADVICE, details=details)


def corrupt_error(path: Path, what: str, details: dict[str, object] | None = None) -> StoreCorrupt:
    """The error for a damaged database; the file is left as it is."""
    return StoreCorrupt(
        f"The run database {path} is damaged: {what}.",
        advice="It was left as it is. Move it away to begin a new one (the runs' folders beside it keep their reports "
        "and tests), or bring back a copy.",
        details=details or {"path": str(path)},
    )


def _no_space(path: Path) -> bool:
    try:
        return shutil.disk_usage(path.parent).free < _SCARCE_BYTES
    except OSError:
        return False
