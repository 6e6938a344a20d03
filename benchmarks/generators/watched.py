"""Running a program under a memory limit, and what it and all its descendants cost.

The benchmark adopts whatever its programs leave behind, so that no process escapes the account or outlives the run.
"""

from __future__ import annotations

import ctypes
import os
import resource
import signal
import subprocess
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from .account import Account

_PR_SET_CHILD_SUBREAPER = 36
_INTERVAL = 0.1
_SHOWN = 4000


@dataclass(frozen=True)
class Watched:
    """What came of one program.

    Attributes:
        exit_code: negative for a signal, None when its time was up.
        wall_seconds, cpu_seconds: the latter of it and all its descendants, user and system, waited for or not.
        peak_mib: the most memory that all of them held at one time; what they share counts once.
        first_seconds: when `first` was true for the first time, None when never.
        output: the end of what it printed.
    """

    exit_code: int | None
    wall_seconds: float
    cpu_seconds: float
    peak_mib: float
    first_seconds: float | None
    output: str


def adopt_orphans() -> None:
    """Make this process the parent of descendants whose own parent ends. Linux only; elsewhere nothing happens."""
    try:
        ctypes.CDLL(None, use_errno=True).prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    except (OSError, AttributeError):
        return


def run_watched(
    command: Sequence[str],
    *,
    cwd: Path,
    environment: Mapping[str, str],
    wall_seconds: float,
    memory_mib: int,
    niceness: int = 0,
    first: Callable[[], bool] | None = None,
    memory: bool = True,
) -> Watched:
    """Run a program to its end, or to the end of its time; nothing that it started is left.

    Args:
        environment: all of it.
        memory_mib: address space of each process.
        niceness: added to ours; below 0 only for root.
        first: asked ten times a second until it is true.
        memory: look at memory at all.
    """

    def limited() -> None:
        resource.setrlimit(resource.RLIMIT_AS, (memory_mib << 20, memory_mib << 20))
        if niceness:
            _be_nice(niceness)

    with tempfile.TemporaryFile() as output:
        began = time.monotonic()
        process = subprocess.Popen(
            command,
            cwd=cwd,
            env=dict(environment),
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            start_new_session=True,
            preexec_fn=limited,  # noqa: PLW1509 - there are no threads here
        )
        account = Account(process.pid)
        appeared: float | None = None
        while not account.over and time.monotonic() - began < wall_seconds:
            account.reap()
            account.look(memory=memory)
            if first is not None and appeared is None and first():
                appeared = time.monotonic() - began
            if not account.over:
                time.sleep(_INTERVAL)
        wall = time.monotonic() - began
        if first is not None and appeared is None and first():
            appeared = wall
        account.end()
        process.returncode = account.status if account.status is not None else -signal.SIGKILL
        output.seek(max(0, output.seek(0, os.SEEK_END) - _SHOWN))
        told = output.read().decode("utf-8", "replace")
    exit_code = account.status if account.over_by_itself else None
    return Watched(exit_code, round(wall, 3), round(account.cpu, 3), round(account.peak_kib / 1024, 1), appeared, told)


def _be_nice(niceness: int) -> None:
    """Set the niceness of this process, and of its session, by which Linux shares processors among sessions."""
    os.nice(niceness)
    try:
        Path("/proc/self/autogroup").write_text(str(niceness))
    except OSError:
        return
