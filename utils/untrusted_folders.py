"""Walks and removes folders that code nobody trusts could have made: as deep as it likes, with links and with modes
that let nobody in. Nothing here recurses, and no path is longer than the system takes.
"""

# ruff: noqa: PTH101, PTH208
# Folders are named by descriptors here, which pathlib does not take.

from __future__ import annotations

import os
import secrets
import stat
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from .untrusted_files import is_source_file

MAX_DEPTH = 128
"""Folders inside each other that a project may have; what lies deeper is left out."""

MAX_PATH_BYTES = 480
"""Length of a path below the root; what has a longer one is left out: neither copies nor schemas have room for it."""

_HOLD = getattr(os, "O_PATH", os.O_RDONLY) | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_ENTER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
Skip = Callable[[str, str], None]


_RESERVED = frozenset(
    {
        *(".git", ".hg", ".svn", ".bzr", ".jj", ".testwright"),
        *(".venv", "venv", ".tox", ".nox", "site-packages", "node_modules", "__pycache__"),
    }
)


def reserved_folder(name: str) -> str:
    """The folder on a path in which no file of the project's own lies, or nothing: of version control, of an
    environment, where Python executes files when it starts, or of ours. Spellings of other file systems count.

    Args:
        name: POSIX path relative to the project's root.
    """
    parts = (part.rstrip(". ").casefold() for part in name.replace("\\", "/").split("/"))
    return next((part for part in parts if part in _RESERVED), "")


def reason_to_skip(name: str) -> str:
    """Why something at a path below a root is left out, or nothing.

    Args:
        name: POSIX path relative to the root.
    """
    if name.count("/") >= MAX_DEPTH:
        return f"more than {MAX_DEPTH} folders deep"
    if len(os.fsencode(name)) > MAX_PATH_BYTES:
        return f"its path is longer than {MAX_PATH_BYTES} bytes"
    return ""


def walk_files(
    root: Path, enters: Callable[[Path], bool] = lambda folder: True, *, skipped: Skip | None = None
) -> Iterator[Path]:
    """The project's files below `root`, folder by folder, names in order: regular files, and links to such inside it.

    Links to folders are not followed; folders that cannot be read are passed over.

    Args:
        enters: whether to look into a folder.
        skipped: called with the path, relative to the root, and the reason for what should be a file and is none, and
            for what lies too deep.
    """
    tell = skipped or (lambda name, reason: None)
    waiting = [root]
    while waiting:
        folder = waiting.pop()
        folders: list[Path] = []
        for entry in _entries(folder):
            path = Path(entry.path)
            relative = path.relative_to(root).as_posix()
            reason = reason_to_skip(relative)
            if reason:
                tell(relative, reason)
            elif entry.is_dir(follow_symlinks=False):
                if enters(path):
                    folders.append(path)
            elif is_source_file(root, path):
                yield path
            elif not path.is_dir():
                tell(relative, "neither a regular file nor a link to one inside the project")
        waiting += reversed(folders)


def _entries(folder: Path) -> list[os.DirEntry[str]]:
    try:
        with os.scandir(folder) as found:
            return sorted(found, key=lambda entry: os.fsencode(entry.name))
    except OSError:
        return []


def first_irregular(folder: Path, depth: int, *, apart: Path | None = None) -> Path | None:
    """The first path that is neither a plain file nor a plain folder: the folder itself, or in it down to a depth.

    None where all are, and where there is no folder. Links, pipes, sockets and devices are irregular.

    Args:
        apart: a folder in it that is not looked into.
    """
    try:
        mode = folder.lstat().st_mode
    except OSError:
        return None
    if not stat.S_ISDIR(mode):
        return None if stat.S_ISREG(mode) else folder
    entries = _entries(folder) if depth and folder != apart else []
    inner = (first_irregular(folder / entry.name, depth - 1, apart=apart) for entry in entries)
    return next((found for found in inner if found), None)


def size_of_tree(path: Path) -> int:
    """Bytes of the regular files below a folder; what lies deeper than a path can name is not counted."""
    total = 0
    waiting = [os.fspath(path)]
    while waiting:
        for entry in _entries(Path(waiting.pop())):
            if entry.is_dir(follow_symlinks=False):
                waiting.append(entry.path)
            elif entry.is_file(follow_symlinks=False):
                total += entry.stat(follow_symlinks=False).st_size
    return total


def remove_tree(path: Path, *, ignore_errors: bool = False) -> None:
    """Delete a folder whatever is in it, however deep and with whatever modes; links are not followed.

    Each folder inside is moved to the top before it is entered, so that no path gets long. Missing is fine.

    Args:
        ignore_errors: leave what cannot be deleted where it is.

    Raises:
        OSError: something could not be deleted; the rest has been.
    """
    try:
        if path.is_symlink() or not path.is_dir():
            path.unlink(missing_ok=True)
        else:
            _remove_folder(path)
    except OSError:
        if not ignore_errors:
            raise


def _remove_folder(path: Path) -> None:
    problem: OSError | None = None
    top = _entered(os.fspath(path))
    try:
        emptying = _Emptying(top, os.listdir(top))
        while emptying.waiting:
            try:
                emptying.remove(emptying.waiting.pop())
            except OSError as fault:
                problem = problem or fault
    finally:
        os.close(top)
    if problem is not None:
        raise problem
    path.rmdir()


@dataclass(slots=True)
class _Emptying:
    """The state of one removal: the folder to empty, and what is still in it."""

    top: int
    waiting: list[str]
    prefix: str = field(default_factory=lambda: f".{secrets.token_hex(8)}-")
    number: int = 0

    def remove(self, name: str) -> None:
        """Delete an entry; folders in it are moved up and added to those that wait."""
        if not _is_folder(self.top, name):
            os.unlink(name, dir_fd=self.top)
            return
        inner = _entered(name, self.top)
        try:
            for entry in os.listdir(inner):
                if not _is_folder(inner, entry):
                    os.unlink(entry, dir_fd=inner)
                    continue
                _unlock(entry, inner)  # a folder that moves is written, too: it names its parent
                self.number += 1
                moved = f"{self.prefix}{self.number}"
                os.rename(entry, moved, src_dir_fd=inner, dst_dir_fd=self.top)
                self.waiting.append(moved)
        finally:
            os.close(inner)
        os.rmdir(name, dir_fd=self.top)


def _is_folder(parent: int, name: str) -> bool:
    return stat.S_ISDIR(os.stat(name, dir_fd=parent, follow_symlinks=False).st_mode)


def _entered(name: str, parent: int | None = None) -> int:
    """The descriptor of a folder that is no link, whatever its mode."""
    _unlock(name, parent)
    return os.open(name, _ENTER, dir_fd=parent)


def _unlock(name: str, parent: int | None) -> None:
    """Let the owner into a folder that shuts everybody out; through a descriptor, since a name may become a link."""
    if os.stat(name, dir_fd=parent, follow_symlinks=False).st_mode & 0o700 == 0o700:
        return
    held = os.open(name, _HOLD, dir_fd=parent)
    try:
        os.chmod(f"/proc/self/fd/{held}" if hasattr(os, "O_PATH") else held, 0o700)
    finally:
        os.close(held)
