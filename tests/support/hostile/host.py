"""The host before, during and after a hostile run: files of folders, processes, and their memory."""

from __future__ import annotations

import hashlib
import os
import stat
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

import psutil

_OWN = frozenset({".testwright", "__pycache__", "generated"})


@contextmanager
def unharmed(*folders: Path, marker: str = "") -> Iterator[None]:
    """Asserts that the block neither changes the folders nor leaves processes behind.

    State folders and generated tests are left out of the comparison.

    Args:
        marker: processes with it among their arguments must have ended; "" looks at none.
    """
    before = {folder: file_digests(folder) for folder in folders}
    yield
    for folder, digests in before.items():
        assert file_digests(folder) == digests, f"{folder} was changed"
    if marker:
        left = processes_with(marker)
        assert left == [], f"processes were left behind: {left}"


def file_digests(folder: Path) -> dict[str, str]:
    """Each file below a folder by path: its digest, or what it is where it is no regular file. Follows no links."""
    found: dict[str, str] = {}
    for place, names, files in os.walk(folder):
        names[:] = [name for name in names if name not in _OWN]
        for name in (*files, *(name for name in names if (Path(place) / name).is_symlink())):
            path = Path(place) / name
            mode = path.lstat().st_mode
            content = hashlib.sha256(path.read_bytes()).hexdigest() if stat.S_ISREG(mode) else ""
            target = path.readlink() if stat.S_ISLNK(mode) else ""
            found[path.relative_to(folder).as_posix()] = f"{mode:o} {content}{target}"
    return found


def processes_with(marker: str) -> list[str]:
    """Command lines of live processes that have the marker among their arguments, this one left out."""
    found = []
    for process in psutil.process_iter():
        with suppress(psutil.Error):
            words = " ".join(process.cmdline())
            if marker in words and process.pid != os.getpid() and process.status() != psutil.STATUS_ZOMBIE:
                found.append(words)
    return found


@dataclass
class Peak:
    """The most memory that processes started here held at once, in MiB."""

    mib: int = 0


@contextmanager
def peak_memory() -> Iterator[Peak]:
    """Looks twice a second at the memory of all processes that this one has started."""
    peak, over = Peak(), threading.Event()

    def look() -> None:
        while not over.wait(0.5):
            total = 0
            for process in psutil.Process().children(recursive=True):
                with suppress(psutil.Error):
                    total += process.memory_info().rss
            peak.mib = max(peak.mib, total >> 20)

    thread = threading.Thread(target=look)
    thread.start()
    try:
        yield peak
    finally:
        over.set()
        thread.join()
