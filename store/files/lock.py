"""Locks: one process at a time works on a run, one adds files to a project. A lock ends with its process.

Workers that Temporal has given steps of one run share its locks: they exclude all but each other.
"""

from __future__ import annotations

import contextlib
import fcntl
import hashlib
import os
import socket
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from filelock import FileLock, Timeout

from ...core.errors import RunLocked, StorageError
from ...utils.canonical import pretty_json
from ...utils.untrusted_files import read_json
from ...utils.untrusted_folders import remove_tree
from .files import make_folder, typed_errors, write_file
from .run_folder import RunFolder, prepare_state_dir, run_ids

_PATIENCE_SECONDS = 0.5
"""Longer than `is_locked` holds a lock while it checks."""
_POLL_SECONDS = 0.02


@dataclass(frozen=True, slots=True)
class Owner:
    """The holder of a lock: process id, host name and purpose; `shared` where it is a worker among others."""

    pid: int
    host: str
    purpose: str
    shared: bool = False


@contextmanager
def run_lock(folder: RunFolder, *, shared: bool = False) -> Iterator[None]:
    """Hold the run for the block.

    Args:
        shared: among processes that share it as well.

    Raises:
        RunLocked: another process works on it; the message says which.
        StorageError: the lock file cannot be made.
    """
    make_folder(folder.path)
    with _held(folder.lock, f"run {folder.run_id}", f"run {folder.run_id}", shared=shared):
        yield


@contextmanager
def step_lock(folder: RunFolder, step_id: str) -> Iterator[None]:
    """Hold one step of a run for the block, among all processes that work on the run. Raises as `run_lock`."""
    name = hashlib.sha256(step_id.encode()).hexdigest()[:16]
    make_folder(folder.leases)
    with _held(folder.leases / f"{name}.lock", f"step {step_id}", f"step {step_id} of run {folder.run_id}"):
        yield


@contextmanager
def project_lock(state_dir: Path, root: Path, purpose: str, *, shared: bool = False) -> Iterator[None]:
    """Hold the project for the block, among the processes that share the state folder.

    Args:
        purpose: what the holder does, for the message others get: "run 1234".
        shared: among processes that share it as well; the caller sees to it that they are of one run.

    Raises:
        RunLocked, StorageError: as `run_lock`.
    """
    prepare_state_dir(state_dir)
    make_folder(state_dir / "locks")
    name = hashlib.sha256(os.fsencode(root.resolve())).hexdigest()[:16]
    with _held(state_dir / "locks" / f"project-{name}.lock", f"project {root}", purpose, shared=shared):
        yield


def remove_scratch_of_dead_runs(state_dir: Path) -> None:
    """Delete snapshots and workspaces of runs whose process ended without doing so; runs at work keep theirs."""
    for run_id in run_ids(state_dir):
        folder = RunFolder(state_dir, run_id)
        if folder.scratch.is_dir() and not is_locked(folder):
            # Where it does not work the next start tries again.
            with contextlib.suppress(RunLocked, StorageError, OSError), run_lock(folder):
                remove_tree(folder.scratch)


def is_locked(folder: RunFolder) -> bool:
    """Whether some process works on the run at this moment."""
    if not folder.lock.exists():
        return False
    lock = FileLock(folder.lock, timeout=0, thread_local=False)
    try:
        lock.acquire()
    except Timeout:
        return True
    except OSError:  # a read-only state folder cannot hold a running run
        return False
    lock.release()
    return False


@contextmanager
def _held(path: Path, what: str, purpose: str, *, shared: bool = False) -> Iterator[None]:
    # Not thread-local: the block may be left in another thread than it was entered in (asyncio.to_thread).
    lock = _SharedLock(path) if shared else FileLock(path, timeout=_PATIENCE_SECONDS, thread_local=False)
    note = path.with_name(f"{path.name}.owner")
    with typed_errors(path, "lock"):
        try:
            lock.acquire()
        except Timeout as error:
            raise _locked(note, what) from error
    try:
        holder = {"pid": os.getpid(), "host": socket.gethostname(), "purpose": purpose}
        write_file(note, pretty_json({**holder, "shared": True} if shared else holder))
        yield
    finally:
        # Of those that share a lock, one may end before the process that wrote the note.
        if not shared or (owner := _owner(note)) is None or owner.pid == os.getpid():
            with contextlib.suppress(OSError):
                note.unlink(missing_ok=True)
        lock.release()


class _SharedLock:
    """A lock on the same file as `FileLock`, that any number of processes hold unless one holds it for itself."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._descriptor: int | None = None

    def acquire(self) -> None:
        """Take the lock. Raises Timeout, OSError."""
        descriptor = os.open(self._path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
        end = time.monotonic() + _PATIENCE_SECONDS
        while True:
            try:
                fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
            except BlockingIOError as error:
                if time.monotonic() < end:
                    time.sleep(_POLL_SECONDS)
                    continue
                os.close(descriptor)
                raise Timeout(str(self._path)) from error
            except BaseException:  # whatever it was, the descriptor would leak
                os.close(descriptor)
                raise
            self._descriptor = descriptor
            return

    def release(self) -> None:
        """Let go of the lock."""
        if self._descriptor is not None:
            os.close(self._descriptor)
            self._descriptor = None


def _locked(note: Path, what: str) -> RunLocked:
    owner = _owner(note)
    who = "another process" if owner is None else f"process {owner.pid} on {owner.host} ({owner.purpose})"
    if owner is None:
        end = ""
    elif owner.shared:  # a worker that ends is replaced by another, and may have runs of others
        end = ", or cancel the run with `testwright temporal cancel --on ADDRESS`"
    else:
        end = f", or end it with `kill {owner.pid}` on {owner.host}"
    return RunLocked(
        f"The {what} is being worked on by {who}.",
        advice=f"Wait until it has finished{end}. A process that has died holds nothing.",
        details={} if owner is None else {"pid": owner.pid, "host": owner.host, "purpose": owner.purpose},
    )


def _owner(note: Path) -> Owner | None:
    try:
        found = read_json(note.parent, note.name)
        return Owner(int(found["pid"]), str(found["host"]), str(found["purpose"]), found.get("shared") is True)
    except (OSError, ValueError, KeyError, TypeError):
        return None
