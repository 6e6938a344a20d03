"""The folders a server works in: every path a client gives is kept inside them, whatever it says (T-11)."""

from __future__ import annotations

import asyncio
import difflib
import os
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from ...core.errors import ProjectError, ToolInputError
from ...sandbox.snapshot import JUNK

_SCHEME = re.compile(r"^[A-Za-z][A-Za-z0-9+.-]*:")
_LOOKED_AT = 20_000
"""Files that are looked at for names near to one that is not there."""


@dataclass(frozen=True, slots=True)
class Root:
    """A served folder; `name` is what a client calls it by."""

    name: str
    path: Path


@dataclass(frozen=True, slots=True)
class Place:
    """A path inside a root; `relative` is POSIX, "." for the root itself."""

    root: Root
    relative: str

    @property
    def path(self) -> Path:
        """Where it is."""
        return self.root.path / self.relative


class Roots:
    """The served folders.

    Args:
        paths: folders that exist; each is named by its last part, a second one of that name by `-2` behind it.

    Raises:
        ProjectError: there is none, or one is not a folder.
    """

    def __init__(self, paths: Sequence[Path]) -> None:
        roots: dict[str, Root] = {}
        for one in dict.fromkeys(path.resolve() for path in paths):
            if not one.is_dir():
                raise ProjectError(f"The root {one} is not a folder.", advice="Give an existing folder with --root.")
            name, number = one.name or "root", 1
            while name in roots:
                number += 1
                name = f"{one.name or 'root'}-{number}"
            roots[name] = Root(name, one)
        if not roots:
            raise ProjectError("No root was given.", advice="Give the project's folder with --root.")
        self._roots = roots

    def __iter__(self) -> Iterator[Root]:
        return iter(self._roots.values())

    def named(self, name: str | None) -> Root:
        """A root by its name or its absolute path; without either, the only one.

        Raises:
            ToolInputError: several are served and none is named, or there is none of that name.
        """
        if name is None:
            if len(self._roots) == 1:
                return next(iter(self._roots.values()))
            raise ToolInputError(
                f"several roots are served ({self._names()}), and this call names none",
                advice=f"call again with root set to one of {self._names()}, or with an absolute path",
            )
        found = self._roots.get(name)
        if found is None and "\0" not in name and PurePosixPath(name).is_absolute():
            found = next((root for root in self if str(root.path) == os.path.normpath(name)), None)
        if found is None:
            raise ToolInputError(f"no root {name!r} is served", advice=f"the roots are: {self._names()}")
        return found

    def place(self, given: str, *, root: str | None = None) -> Place:
        """The place a client's path names; it need not exist.

        A relative path belongs to the named root, or to the only one. An absolute path must lie inside a root.

        Raises:
            ToolInputError: it is no plain path, or leads out of the roots, by itself or through a symbolic link.
        """
        _refuse_odd(given)
        pure = PurePosixPath(given)
        if not pure.is_absolute():
            return self._inside(self.named(root), pure, given)
        candidates = [self.named(root)] if root is not None else sorted(self, key=lambda one: -len(one.path.parts))
        for one in candidates:
            if pure.is_relative_to(one.path):
                return self._inside(one, pure.relative_to(one.path), given)
        place = PurePosixPath(_resolved(Path(given), given))  # a root may be reached by another name, such as a link
        for one in candidates:
            if place.is_relative_to(one.path):
                return Place(one, place.relative_to(one.path).as_posix())
        raise _outside(given, self._names())

    async def file(self, given: str, *, root: str | None = None, what: str = "file") -> Place:
        """As `place`, for a file that must be there. Raises ToolInputError, with names near to the one given."""
        place = self.place(given, root=root)
        if place.path.is_file():
            return place
        if place.path.is_dir():
            raise ToolInputError(f"{given!r} is a folder", advice=f"name one {what} below it")
        near = await asyncio.to_thread(near_files, place)
        raise ToolInputError(
            f"there is no {what} {given!r} in the root {place.root.name!r}",
            advice=f"did you mean {', '.join(near)}?" if near else "give a path relative to the root",
            details={"suggestions": list(near)},
        )

    def _inside(self, root: Root, relative: PurePosixPath, given: str) -> Place:
        if not _resolved(root.path / relative, given).is_relative_to(root.path):
            raise _outside(given, self._names())
        return Place(root, relative.as_posix())

    def _names(self) -> str:
        return ", ".join(self._roots)


def _resolved(path: Path, given: str) -> Path:
    try:
        return path.resolve()
    except (OSError, RuntimeError) as error:
        raise ToolInputError(f"the path {given!r} does not resolve: {error}", advice="give another path") from error


def near_files(place: Place) -> tuple[str, ...]:
    """Up to three files of the root whose paths or names are like a place's that is not there."""
    files = list(_files(place.root.path))
    near = difflib.get_close_matches(place.relative, files, n=3, cutoff=0.75)
    if not near:
        by_name: dict[str, list[str]] = {}
        for one in files:
            by_name.setdefault(PurePosixPath(one).name, []).append(one)
        names = difflib.get_close_matches(PurePosixPath(place.relative).name, by_name, n=3, cutoff=0.7)
        near = [path for name in names for path in by_name[name]][:3]
    return tuple(near)


def files_below(place: Place) -> Iterator[str]:
    """Plain files below a folder, relative to its root, sorted folder by folder; junk and hidden folders left out."""
    for one in _files(place.path):
        path = PurePosixPath(place.relative, one).as_posix()
        if not (place.root.path / path).is_symlink():
            yield path


def _files(root: Path) -> Iterator[str]:
    seen = 0
    for folder, folders, names in os.walk(root):
        folders[:] = sorted(one for one in folders if one not in JUNK and not one.startswith("."))
        for name in sorted(names):
            seen += 1
            if seen > _LOOKED_AT:
                return
            yield Path(folder, name).relative_to(root).as_posix()


def _refuse_odd(given: str) -> None:
    if not given.strip():
        raise ToolInputError("the path is empty", advice="give a path relative to the root")
    if "\0" in given:
        raise ToolInputError("the path holds a NUL byte", advice="give a plain path")
    if "\\" in given or given.startswith(("//", "~")) or _SCHEME.match(given):
        raise ToolInputError(
            f"{given!r} is not a path that can be used here",
            advice="give a plain POSIX path, relative to the root: no URL, no drive, no share, no '~'",
        )
    if ".." in PurePosixPath(given).parts:
        raise ToolInputError(f"{given!r} climbs out of its folder", advice="give the path without '..'")


def _outside(given: str, names: str) -> ToolInputError:
    return ToolInputError(f"{given!r} lies outside the served roots", advice=f"give a path inside one of them: {names}")
