"""Writes files atomically and converts errors of the operating system (disk full, read-only) into ours."""

from __future__ import annotations

import errno
import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from ...core.errors import StorageError, StoreFull
from ...utils.outgoing_text import valid_text
from ...utils.untrusted_folders import walk_files

STATE_ADVICE = "Give a folder that can be written with --state-dir, or set TESTWRIGHT_STATE_DIR."
SPACE_ADVICE = "Make room on the disk (`testwright clean` removes old runs), or give another folder with --state-dir."

TEMPORARY = ".testwright-tmp"

_FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
_DENIED = (errno.EROFS, errno.EACCES, errno.EPERM)


def storage_error(error: OSError, path: Path, doing: str, *, advice: str = STATE_ADVICE, space: str = SPACE_ADVICE):
    """The typed form of an operating system error about `path`.

    Args:
        doing: what was tried, as in "Cannot <doing> <path>".
        advice: what to do when the place cannot be written; `space` when it is full.
    """
    details: dict[str, object] = {"path": str(path), "errno": errno.errorcode.get(error.errno or 0, "")}
    if error.errno in _FULL:
        return StoreFull(f"Cannot {doing} {path}: the disk is full.", advice=space, details=details)
    if error.errno in _DENIED:
        why = "the file system is read-only" if error.errno == errno.EROFS else "permission denied"
        return StorageError(f"Cannot {doing} {path}: {why}.", advice=advice, details=details)
    return StorageError(f"Cannot {doing} {path}: {error.strerror or error}.", advice=advice, details=details)


@contextmanager
def typed_errors(path: Path, doing: str) -> Iterator[None]:
    """Turn OSError inside the block into StorageError or StoreFull."""
    try:
        yield
    except OSError as error:
        raise storage_error(error, path, doing) from error


def make_folder(path: Path) -> Path:
    """Create the folder and its parents. Raises StorageError, StoreFull."""
    with typed_errors(path, "create the folder"):
        path.mkdir(parents=True, exist_ok=True)
    return path


def write_file(path: Path, text: str) -> None:
    """Write a file of ours so that a reader sees the old content or the new, never half of it.

    Raises:
        StorageError, StoreFull: nothing has changed.
    """
    with typed_errors(path, "write"):
        path.parent.mkdir(parents=True, exist_ok=True)
        own = path.with_name(f".{path.name}.{os.getpid()}-{secrets.token_hex(4)}{TEMPORARY}")
        temporary = write_beside(path, valid_text(text).encode(), temporary=own)
        with removed_on_failure(temporary):
            temporary.replace(path)
            sync_folder(path.parent)


def write_beside(path: Path, content: bytes, *, mode: int = 0o666, temporary: Path | None = None) -> Path:
    """Write `content`, synced to disk, to a hidden file next to `path`. Raises OSError, leaving nothing.

    Args:
        temporary: the hidden file, where several processes may write `path`; else `temporary_of(path)`.
    """
    temporary = temporary or temporary_of(path)
    temporary.unlink(missing_ok=True)
    descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, mode)
    with removed_on_failure(temporary), os.fdopen(descriptor, "wb") as stream:
        stream.write(content)
        stream.flush()
        os.fsync(stream.fileno())
    return temporary


def temporary_of(path: Path) -> Path:
    """The name a file has while it is written: always the same, so that what a crash left is found and removed."""
    return path.with_name(f".{path.name}{TEMPORARY}")


def remove_leftovers(folder: Path) -> None:
    """Remove what processes that died while they wrote have left below `folder`, which nobody else writes to now."""
    for path in list(walk_files(folder)):
        if path.name.startswith(".") and path.name.endswith(TEMPORARY):
            with suppress(OSError):  # it does no harm, and the next run tries again
                path.unlink()


def sync_folder(folder: Path) -> None:
    """Make a rename in `folder` last. File systems that cannot sync a folder are left to their own ways."""
    with suppress(OSError):
        descriptor = os.open(folder, os.O_RDONLY | os.O_CLOEXEC)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


@contextmanager
def removed_on_failure(path: Path) -> Iterator[None]:
    """Remove `path` when the block fails, whatever the failure."""
    try:
        yield
    except BaseException:  # also an interruption: a half-written file must not stay
        with suppress(OSError):
            path.unlink(missing_ok=True)
        raise
