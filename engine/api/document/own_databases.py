"""Finds databases of SQLite whose rows only the developer's machine has: no repository holds them."""

from __future__ import annotations

import os
from pathlib import Path

from ....core.errors import EnvironmentFault, HistoryError
from ....utils.untrusted_folders import walk_files
from ....vcs.git import Git

_ENDINGS = (".db", ".db3", ".sqlite", ".sqlite3")
_HEADER = b"SQLite format 3\0"
_NOT_OURS = ("node_modules", "venv", "env", "site-packages")
_MOST_FILES = 20


def untracked_databases(root: Path) -> tuple[str, ...]:
    """Return the databases below a project that its git repository does not track, as POSIX paths, sorted.

    Empty where there is no repository, or no git: what belongs to the project is then not known.
    """
    found = sorted(
        path.relative_to(root).as_posix()
        for path in walk_files(root, lambda folder: folder.name[:1] != "." and folder.name not in _NOT_OURS)
        if path.suffix in _ENDINGS and _is_database(path)
    )[:_MOST_FILES]
    try:
        answer = Git.at(root).run("ls-files", "-z", "--", *found) if found else None
    except (EnvironmentFault, HistoryError):
        return ()
    if answer is None or answer.code:
        return ()
    tracked = {os.fsdecode(path) for path in answer.out.split(b"\0")}
    return tuple(path for path in found if path not in tracked)


def _is_database(path: Path) -> bool:
    if path.is_symlink() or not path.is_file():
        return False
    with path.open("rb") as file:
        return file.read(len(_HEADER)) == _HEADER
