"""Lists the processes below this one and what they use, and what they wrote. Standard library only; for the keeper."""

# ruff: noqa: PTH110, PTH116, PTH123, PTH208
# The keeper starts with every program: importing pathlib would double the time that takes.

from __future__ import annotations

import errno
import os
import resource
import stat

TYPE_CHECKING = False
if TYPE_CHECKING:  # as that of `typing`, which takes longer to import than all that the keeper does
    from collections.abc import Callable, Iterable, Iterator

MOST_FILES = 200_000
DEEPEST = 128
NO_END = 1 << 62
PIECE = 1 << 16
_OF_NO_FILE = (b"/dev/zero", b"/memfd:", b"/SYSV")


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
            found.extend(map(int, contents(f"/proc/{pid}/task/{task}/children").split()))
    except OSError:
        return found
    return found


def contents(path: str) -> bytes:
    """What the kernel says in a file of /proc, without the stream that `open` makes around it; raises OSError."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        said = piece = os.read(descriptor, PIECE)
        while piece:
            piece = os.read(descriptor, PIECE)
            said += piece
        return said
    finally:
        os.close(descriptor)


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
        pages = contents(f"/proc/{pid}/statm").split()
        return tasks, (int(pages[1]) - int(pages[2])) * resource.getpagesize()
    except OSError:
        return 1, 0


def machine_shared_memory() -> int:
    """Bytes of shared memory, and of file systems in memory, that the whole machine holds."""
    try:
        said = contents("/proc/meminfo").partition(b"Shmem:")[2].split(None, 1)
        return int(said[0]) * 1024 if said else 0
    except OSError:
        return 0  # not Linux: shared memory is not counted


def shared_memory(pids: Iterable[int]) -> int:
    """Bytes of memory that processes share without a file behind it, each block once and as large as it can be.

    What is mapped counts, not what is resident: pages of a block stay when a process only forgets them.
    """
    blocks: dict[tuple[bytes, bytes], int] = {}
    for pid in pids:
        try:
            with open(f"/proc/{pid}/maps", "rb") as file:
                for line in file:
                    parts = line.split(None, 5)
                    if len(parts) == 6 and parts[1][3:4] == b"s" and parts[5].startswith(_OF_NO_FILE):
                        first, _, last = parts[0].partition(b"-")
                        end = int(parts[2], 16) + int(last, 16) - int(first, 16)
                        block = (parts[3], parts[4])
                        blocks[block] = max(end, blocks.get(block, 0))
        except OSError:
            continue  # it has ended
    return sum(blocks.values())


def written(folders: Iterable[str], since: float, pids: Iterable[int]) -> int:
    """Bytes on disk of files that have changed in folders since a time, and of deleted files that processes hold open.

    Folders without end, or too many files, count as more than any bound.
    """
    total = count = 0
    for folder in folders:
        waiting = [(folder, 0)]
        while waiting:
            place, depth = waiting.pop()
            try:
                entries = list(os.scandir(place))
            except OSError as fault:
                if fault.errno == errno.ENAMETOOLONG:
                    return NO_END
                continue
            count += len(entries)
            if depth > DEEPEST or count > MOST_FILES:
                return NO_END
            for entry in entries:
                if entry.is_dir(follow_symlinks=False):
                    waiting.append((entry.path, depth + 1))
                    continue
                try:
                    facts = entry.stat(follow_symlinks=False)
                except OSError:
                    continue
                if facts.st_ctime >= since:
                    total += facts.st_blocks * 512
    return total + deleted_files(pids)


def deleted_files(pids: Iterable[int]) -> int:
    """Bytes on disk of files without a name that processes hold open."""
    files: dict[tuple[int, int], int] = {}
    for pid in pids:
        try:
            for descriptor in os.listdir(f"/proc/{pid}/fd"):
                facts = os.stat(f"/proc/{pid}/fd/{descriptor}")
                if facts.st_nlink == 0 and stat.S_ISREG(facts.st_mode):
                    files[facts.st_dev, facts.st_ino] = facts.st_blocks * 512
        except OSError:
            continue  # it has ended, or closed it
    return sum(files.values())
