"""Computes digests of a project's files in place, and of the packages installed for an interpreter.

The files are those that `snapshot.py` copies: equal digests mean that a run would see the same project. Standard
library only and quick to import: the command line asks before it loads anything heavy. Everything here blocks.
"""

from __future__ import annotations

import hashlib
import os
import stat
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from ..utils.untrusted_folders import reason_to_skip
from .distributions import is_plain
from .snapshot import is_junk

MOST_BYTES = 256 * 1024**2
_INSTALLED = (".dist-info", ".egg-info", ".egg-link", ".pth")


class TooLargeError(Exception):
    """The project holds more than can be read through in a moment."""


def tree_digests(root: Path, exclude: Iterable[Path] = ()) -> dict[str, str]:
    """The digest of every file of a project, by POSIX path relative to the root.

    Args:
        exclude: folders inside it that are not part of it (our own state).

    Raises:
        TooLargeError: it holds more than `MOST_BYTES`.
        OSError: the root, or a file in it, cannot be read.
    """
    root = root.resolve()
    excluded = frozenset(folder.resolve() for folder in exclude)
    found: dict[str, str] = {}
    left = MOST_BYTES
    waiting = [""]
    while waiting:
        folder = waiting.pop()
        for entry in _entries(root / folder):
            name = f"{folder}/{entry.name}" if folder else entry.name
            if reason_to_skip(name) or is_junk(entry, excluded):
                continue
            if entry.is_symlink():
                found[name] = f"link {os.readlink(entry.path)}"  # noqa: PTH115 - an entry's path is text
            elif entry.is_dir(follow_symlinks=False):
                waiting.append(name)
            elif entry.is_file(follow_symlinks=False):
                facts = entry.stat(follow_symlinks=False)
                left -= facts.st_size
                if left < 0:
                    raise TooLargeError(f"{root} holds more than {MOST_BYTES} bytes")
                found[name] = f"{'program' if facts.st_mode & 0o111 else 'file'} {_file_digest(entry.path)}"
    return found


def digest_of_tree(digests: Mapping[str, str]) -> str:
    """One digest for all of them."""
    return _digest(f"{name}\0{digest}\n" for name, digest in sorted(digests.items()))


def installed_digest(site: Path) -> str:
    """What is installed in a folder of packages: names, versions, path files, and when each was installed.

    An installed file that somebody edits in place is not noticed.
    """
    return _digest(_installed(site))


def program_digest(path: Path) -> str:
    """An executable, or a file of settings that may be missing: where it leads to, its size, when it was written."""
    try:
        facts = path.stat()
    except OSError:
        return "missing"
    return f"{path.resolve()} {facts.st_size} {facts.st_mtime_ns}"


def _installed(site: Path) -> Iterator[str]:
    try:
        entries = _entries(site)
    except OSError:
        yield "missing"
        return
    for entry in entries:
        if entry.name.endswith(_INSTALLED):
            facts = entry.stat(follow_symlinks=False)
            content = "" if stat.S_ISDIR(facts.st_mode) else _file_digest(entry.path)
            yield f"{entry.name}\0{facts.st_mtime_ns}\0{content}\n"


def _entries(folder: Path) -> list[os.DirEntry[str]]:
    with os.scandir(folder) as found:
        return sorted(found, key=lambda entry: os.fsencode(entry.name))


def _file_digest(path: str) -> str:
    if not is_plain(Path(path)):
        return "no plain file"
    with open(path, "rb") as reading:  # noqa: PTH123 - an entry's path is text
        return hashlib.file_digest(reading, "sha256").hexdigest()


def _digest(lines: Iterable[str]) -> str:
    total = hashlib.sha256()
    for line in lines:
        total.update(line.encode("utf-8", "surrogateescape"))
    return total.hexdigest()
