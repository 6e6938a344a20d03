"""Lists the processes below this one and what they use. Standard library only; imported by the keeper."""

# ruff: noqa: PTH110, PTH123, PTH208
# The keeper starts with every program: importing pathlib would double the time that takes.

from __future__ import annotations

import os
import resource
from collections.abc import Callable, Iterator


def descendants() -> list[int]:
    """Every process below this one, parents before children."""
    children = children_by_parent()
    found, position = list(children(os.getpid())), 0
    while position < len(found):
        found.extend(children(found[position]))
        position += 1
    return found


def children_by_parent() -> Callable[[int], list[int]]:
    """A function from a process to its children, by the cheapest way this system has."""
    if os.path.exists(f"/proc/self/task/{os.getpid()}/children"):
        return children_listed
    table: dict[int, list[int]] = {}
    for pid, parent in every_process():
        table.setdefault(parent, []).append(pid)
    return lambda pid: table.get(pid, [])


def children_listed(pid: int) -> list[int]:
    """Children as the kernel lists them for each thread."""
    found = []
    try:
        for task in os.listdir(f"/proc/{pid}/task"):
            with open(f"/proc/{pid}/task/{task}/children") as file:
                found.extend(int(part) for part in file.read().split())
    except OSError:
        return found
    return found


def every_process() -> Iterator[tuple[int, int]]:
    """Process and parent, for each process of the machine."""
    if not os.path.exists("/proc/self/stat"):
        for line in os.popen("ps -A -o pid=,ppid="):
            pid, parent = line.split()
            yield int(pid), int(parent)
        return
    for name in os.listdir("/proc"):
        if name.isdigit():
            try:
                with open(f"/proc/{name}/stat", "rb") as file:
                    yield int(name), int(file.read().rpartition(b")")[2].split()[1])
            except OSError:
                continue


def usage(pid: int) -> tuple[int, int]:
    """Threads and private memory in bytes of a process; a process that is gone, or unseen, has none."""
    try:
        tasks = len(os.listdir(f"/proc/{pid}/task"))
        with open(f"/proc/{pid}/statm") as file:
            pages = file.read().split()
        return tasks, (int(pages[1]) - int(pages[2])) * resource.getpagesize()
    except OSError:
        return 1, 0
