"""Runs of the real command that are stopped at an event, and what has to hold of them afterwards."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import psutil

from testwright.tests.support.projects.files import ROOT
from testwright.tests.support.warm.commands import warm_command

_PATIENCE = 500.0
"""Seconds after which a test gives up; nothing takes this long."""

_OFTEN = 0.005
"""Seconds between two looks at a run's events: it is to be stopped before its next step."""

_SELDOM = 0.1
"""Seconds between two looks at all processes of the machine."""

Entry = Mapping[str, Any]


@contextmanager
def started_command(*arguments: str, cwd: Path, warm: bool = False) -> Iterator[subprocess.Popen[str]]:
    """`python main.py ARGUMENTS` in a process group of its own; killed, if it still lives, on leaving.

    Args:
        warm: for tests that only kill it: the process is the one that stands for it, see `support/warm`.
    """
    with subprocess.Popen(
        warm_command(*arguments) if warm else [sys.executable, str(ROOT / "main.py"), *arguments],
        cwd=cwd,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    ) as process:
        try:
            yield process
        finally:
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGKILL)


def events_of(run_folder: Path) -> list[dict[str, Any]]:
    """The events a run has written so far; half a line at the end is left out."""
    path = run_folder / "events.jsonl"
    if not path.is_file():
        return []
    lines = path.read_text("utf-8").split("\n")[:-1]
    found = []
    for line in lines:
        try:
            found.append(json.loads(line))
        except ValueError:
            continue
    return found


def await_event(process: subprocess.Popen[str], run_folder: Path, wanted: Callable[[Entry], bool]) -> bool:
    """Wait until the run has written an event that is `wanted`; False when it ended without one."""
    new_events = _Events(run_folder)
    return _awaited(lambda: any(wanted(event) for event in new_events()), process)


def kill_at(process: subprocess.Popen[str], run_folder: Path, wanted: Callable[[Entry], bool]) -> None:
    """`kill -9` the command's process, and nothing else, as soon as an event is there."""
    assert await_event(process, run_folder, wanted), process.communicate()
    kill(process)


def kill_when(process: subprocess.Popen[str], holds: Callable[[], bool]) -> None:
    """As `kill_at`, as soon as something holds; when it was too short to be seen, the run has come to its end."""
    _awaited(holds, process)
    kill(process)


def kill(process: subprocess.Popen[str]) -> None:
    """`kill -9` a command, and wait until its streams have ended: one that is warm dies a moment after its stub."""
    process.kill()
    process.communicate()


def await_nobody(about: Path) -> bool:
    """Wait until no process has `about` in its command line; False when some stay."""
    return _awaited(lambda: not _speaking_of(str(about)), every=_SELDOM)


def repeated_work(run_folder: Path) -> list[str]:
    """What a resumed run did again although a checkpoint had it: empty when all is well.

    A node's checkpoint is on disk before the next node of its graph begins; so only the last node that a step had
    begun when the process died may begin twice.
    """
    sessions: list[list[dict[str, Any]]] = []
    for event in events_of(run_folder):
        if event["type"] == "started":
            sessions.append([])
        sessions[-1].append(event)
    repeated = []
    done: set[tuple[str, str]] = set()
    for session in sessions:
        begun: dict[str, list[str]] = {}
        for event in session:
            if event["type"] == "node_started" and event["step_id"]:
                begun.setdefault(event["step_id"], []).append(event["data"]["node"])
        repeated += [f"{step}: {node}" for step, nodes in begun.items() for node in nodes if (step, node) in done]
        done |= {(step, node) for step, nodes in begun.items() for node in nodes[:-1]}
    return repeated


class _Events:
    """Answers the events that a run has written since the last call; half a line at the end waits for the next."""

    def __init__(self, run_folder: Path) -> None:
        self._path = run_folder / "events.jsonl"
        self._end = 0

    def __call__(self) -> list[dict[str, Any]]:
        if not self._path.is_file():
            return []
        with self._path.open("rb") as file:
            file.seek(self._end)
            whole, newline, _ = file.read().rpartition(b"\n")
        self._end += len(whole) + len(newline)
        return [json.loads(line) for line in whole.splitlines()]


def _awaited(holds: Callable[[], bool], process: subprocess.Popen[str] | None = None, *, every: float = _OFTEN) -> bool:
    end = time.monotonic() + _PATIENCE
    while time.monotonic() < end:
        ended = process is not None and process.poll() is not None
        if holds():
            return True
        if ended:
            return False
        time.sleep(every)
    raise AssertionError(f"waited {_PATIENCE:.0f} s in vain")


def _speaking_of(text: str) -> Sequence[psutil.Process]:
    found = []
    for process in psutil.process_iter():
        try:
            if process.pid != os.getpid() and any(text in word for word in process.cmdline()):
                found.append(process)
        except psutil.Error:
            continue
    return found
