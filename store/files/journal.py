"""An append-only file of JSON lines that survives a crash in the middle of a line.

A line counts once it ends in a newline. What a crash left after the last newline is dropped before the next line is
written; readers skip it. Several processes may append to one file: each holds it while it writes a line.
"""

from __future__ import annotations

import fcntl
import os
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from ...core.errors import StoreCorrupt
from ...utils.outgoing_text import json_text
from ...utils.untrusted_files import MAX_RESULT_BYTES, decoded_json
from .files import typed_errors


class JsonlJournal:
    """Appends lines to one file, in order, from any thread.

    The file is opened at the first write. `count` says how many lines it holds.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._lock = threading.RLock()
        self._descriptor: int | None = None
        self._count = 0
        self._size = 0

    @property
    def count(self) -> int:
        """Whole lines in the file. Raises StorageError when it cannot be opened."""
        with self._lock, typed_errors(self.path, "open"), self._held():
            return self._count

    def append(self, entry: dict[str, Any]) -> None:
        """Write one line and hand it to the operating system.

        Raises:
            StoreFull, StorageError: the line is not in the file, not even in part.
        """
        self.append_numbered(lambda number: entry)

    def append_numbered(self, entry_of: Callable[[int], dict[str, Any]]) -> None:
        """Write one line that knows its number, from 1. Raises as `append`."""
        with self._lock, typed_errors(self.path, "write"), self._held() as descriptor:
            line = (json_text(entry_of(self._count + 1), default=str) + "\n").encode()
            try:
                _write_all(descriptor, line)
            except OSError:
                os.ftruncate(descriptor, self._size)
                raise
            self._count += 1
            self._size += len(line)

    def close(self) -> None:
        """Close the file; a later append opens it again."""
        with self._lock:
            if self._descriptor is not None:
                os.close(self._descriptor)
                self._descriptor = None

    @contextmanager
    def _held(self) -> Iterator[int]:
        """Hold the file, up to date with what others have written, without a line that one of them left unfinished."""
        if self._descriptor is None:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            self._descriptor = os.open(self.path, os.O_RDWR | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC, 0o666)
            self._count = self._size = 0
        descriptor = self._descriptor
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        try:
            if os.fstat(descriptor).st_size != self._size:
                lines, self._size = _drop_torn_line(descriptor, self._size)
                self._count += lines
            yield descriptor
        finally:
            fcntl.flock(descriptor, fcntl.LOCK_UN)


def read_journal(path: Path) -> Iterator[dict[str, Any]]:
    """The entries of a journal, oldest first; a torn last line is left out, a missing file has none.

    Raises:
        StoreCorrupt: a line before the last is no JSON object.
        StorageError: the file cannot be read.
    """
    if not path.exists():
        return
    with typed_errors(path, "read"), path.open("rb") as stream:
        for number, line in enumerate(iter(lambda: stream.readline(MAX_RESULT_BYTES), b""), start=1):
            if line.endswith(b"\n") or len(line) == MAX_RESULT_BYTES:
                yield _entry(line, path, number)


def _entry(line: bytes, path: Path, number: int) -> dict[str, Any]:
    try:
        entry = decoded_json(line)
    except ValueError:
        entry = None
    if not isinstance(entry, dict):
        raise StoreCorrupt(
            f"Line {number} of {path} is not what was written there.",
            advice="The file was changed or damaged; it was left as it is. Move it away to go on without it.",
            details={"path": str(path), "line": number},
        )
    return entry


def _drop_torn_line(descriptor: int, begin: int) -> tuple[int, int]:
    """Cut the file after its last newline; how many lines there are after `begin`, and where the file ends now."""
    count, kept, position = 0, begin, begin
    while chunk := os.pread(descriptor, 1 << 20, position):
        count += chunk.count(b"\n")
        last = chunk.rfind(b"\n")
        if last >= 0:
            kept = position + last + 1
        position += len(chunk)
    if kept != position:
        os.ftruncate(descriptor, kept)
    return count, kept


def _write_all(descriptor: int, content: bytes) -> None:
    view = memoryview(content)
    while view:
        view = view[os.write(descriptor, view) :]
