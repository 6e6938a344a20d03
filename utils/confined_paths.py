"""Resolves paths from tool arguments and refuses those that leave their folder."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path, PurePosixPath

from ..core.errors import ToolFailure
from .untrusted_files import read_source_bytes

MAX_FILE_BYTES = 4 * 1024 * 1024


def inside(base: Path, given: str, *, links: bool = False) -> Path:
    """The place a relative POSIX path names below a folder.

    Args:
        links: whether symbolic links are followed as long as they stay inside; without it any link is refused.

    Raises:
        ToolFailure: the path is empty or absolute, climbs out, or passes through a link that it must not.
    """
    if not given or "\0" in given or "\\" in given:
        raise ToolFailure(f"{given!r} is not a path that can be used here", advice="give a relative POSIX path")
    pure = PurePosixPath(given)
    if pure.is_absolute() or ".." in pure.parts:
        raise ToolFailure(f"{given!r} leads out of the folder", advice="give a path relative to it, without '..'")
    place = base
    for part in pure.parts:
        place = place / part
        if not links and place.is_symlink():
            raise ToolFailure(f"{given!r} passes through a symbolic link", advice="links are not followed here")
    if not _resolved(place).is_relative_to(_resolved(base)):
        raise ToolFailure(f"{given!r} leads out of the folder", advice="links must stay inside it")
    return place


def first_inside(bases: tuple[Path, ...], given: str) -> Path | None:
    """The existing file that a path names below the first of the folders that has it, or None.

    An absolute path is taken when it lies below one of the folders.

    Raises:
        ToolFailure: the path leads out of the folders.
    """
    if PurePosixPath(given).is_absolute():
        for base in bases:
            place = _resolved(Path(given))
            if place.is_relative_to(_resolved(base)):
                return place if place.is_file() else None
        raise ToolFailure(f"{given!r} lies outside the project and the run's folder", advice="give a path inside them")
    for base in bases:
        place = inside(base, given, links=True)
        if place.is_file():
            return place
    return None


def read_text(place: Path, given: str, within: Sequence[Path], most: int = MAX_FILE_BYTES) -> str:
    """The text of a file, opened step by step from the folder that holds it: what is judged is what is read.

    Args:
        given: the path as it was given, for messages.
        within: the folders that files may be read of; the first that the place leads into counts.

    Raises:
        ToolFailure: it is missing, outside of the folders, no plain file, larger than `most` bytes, unreadable or not
            UTF-8.
    """
    try:
        if not place.is_file():
            raise ToolFailure(f"there is no file {given!r}", advice="list_files shows what is there")
        size = place.stat().st_size
        if size > most:
            raise ToolFailure(f"{given!r} has {size} bytes; at most {most} are read")
        real = _resolved(place)
        base = next((folder for folder in within if real.is_relative_to(_resolved(folder))), None)
        if base is None:
            raise ToolFailure(f"{given!r} leads out of the folder", advice="links must stay inside it")
        return read_source_bytes(base, real, most=most).decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise ToolFailure(f"{given!r} is not UTF-8 text: {error.reason} at byte {error.start}") from error
    except OSError as error:
        raise ToolFailure(f"{given!r} cannot be read: {error.strerror or error}") from error


def _resolved(place: Path) -> Path:
    try:
        return place.resolve()
    except (OSError, RuntimeError) as error:
        raise ToolFailure(f"the path {str(place)!r} does not resolve: {error}") from error
