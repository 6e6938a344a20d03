"""What the search has read: each file's chunks and words, kept by the hash of its content."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ...core.errors import StorageError
from ...engine.python.project.layout import find_layout
from ...store.files.files import write_file
from .chunks import Chunk, document_chunks, python_chunks
from .words import words_of

_VERSION = 2
_LARGEST = 512 * 1024


@dataclass(frozen=True, slots=True)
class Passage:
    """One chunk of one file with its words, and how often each occurs."""

    path: str
    chunk: Chunk
    words: tuple[tuple[str, int], ...]


@dataclass(frozen=True, slots=True)
class Stamp:
    """What tells that a file has changed without reading it."""

    path: str
    modified: int
    size: int


def stamps(root: Path) -> tuple[Stamp, ...]:
    """The files worth searching, sorted by path; those larger than 512 KiB are left out."""
    layout = find_layout(root)
    paths = {place.path for place in layout.modules} | {*layout.test_files, *layout.side_files, *layout.documents}
    found: list[Stamp] = []
    for path in sorted(paths):
        try:
            state = (root / path).stat()
        except OSError:
            continue
        if state.st_size <= _LARGEST:
            found.append(Stamp(path, state.st_mtime_ns, state.st_size))
    return tuple(found)


def read_passages(root: Path, files: tuple[Stamp, ...], shelf: Path) -> list[Passage]:
    """The passages of all files, in order; what the shelf holds for a file's content is not worked out again.

    Args:
        shelf: a JSON file that outlives the run; one that does not read, or cannot be written, does no harm.
    """
    kept = _read_shelf(shelf)
    entries: dict[str, dict[str, Any]] = {}
    for stamp in files:
        try:
            content = (root / stamp.path).read_bytes()
        except OSError:
            continue
        digest = hashlib.sha256(content).hexdigest()
        known = kept.get(stamp.path)
        entries[stamp.path] = known if known and known["digest"] == digest else _entry(stamp.path, content, digest)
    if entries != kept:
        _write_shelf(shelf, entries)
    return [
        Passage(path, Chunk(*one["chunk"]), tuple((word, count) for word, count in one["words"]))
        for path, entry in entries.items()
        for one in entry["passages"]
    ]


def is_test_file(path: str) -> bool:
    """Whether a path looks like that of a test."""
    name = path.rpartition("/")[2]
    return name.startswith("test_") or name.endswith("_test.py") or "/tests/" in f"/{path}" or "/test/" in f"/{path}"


def _entry(path: str, content: bytes, digest: str) -> dict[str, Any]:
    text = content.decode("utf-8", "replace")
    is_python = path.endswith(".py")
    chunks = python_chunks(text, is_test=is_test_file(path)) if is_python else document_chunks(text)
    lines = text.splitlines()
    about = words_of(path.replace("/", " ").removesuffix(".py"))
    passages = []
    for chunk in chunks:
        # The name weighs as much as three mentions, its summary as two: who searches wants what is defined so first.
        text = "\n".join(lines[chunk.first - 1 : chunk.last])
        words = Counter([*about, *words_of(chunk.name) * 3, *words_of(chunk.summary) * 2, *words_of(text)])
        place = [chunk.first, chunk.last, chunk.kind, chunk.name, chunk.summary]
        passages.append({"chunk": place, "words": [list(one) for one in sorted(words.items())]})
    return {"digest": digest, "passages": passages}


def _read_shelf(shelf: Path) -> dict[str, dict[str, Any]]:
    try:
        held = json.loads(shelf.read_bytes())
        return dict(held["files"]) if held["version"] == _VERSION else {}
    except (OSError, ValueError, KeyError, TypeError):
        return {}


def _write_shelf(shelf: Path, entries: dict[str, dict[str, Any]]) -> None:
    try:
        write_file(shelf, json.dumps({"version": _VERSION, "files": entries}, separators=(",", ":")))
    except StorageError:
        return
