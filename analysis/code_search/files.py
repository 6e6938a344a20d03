"""Lists a project's searchable files and cuts one file into passages."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from ...engine.python.project.layout import find_layout
from .chunks import Chunk, document_chunks, python_chunks

_MAX_FILE_BYTES = 512 * 1024


@dataclass(frozen=True, slots=True)
class Passage:
    """One chunk of one file; `path` is relative to the project's root, in POSIX form."""

    path: str
    chunk: Chunk


@dataclass(frozen=True, slots=True)
class FileStamp:
    """A file's modification time (ns) and size (bytes): when either differs, its content is read again."""

    path: str
    modified: int
    size: int


def list_files(root: Path) -> tuple[FileStamp, ...]:
    """The modules, tests and documents of a project up to 512 KiB, sorted by path.

    Raises:
        ProjectError: the root is no readable folder.
    """
    layout = find_layout(root)
    paths = {module.path for module in layout.modules} | {*layout.test_files, *layout.side_files, *layout.documents}
    found: list[FileStamp] = []
    for path in sorted(paths):
        try:
            state = (root / path).stat()
        except OSError:  # deleted since the folder was listed
            continue
        if state.st_size <= _MAX_FILE_BYTES:
            found.append(FileStamp(path, state.st_mtime_ns, state.st_size))
    return tuple(found)


def is_test_file(path: str) -> bool:
    """Whether a path follows the naming conventions of Python tests."""
    name = path.rpartition("/")[2]
    return name.startswith("test_") or name.endswith("_test.py") or "/tests/" in f"/{path}" or "/test/" in f"/{path}"


def passages_of(path: str, content: bytes) -> Iterator[tuple[Passage, str]]:
    """The passages of one file, each with its text."""
    text = content.decode("utf-8", "replace")
    chunks = python_chunks(text, is_test=is_test_file(path)) if path.endswith(".py") else document_chunks(text)
    lines = text.splitlines()
    for chunk in chunks:
        yield Passage(path, chunk), "\n".join(lines[chunk.first - 1 : chunk.last])
