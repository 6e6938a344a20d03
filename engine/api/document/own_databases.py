"""Finds databases of SQLite whose rows only the developer's machine has: no repository holds them."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path, PurePosixPath

from ....core.errors import EnvironmentFault, HistoryError
from ....utils.untrusted_files import open_regular, source_or_empty
from ....utils.untrusted_folders import walk_files
from ....vcs.git import Git

_ENDINGS = (".db", ".db3", ".sqlite", ".sqlite3")
_SETTINGS = (".py", ".toml", ".cfg", ".ini", ".yaml", ".yml", ".env", ".example", ".json")
_HEADER = b"SQLite format 3\0"
_NOT_OURS = ("node_modules", "venv", "env", "site-packages")
_MOST_FILES = 20
_MOST_SOURCES = 2_000


def untracked_databases(root: Path) -> tuple[str, ...]:
    """Return the databases below a project that its git repository does not track and its sources name, sorted.

    Empty where there is no repository, or no git: what belongs to the project is then not known.

    Returns:
        POSIX paths, relative to the root.
    """
    found = sorted(
        path.relative_to(root).as_posix()
        for path in walk_files(root, lambda folder: folder.name[:1] != "." and folder.name not in _NOT_OURS)
        if path.suffix in _ENDINGS and _is_database(root, path)
    )[:_MOST_FILES]
    try:
        answer = Git.at(root).run("ls-files", "-z") if found else None
    except (EnvironmentFault, HistoryError):
        return ()
    if answer is None or answer.code:
        return ()
    tracked = {os.fsdecode(path) for path in answer.out.split(b"\0")}
    left = [path for path in found if path not in tracked]
    named = _named_in(root, tracked, {PurePosixPath(path).name for path in left})
    return tuple(path for path in left if PurePosixPath(path).name in named)


def _named_in(root: Path, paths: Iterable[str], names: set[str]) -> set[str]:
    """Return those of some file names that stand in the sources and settings of a project."""
    found: set[str] = set()
    for path in sorted(path for path in paths if path.endswith(_SETTINGS))[:_MOST_SOURCES]:
        if not names - found:
            break
        text = source_or_empty(root, path)
        found |= {name for name in names if name in text}
    return found


def _is_database(root: Path, path: Path) -> bool:
    try:
        with open_regular(root, path.relative_to(root).as_posix()) as file:
            return file.read(len(_HEADER)) == _HEADER
    except OSError:
        return False
