"""Processor time and memory of a program and all its descendants, read from /proc while it runs.

What a process used is told to its parent when the parent waits for it, and lost where nobody does: a namespace that
ends with its first process takes everybody's time with it, and so does a parent that ignores how its children end. So
every process is looked at while it lives, and what it was last seen to have used counts, told or not. Of what nobody is
told, only the time since the last look is missed.

A look costs about a millisecond; only memory that is shared in parts costs more, and is read when it may be a new peak.
"""

from __future__ import annotations

import os
import resource
import signal
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

_TICKS = os.sysconf("SC_CLK_TCK")
_PAGE_KIB = resource.getpagesize() // 1024
_GROWN = 1.05  # resident memory that has not grown by so much since the last reading is not read for a while
_READ_SECONDS = 1.0

Key = tuple[int, int]
"""Process id and the moment it started: ids are given again."""


@dataclass(frozen=True, slots=True)
class Row:
    """One process at one look.

    Attributes:
        parent: its process id.
        own: processor seconds it used itself.
        told: those of descendants that it has waited for.
        resident_kib: its memory, shared pages in full.
    """

    parent: int
    own: float
    told: float
    resident_kib: int

    @property
    def whole(self) -> float:
        """What its parent is told when it waits for it now."""
        return self.own + self.told


_NOTHING = Row(0, 0.0, 0.0, 0)


class Spending:
    """Adds up what a tree of processes has used, from one look to the next.

    Attributes:
        seconds: all of it so far.
    """

    def __init__(self, root: Key) -> None:
        self.seconds = 0.0
        self._root = root
        self._last: dict[Key, Row] = {root: _NOTHING}

    @property
    def known(self) -> set[Key]:
        """Whom the last look saw below the root."""
        return set(self._last) - {self._root}

    def count(self, rows: Mapping[Key, Row], told: float) -> None:
        """Add what was used since the last look.

        A process that is gone was counted as far as it was seen; what its nearest ancestor was told of it is that, too.

        Args:
            rows: everybody below the root.
            told: processor seconds of all that the root has waited for.
        """
        now = {**rows, self._root: Row(0, 0.0, told, 0)}
        counted = self._gone(now)
        for key, row in now.items():
            before = self._last.get(key, _NOTHING)
            self.seconds += max(0.0, row.own - before.own)
            self.seconds += max(0.0, row.told - before.told - counted.get(key, 0.0))
        self._last = now

    def _gone(self, now: Mapping[Key, Row]) -> dict[Key, float]:
        """What processes that are gone had used when they were last seen, by their nearest ancestor that is there."""
        keys = {key[0]: key for key in self._last}
        found: dict[Key, float] = {}
        for key, row in self._last.items():
            if key in now:
                continue
            ancestor = keys.get(row.parent, self._root)
            while ancestor not in now:
                ancestor = keys.get(self._last[ancestor].parent, self._root)
            found[ancestor] = found.get(ancestor, 0.0) + row.whole
        return found


