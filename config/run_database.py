"""Finds the run database of a project that this user's testwright began, and no other.

A clone can bring any file along, and SQLite reads a hostile one for hours. So a database in a project's state folder
lies in a folder whose name nobody else can foresee; that it was begun here is noted outside the project as well, so
that it is found again when the project was moved.
"""

from __future__ import annotations

import itertools
import os
import re
import stat
from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path

from ..utils.user_folders import unforeseeable_name
from .trust import forget_oldest, trust_file

DATABASES = "database"
DATABASE_FILE = "testwright.db"
_NAME = re.compile(r"[0-9a-f]{16}")
_MOST = 1000
_SHOWN = 3


def database_folder(root: Path, state: Path, *, is_trusted: bool, environment: Mapping[str, str] = os.environ) -> Path:
    """The folder of a project's run database and its checkpoints; it need not exist.

    Args:
        state: the project's own state folder.
        is_trusted: a person trusts the project: where none was begun here, the latest that came with it will do.
    """
    own = state / DATABASES / unforeseeable_name(root, environment)
    if _is_there(own):
        return own
    found = list(_databases(state))
    known = [folder for folder in found if _is_noted(folder.name, root, environment)]
    return max(known or (found if is_trusted else ()), key=_age, default=own)


def unread_databases(root: Path, state: Path, environment: Mapping[str, str] = os.environ) -> str:
    """The databases in a project's state folder that were not begun here, as a sentence; "" for none."""
    found = list(_databases(state))
    known = database_folder(root, state, is_trusted=False, environment=environment) if found else None
    strange = [folder for folder in found if folder != known and not _is_noted(folder.name, root, environment)]
    if not strange:
        return ""
    shown = ", ".join(str(found.joinpath(DATABASE_FILE).relative_to(state.parent)) for found in strange[:_SHOWN])
    more = f" and {len(strange) - _SHOWN} more" if len(strange) > _SHOWN else ""
    return (
        f"Not read: {shown}{more}, which testwright did not begin here; it may have come with the project. Delete it"
        f"{'.' if known and _is_there(known) else ', or say --trust-project to have its runs.'}"
    )


def remember_database(folder: Path, root: Path, environment: Mapping[str, str] = os.environ) -> None:
    """Note outside the project that the database in `folder` was begun here, if it was; the latest thousands stay."""
    if folder.name != unforeseeable_name(root, environment) or _is_noted(folder.name, root, environment):
        return
    note = _note_of(folder.name, root, environment)
    if note is not None:
        with suppress(OSError):  # found by its name then, as long as the project stays where it is
            note.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            note.touch()
            forget_oldest(note.parent)


def _databases(state: Path) -> Iterator[Path]:
    """The folders of a state folder with a file in the place of a run database, in no order; the first thousand."""
    if _is_there(state):
        yield state
    with suppress(OSError), os.scandir(state / DATABASES) as entries:
        for entry in itertools.islice(entries, _MOST):
            if _NAME.fullmatch(entry.name) and _is_there(Path(entry.path)):
                yield Path(entry.path)


def _is_there(folder: Path) -> bool:
    return _age(folder) > 0


def _age(folder: Path) -> int:
    """When the database in a folder was written last; 0 where there is none that is a plain file."""
    try:
        facts = folder.joinpath(DATABASE_FILE).lstat()
    except OSError:
        return 0
    return max(1, facts.st_mtime_ns) if stat.S_ISREG(facts.st_mode) else 0


def _note_of(name: str, root: Path, environment: Mapping[str, str]) -> Path | None:
    """The place of a database's note; None without one that is the user's own, outside of the project."""
    trusted = trust_file(environment)
    if trusted is None or not _NAME.fullmatch(name) or trusted.resolve().is_relative_to(root.resolve()):
        return None
    return trusted.parent / "databases" / name


def _is_noted(name: str, root: Path, environment: Mapping[str, str]) -> bool:
    note = _note_of(name, root, environment)
    return note is not None and note.is_file()
