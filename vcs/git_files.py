"""Finds what is no plain file among the files that git reads of a repository: it would wait for a pipe without end.

A clone can bring a `.git` of its author's (in an archive, say), and a work tree with a pipe called `.gitignore`.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from pathlib import Path

from ..utils.untrusted_files import MIB, read_bytes

_IGNORES = (".gitignore", ".gitattributes", ".gitmodules", ".mailmap")
_SPECIAL = (stat.S_ISFIFO, stat.S_ISCHR, stat.S_ISBLK)
_MOST_FILES = 50
"""Configurations, and stores of objects, that are followed from one to the next."""


def unreadable_git_file(folder: Path) -> Path | None:
    """The first pipe or device that git would read, by name or by a link, in the repository that a folder lies in.

    Looked at are git's own folders, the files that its configuration and its stores of objects name, and the patterns
    of ignored files in the work tree. None where all are plain files, and where there is no repository.

    Args:
        folder: absolute; the project.
    """
    top = next((place for place in (folder, *folder.parents) if os.path.lexists(place / ".git")), None)
    if top is None:
        return None
    found = (*_own_files(top), *_patterns(folder, top))
    return next((path for path in found if _is_special(path)), None)


def _own_files(top: Path) -> Iterator[Path]:
    yield top / ".git"
    folders = _git_folders(top)
    for folder in folders:
        yield from _special_below(folder)
        for name in ("config", "config.worktree"):
            yield from _named_by(folder / name, (folder, top))
    for store in _object_stores(folders):
        yield from _special_below(store)


def _git_folders(top: Path) -> list[Path]:
    """`.git`, or where a worktree's or submodule's `.git` file points, and the folder it shares with others."""
    place = top / ".git"
    if not place.is_dir():
        pointer = _text(place).strip().removeprefix("gitdir:").strip()
        place = top / pointer if pointer else place
    shared = _text(place / "commondir").strip()
    return list(dict.fromkeys(folder for folder in (place, place / shared) if folder.is_dir()))


def _object_stores(folders: list[Path]) -> list[Path]:
    """Folders of objects outside of git's own folders, which alternates name, and those that these name."""
    waiting, known = [folder / "objects" for folder in folders], dict[Path, None]()
    while waiting and len(known) < _MOST_FILES:
        store = waiting.pop()
        for line in _text(store / "info" / "alternates").splitlines():
            other = store / line
            if line and other not in known and other.is_dir():
                known[other] = None
                waiting.append(other)
    return [folder / name for folder in known for name in ("info", "pack")]


def _named_by(config: Path, bases: tuple[Path, ...]) -> Iterator[Path]:
    """What the values of a configuration name, and those of the configurations that it includes."""
    waiting, known = [config], {config}
    while waiting and len(known) < _MOST_FILES:
        here = waiting.pop()
        for value in _values(_text(here)):
            for base in (here.parent, *bases):
                named = base / Path(value).expanduser() if value.startswith("~/") else base / value
                if named in known or not _exists(named):
                    continue
                known.add(named)
                yield named
                if named.is_file():
                    waiting.append(named)


def _values(configuration: str) -> Iterator[str]:
    """The values of a configuration as git reads them; in linear time, as no pattern does it."""
    for line in configuration.replace("\r\n", "\n").replace("\\\n", "").split("\n"):
        name, _, value = _without_section(line).partition("=")
        if value and not name.startswith(("#", ";")):
            yield from dict.fromkeys((_unquoted(value), value.strip()))


def _without_section(line: str) -> str:
    """A line without the `[section "name"]` that it may begin with."""
    line = line.strip()
    if not line.startswith("["):
        return line
    quoted = False
    for at, letter in enumerate(line):
        quoted ^= letter == '"'
        if letter == "]" and not quoted:
            return line[at + 1 :].strip()
    return ""


_ESCAPES = {"n": "\n", "t": "\t", "b": "\b"}


def _unquoted(value: str) -> str:
    """A value without quotes, escapes, and the comment behind it."""
    found: list[str] = []
    quoted = escaped = False
    for letter in value.strip():
        if escaped:
            found.append(_ESCAPES.get(letter, letter))
        elif letter == '"':
            quoted = not quoted
        elif letter in "#;" and not quoted:
            break
        elif letter != "\\":
            found.append(letter)
        escaped = letter == "\\" and not escaped
    return "".join(found).strip()


def _patterns(folder: Path, top: Path) -> Iterator[Path]:
    """Files with patterns from the top of the work tree down to the folder, and everywhere below it."""
    for above in folder.parents:
        if above.is_relative_to(top):
            yield from (above / name for name in _IGNORES)
    waiting = [folder]
    while waiting:
        for entry in _entries(waiting.pop()):
            if entry.name in _IGNORES:
                yield Path(entry.path)
            elif entry.name != ".git" and entry.is_dir(follow_symlinks=False):
                waiting.append(Path(entry.path))


def _special_below(folder: Path) -> Iterator[Path]:
    """What is neither a plain file nor a folder below a folder; links are listed, not followed."""
    waiting = [folder]
    while waiting:
        for entry in _entries(waiting.pop()):
            if entry.is_dir(follow_symlinks=False):
                waiting.append(Path(entry.path))
            elif not entry.is_file(follow_symlinks=False):
                yield Path(entry.path)


def _entries(folder: Path) -> list[os.DirEntry[str]]:
    try:
        with os.scandir(folder) as found:
            return list(found)
    except OSError:
        return []


def _is_special(path: Path) -> bool:
    """Whether reading a path could wait: a pipe or a device, but the empty one, which switches settings off."""
    try:
        mode = path.stat().st_mode
        return any(check(mode) for check in _SPECIAL) and not path.samefile(os.devnull)
    except (OSError, ValueError):
        return False


def _exists(path: Path) -> bool:
    try:
        return path.exists()
    except (OSError, ValueError):
        return False


def _text(path: Path) -> str:
    try:
        return read_bytes(path.parent, path.name, most=MIB).decode("utf-8", "replace")
    except (OSError, ValueError):
        return ""