class Account:
    """What a program, and all that it starts, uses. This process must be the one that adopts orphans.

    Args:
        leader: process id of the program, a child of this process.

    Attributes:
        status: its exit code, negative for a signal; None while it runs.
        over_by_itself: whether nobody has ended it.
        peak_kib: the most memory that all of them held at one time.
    """

    def __init__(self, leader: int) -> None:
        self.leader = leader
        self.status: int | None = None
        self.over_by_itself = False
        self.peak_kib = 0
        self._spending = Spending((os.getpid(), -1))
        self._told = 0.0
        self._read_at = float("-inf")
        self._read_resident = 0

    @property
    def over(self) -> bool:
        """Whether the program has ended."""
        return self.status is not None

    @property
    def cpu(self) -> float:
        """Processor seconds of all of them, user and system."""
        return self._spending.seconds

    def reap(self) -> bool:
        """Collect every child that has ended; whether there are others."""
        while True:
            try:
                pid, status, usage = os.wait4(-1, os.WNOHANG)
            except ChildProcessError:
                return False
            if pid == 0:
                return True
            self._told += usage.ru_utime + usage.ru_stime
            if pid == self.leader:
                self.status = os.waitstatus_to_exitcode(status)
                self.over_by_itself = True

    def look(self, *, memory: bool = True) -> None:
        """Count what was used since the last look; remember the memory of this moment where it is the most so far."""
        rows = dict(rows_of(descendants(os.getpid())))
        for key in self._spending.known - rows.keys():
            rows |= dict(rows_of([key[0]], key))  # a list of children may leave one out while others end
        self._spending.count(rows, self._told)
        resident = sum(row.resident_kib for row in rows.values())
        if memory and self._may_be_a_peak(resident):
            self._read_at, self._read_resident = time.monotonic(), resident
            self.peak_kib = max(self.peak_kib, sum(shared_memory_kib(pid) for pid, _ in rows))

    def end(self) -> None:
        """End whatever is left, and collect it. What was still running then did not come to its end by itself."""
        ended = self.over_by_itself
        for _ in range(200):
            self.look(memory=False)
            left = descendants(os.getpid())
            for pid in left:
                try:
                    os.kill(pid, signal.SIGKILL)
                except ProcessLookupError:
                    continue
            if not self.reap() and not left:
                break
            time.sleep(0.05)
        self._spending.count({}, self._told)
        self.over_by_itself = ended

    def _may_be_a_peak(self, resident_kib: int) -> bool:
        return resident_kib > self._read_resident * _GROWN or time.monotonic() - self._read_at > _READ_SECONDS


def rows_of(pids: Iterable[int], only: Key | None = None) -> Iterator[tuple[Key, Row]]:
    """What /proc tells of processes; of one that has ended meanwhile, or is another than `only`, nothing."""
    for pid in pids:
        try:
            words = _read(f"/proc/{pid}/stat").rpartition(")")[2].split()
        except OSError:
            continue
        own, told = (int(words[11]) + int(words[12])) / _TICKS, (int(words[13]) + int(words[14])) / _TICKS
        key = (pid, int(words[19]))
        if only in (None, key):
            yield key, Row(int(words[1]), own, told, int(words[21]) * _PAGE_KIB)


def descendants(root: int) -> list[int]:
    """Process ids of all descendants of a process."""
    children = _children if Path(f"/proc/{os.getpid()}/task/{os.getpid()}/children").exists() else _parents_read()
    found: list[int] = []
    waiting = [root]
    while waiting:
        below = children(waiting.pop())
        found += below
        waiting += below
    return found


def _children(pid: int) -> list[int]:
    """Of all threads of a process, as Linux lists them where it was built to."""
    try:
        threads = os.listdir(f"/proc/{pid}/task")  # noqa: PTH208 - many times a second
    except OSError:
        return []
    found: list[int] = []
    for thread in threads:
        try:
            found += [int(part) for part in _read(f"/proc/{pid}/task/{thread}/children").split()]
        except OSError:
            continue
    return found


def _parents_read() -> Callable[[int], list[int]]:
    """The same by asking every process for its parent."""
    children: dict[int, list[int]] = {}
    everybody = (int(entry) for entry in os.listdir("/proc") if entry.isdigit())  # noqa: PTH208 - many times a second
    for (pid, _), row in rows_of(everybody):
        children.setdefault(row.parent, []).append(pid)
    return lambda pid: children.get(pid, [])


def _read(path: str) -> str:
    file = os.open(path, os.O_RDONLY)
    try:
        return os.read(file, 65536).decode("utf-8", "replace")
    finally:
        os.close(file)


def shared_memory_kib(pid: int) -> int:
    """Its share of memory: what it shares with others counts in parts, else all that is resident."""
    try:
        for line in Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines():
            if line.startswith("Pss:"):
                return int(line.split()[1])
    except OSError:
        pass
    try:
        return int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * _PAGE_KIB
    except (OSError, IndexError):
        return 0
