"""Confines every path that a client sends to the served folders."""

from __future__ import annotations

import asyncio
import itertools
import os
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from ...core.errors import ProjectError, ToolInputError
from ...sandbox.snapshot import JUNK
from ...utils.names.similar_names import similar_names
from ...utils.untrusted_folders import walk_files

_SCHEME = re.compile(r"^[A-Za-z][A-Za-z0-9+.-]*:")
_MAX_SEARCHED = 20_000
"""How many files are searched for names similar to a missing one."""


@dataclass(frozen=True, slots=True)
class Root:
    """A served folder; clients name it by `name`."""

    name: str
    path: Path


@dataclass(frozen=True, slots=True)
class RootPath:
    """A path inside a root; `relative` is POSIX, "." for the root itself."""

    root: Root
    relative: str

    @property
    def path(self) -> Path:
        """The absolute path."""
        return self.root.path / self.relative


class Roots:
    """The served folders.

    Args:
        paths: existing folders; each is named by its last part, a second one of that name with the suffix `-2`.

    Raises:
        ProjectError: there is none, or one is not a folder.
    """

    def __init__(self, paths: Sequence[Path]) -> None:
        roots: dict[str, Root] = {}
        for folder in dict.fromkeys(path.resolve() for path in paths):
            if not folder.is_dir():
                raise ProjectError(f"The root {folder} is not a folder.", advice="Give an existing folder with --root.")
            # The root of the file system has no name.
            name, number = folder.name or "root", 1
            while name in roots:
                number += 1
                name = f"{folder.name or 'root'}-{number}"
            roots[name] = Root(name, folder)
        if not roots:
            raise ProjectError("No root was given.", advice="Give the project's folder with --root.")
        self._roots = roots

    def __iter__(self) -> Iterator[Root]:
        return iter(self._roots.values())

    def named(self, name: str | None) -> Root:
        """Returns a root by its name or absolute path, or the only root when `name` is None.

        Raises:
            ToolInputError: several roots are served and none is named, or there is none of that name.
        """
        if name is None:
            if len(self._roots) == 1:
                return next(iter(self._roots.values()))
            raise ToolInputError(
                f"several roots are served ({self._names()}), and this call names none",
                advice=f"call again with root set to one of {self._names()}, or with an absolute path",
            )
        found = self._roots.get(name)
        # Clients may send an absolute path in place of the name.
        if found is None and "\0" not in name and PurePosixPath(name).is_absolute():
            found = next((root for root in self if str(root.path) == os.path.normpath(name)), None)
        if found is None:
            raise ToolInputError(f"no root {name!r} is served", advice=f"the roots are: {self._names()}")
        return found

    def resolve(self, path: str, *, root: str | None = None) -> RootPath:
        """Resolves a client's path; the file need not exist.

        A relative path belongs to the named root, or to the only one. An absolute path must lie inside a root.

        Raises:
            ToolInputError: it is no plain path, or leads out of the roots, by itself or through a symbolic link.
        """
        _refuse_unusual(path)
        pure = PurePosixPath(path)
        if not pure.is_absolute():
            return self._inside(self.named(root), pure, path)
        # Roots may lie inside each other: the innermost one owns the path.
        candidates = [self.named(root)] if root is not None else sorted(self, key=lambda known: -len(known.path.parts))
        for candidate in candidates:
            if pure.is_relative_to(candidate.path):
                return self._inside(candidate, pure.relative_to(candidate.path), path)
        real = PurePosixPath(_real_path(Path(path), path))  # a root may have another name, such as a symbolic link
        for candidate in candidates:
            if real.is_relative_to(candidate.path):
                return RootPath(candidate, real.relative_to(candidate.path).as_posix())
        raise _outside(path, self._names())

    async def file(self, path: str, *, root: str | None = None, what: str = "file") -> RootPath:
        """Resolves the path of an existing file. Raises ToolInputError, with similar names when it is missing."""
        file = self.resolve(path, root=root)
        if file.path.is_file():
            return file
        if file.path.is_dir():
            raise ToolInputError(f"{path!r} is a folder", advice=f"name one {what} below it")
        near = await asyncio.to_thread(similar_files, file)
        raise ToolInputError(
            f"there is no {what} {path!r} in the root {file.root.name!r}",
            advice=f"did you mean {', '.join(near)}?" if near else "give a path relative to the root",
            details={"suggestions": list(near)},
        )

    def _inside(self, root: Root, relative: PurePosixPath, path: str) -> RootPath:
        if not _real_path(root.path / relative, path).is_relative_to(root.path):
            raise _outside(path, self._names())
        return RootPath(root, relative.as_posix())

    def _names(self) -> str:
        return ", ".join(self._roots)


def _real_path(file: Path, path: str) -> Path:
    try:
        return file.resolve()
    except (OSError, RuntimeError) as error:
        raise ToolInputError(f"the path {path!r} does not resolve: {error}", advice="give another path") from error


def similar_files(missing: RootPath) -> tuple[str, ...]:
    """Finds up to three files of the root whose paths, or else names, are similar to a missing one's."""
    files = list(_files(missing.root.path))
    # Similar paths first; else files of a similar name in any folder.
    near = similar_names(missing.relative, files, cutoff=0.75)
    if not near:
        by_name: dict[str, list[str]] = {}
        for path in files:
            by_name.setdefault(PurePosixPath(path).name, []).append(path)
        names = similar_names(PurePosixPath(missing.relative).name, by_name, cutoff=0.7)
        near = [path for name in names for path in by_name[name]][:3]
    return tuple(near)


def files_below(folder: RootPath) -> Iterator[str]:
    """Yields regular files below a folder, relative to its root, without those of caches and hidden folders."""
    for file in _files(folder.path):
        path = PurePosixPath(folder.relative, file).as_posix()
        if not (folder.root.path / path).is_symlink():
            yield path


def _files(root: Path) -> Iterator[str]:
    found = walk_files(root, lambda folder: folder.name not in JUNK and not folder.name.startswith("."))
    for path in itertools.islice(found, _MAX_SEARCHED):
        yield path.relative_to(root).as_posix()


def _refuse_unusual(path: str) -> None:
    if not path.strip():
        raise ToolInputError("the path is empty", advice="give a path relative to the root")
    if "\0" in path:
        raise ToolInputError("the path holds a NUL byte", advice="give a plain path")
    if "\\" in path or path.startswith(("//", "~")) or _SCHEME.match(path):
        raise ToolInputError(
            f"{path!r} is not a path that can be used here",
            advice="give a plain POSIX path, relative to the root: no URL, no drive, no share, no '~'",
        )
    if ".." in PurePosixPath(path).parts:
        raise ToolInputError(f"{path!r} climbs out of its folder", advice="give the path without '..'")


def _outside(path: str, names: str) -> ToolInputError:
    return ToolInputError(f"{path!r} lies outside the served roots", advice=f"give a path inside one of them: {names}")
