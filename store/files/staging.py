"""Keeps new test files in the run's folder, shows them as diffs, and copies accepted ones into the project."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from ...core.errors import UsageError
from ...utils.untrusted_files import read_bytes
from .acceptance import Acceptance, accept_files, withdraw
from .base_names import BaseNames
from .files import TEMPORARY, typed_errors, write_file
from .project_files import ProjectFile, project_path
from .run_folder import RunFolder

Change = Literal["add", "update", "unchanged", "conflict"]
_AWAY = ".staged"
_LOOKED_FOR = re.compile(r"\.(?:test|spec)\.[cm]?[jt]sx?$")
"""Names that runners of scripts look for in every folder of a project, that of the runs among them."""


@dataclass(frozen=True, slots=True)
class StagedFile:
    """One staged file against the project as it is now.

    Attributes:
        path: POSIX path relative to the project root.
        change: what accepting it would do.
        reason: why it conflicts, "" otherwise.
        diff: unified diff from the project's file to the staged one, "" when unchanged.
    """

    path: str
    change: Change
    reason: str
    diff: str


class Staging:
    """The staged files of one run and the project they are meant for.

    Args:
        folder: the run's folder.
        root: the project.
    """

    def __init__(self, folder: RunFolder, root: Path) -> None:
        self._folder = folder
        self._root = root

    def stage(self, path: str, text: str) -> Path:
        """Write a file into the run's folder, at its path in the project, and give its place.

        Raises:
            UsageError: the path leads out of the project.
            StoreFull, StorageError.
        """
        place = self._folder.staged / project_path(path)
        write_file(place, text)
        _away(place).unlink(missing_ok=True)
        return place

    def unstage(self, path: str) -> None:
        """Take a staged file away; harmless when it is not there. Raises UsageError, StorageError."""
        place = self._folder.staged / project_path(path)
        with typed_errors(place, "remove"):
            place.unlink(missing_ok=True)
            _away(place).unlink(missing_ok=True)

    def set_aside(self, path: str) -> Path:
        """Move a staged file below the run's folder `rejected`, for whoever wants to read it; its place there.

        Raises UsageError, StorageError.
        """
        kept = self._folder.rejected / project_path(path)
        if _LOOKED_FOR.search(kept.name):
            kept = _away(kept)
        write_file(kept, self.text(path))
        self.unstage(path)
        return kept

    def put_away(self) -> None:
        """Give staged tests of scripts names that Jest does not look for, or the project's own run would run them, too.

        They are known by their paths in the project as before. Raises StorageError.
        """
        for path in self.paths():
            place = self._folder.staged / path
            if _LOOKED_FOR.search(place.name) and place.is_file():
                with typed_errors(place, "rename"):
                    place.rename(_away(place))

    def bring_back(self) -> None:
        """Undo `put_away`, before a run goes on. Raises StorageError."""
        for path in self.paths():
            place = self._folder.staged / path
            if not place.exists():
                with typed_errors(place, "rename"):
                    _away(place).rename(place)

    def paths(self) -> list[str]:
        """The staged files' paths in the project, sorted."""
        staged = self._folder.staged
        found = staged.rglob("*") if staged.is_dir() else ()
        names = {
            path.relative_to(staged).as_posix()
            for path in found
            if path.is_file() and not path.name.endswith(TEMPORARY)
        }
        return sorted({_in_project(name) for name in names})

    def text(self, path: str) -> str:
        """A staged file. Raises UsageError when none of that path is staged, StorageError."""
        return self._content(path).decode("utf-8")

    def compare(self, paths: Iterable[str] | None = None) -> list[StagedFile]:
        """What accepting would do, file by file; the project is only read. Raises UsageError, StorageError."""
        names = BaseNames(self._root)
        return [self._compare(path, names) for path in self._chosen(paths)]

    def diff(self, paths: Iterable[str] | None = None) -> str:
        """One unified diff of all of it. Raises UsageError, StorageError."""
        return "".join(file.diff for file in self.compare(paths))

    def accept(self, paths: Iterable[str] | None = None) -> list[Acceptance]:
        """Add the staged files to the project: all that may be added, or, when the disk fails, none.

        A file that a person has written or changed is left alone and reported as a conflict. Hold the project's lock.

        Args:
            paths: which staged files; all of them by default.

        Raises:
            UsageError: one of `paths` is not staged.
            StorageError: the project cannot be written; it is as it was, and the tests are still staged.
            StoreFull: the same, for lack of space.
        """
        chosen = {path: self._content(path) for path in self._chosen(paths)}
        return accept_files(self._folder, self._root, chosen)

    def withdraw(self) -> list[str]:
        """Undo an acceptance that a crash cut short, on resume; the paths that were taken back.

        Files that somebody has changed since stay. Hold the project's lock. Raises StorageError.
        """
        return withdraw(self._folder, self._root)

    def _chosen(self, paths: Iterable[str] | None) -> list[str]:
        return self.paths() if paths is None else sorted({project_path(path) for path in paths})

    def _content(self, path: str) -> bytes:
        name = staged_name(self._folder.staged, project_path(path))
        place = self._folder.staged / name
        if not place.is_file() or place.is_symlink():
            raise UsageError(
                f"{path} is not staged in run {self._folder.run_id}.",
                advice=f"Staged are: {', '.join(self.paths()) or 'no files'}.",
            )
        with typed_errors(place, "read"):
            return read_bytes(self._folder.staged, name)

    def _compare(self, path: str, names: BaseNames) -> StagedFile:
        staged = self._content(path)
        there = ProjectFile(self._root, path)
        with typed_errors(there.place, "read"):
            old = there.content() if there.place.is_file() else None
            held = there.obstacle() or there.held_for_another(staged) or names.clash_of(path)
            reason = "" if old == staged else held or ""
        if old == staged:
            return StagedFile(path, "unchanged", "", "")
        names.add(path)
        change: Change = "conflict" if reason else "add" if old is None else "update"
        return StagedFile(path, change, reason, _unified(path, old, staged))


def _unified(path: str, old: bytes | None, new: bytes) -> str:
    before = (old or b"").decode("utf-8", "replace").splitlines(keepends=True)
    after = new.decode("utf-8", "replace").splitlines(keepends=True)
    source = "/dev/null" if old is None else f"a/{path}"
    lines = difflib.unified_diff(before, after, source, f"b/{path}")
    return "".join(line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n" for line in lines)


def staged_name(staged: Path, path: str) -> str:
    """The name of a staged file below the folder: its path in the project, or where it is put away."""
    away = f"{path}{_AWAY}"
    is_away = _LOOKED_FOR.search(path) and not (staged / path).exists() and (staged / away).is_file()
    return away if is_away else path


def _away(place: Path) -> Path:
    return place.with_name(place.name + _AWAY)


def _in_project(name: str) -> str:
    """The path in the project of a staged file, whether it is put away or not."""
    plain = name.removesuffix(_AWAY)
    return plain if _LOOKED_FOR.search(plain) else name
