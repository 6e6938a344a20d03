"""Tells whether a process and those it started are at work or wait, from Linux's `/proc`."""

import os
from pathlib import Path

# States of a thread that runs or is ready to run, or that waits for a disk: a busy machine lets it wait for long.
AT_WORK = ("R", "D")


def at_work(pid, proc="/proc"):
    """Whether a thread of a process, or of one it started, is running or ready to run; False where `/proc` is missing.

    Args:
        pid: the process; those it started are found by their parents. None, which has ended, is not at work.
        proc: where the system describes its processes.
    """
    parents = {}
    for entry in _numbers(proc):
        stat = _stat(Path(proc, entry, "stat"))
        if stat:
            parents[int(entry)] = int(stat[1])
    return any(
        "".join(_stat(Path(proc, str(one), "task", thread, "stat"))[:1]) in AT_WORK
        for one in parents
        if _descends(one, pid, parents)
        for thread in _numbers(f"{proc}/{one}/task")
    )


def _descends(pid, ancestor, parents):
    seen = set()
    while pid != ancestor and pid in parents and pid not in seen:
        seen.add(pid)
        pid = parents[pid]
    return pid == ancestor


def _numbers(folder):
    try:
        return [name for name in os.listdir(folder) if name.isdecimal()]
    except OSError:  # it has ended
        return []


def _stat(path):
    """The fields of a `stat` file behind the name, which may hold spaces: state, parent, …; empty once it has ended."""
    try:
        return path.read_text(encoding="utf-8", errors="replace").rpartition(")")[2].split()
    except OSError:
        return []
