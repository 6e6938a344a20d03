"""Writes and removes single files of the user's project: never through a link, never over a person's changes."""

from __future__ import annotations

import hashlib
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from ...core.errors import UsageError
from ...utils.generated_header import generated_from, is_untouched
from ...utils.untrusted_files import read_source_bytes
from ...utils.untrusted_folders import reserved_folder
from .files import removed_on_failure, sync_folder, temporary_of, write_beside
from .written_for import written_for


@dataclass(frozen=True, slots=True)
class ProjectFile:
    """One place in a project.

    Attributes:
        path: POSIX path relative to the root.
        place: the file itself.
    """

    root: Path
    path: str

    @property
    def place(self) -> Path:
        """Where it is on disk."""
        return self.root / self.path

    def content(self) -> bytes | None:
        """What is there now, None when nothing is. Raises OSError."""
        try:
            return read_source_bytes(self.root, self.path)
        except FileNotFoundError:
            return None

    def obstacle(self) -> str | None:
        """Why this file may not be written, in one sentence; None when it may. Raises OSError."""
        below = self.root
        for part in PurePosixPath(self.path).parts[:-1]:
            below = below / part
            if below.is_symlink() and not below.resolve().is_relative_to(self.root.resolve()):
                return f"{below.relative_to(self.root).as_posix()} is a link that leads out of the project"
            if below.is_symlink() and reserved_folder(below.resolve().relative_to(self.root.resolve()).as_posix()):
                return f"{below.relative_to(self.root).as_posix()} is a link into a folder that takes no tests"
            if below.exists() and not below.is_dir():
                return f"{below.relative_to(self.root).as_posix()} is a file, not a folder"
        if self.place.is_symlink():
            return "it is a link"
        if not self.place.exists():
            return None
        if not self.place.is_file():
            return "it is no regular file"
        return _changed_by_a_person(read_source_bytes(self.root, self.path))

    def is_edited(self) -> bool:
        """Whether a generated file is there that a person has changed. Raises OSError."""
        if not self.place.is_file() or self.place.is_symlink():
            return False
        return is_untouched(read_source_bytes(self.root, self.path).decode("utf-8", "replace")) is False

    def held_for_another(self, new: bytes) -> str | None:
        """Why `new` may not replace the file: it has another source file's tests, or those for another framework."""
        if not self.place.is_file():
            return None
        old_text, new_text = (
            read_source_bytes(self.root, self.path).decode("utf-8", "replace"),
            new.decode("utf-8", "replace"),
        )
        old, mine = generated_from(old_text), generated_from(new_text)
        if (
            old is not None
            and old == mine
            and self.path.endswith(".py")
            and written_for(old_text) != written_for(new_text)
        ):
            return f"it has the tests for {written_for(old_text)}"
        if old is None or mine is None or old == mine or not (self.root / old).is_file():
            return None
        return f"it has the tests of {old}"

    def missing_folders(self) -> list[str]:
        """Folders that writing it would create, outermost first, relative to the root."""
        parents = [parent for parent in PurePosixPath(self.path).parents if parent != PurePosixPath(".")]
        return [parent.as_posix() for parent in reversed(parents) if not (self.root / parent).exists()]

    def write(self, content: bytes, *, replacing: bytes | None) -> bool:
        """Put `content` there in one step, if the place still holds `replacing` (None for nothing).

        Returns:
            False when another process wrote the file meanwhile; nothing has changed then.

        Raises:
            OSError: nothing has changed.
        """
        self.place.parent.mkdir(parents=True, exist_ok=True)
        mode = 0o666 if replacing is None else self.place.stat().st_mode & 0o777
        temporary = write_beside(self.place, content, mode=mode)
        with removed_on_failure(temporary):
            done = self._put(temporary, replacing)
        with suppress(FileNotFoundError):
            temporary.unlink()
        sync_folder(self.place.parent)
        return done

    def remove(self, content: bytes) -> bool:
        """Delete the file if it still holds `content`. Raises OSError."""
        if self.place.is_symlink() or self.content() != content:
            return False
        self.place.unlink()
        sync_folder(self.place.parent)
        return True

    def remove_leftover(self) -> None:
        """Delete what an interrupted `write` left beside it. Raises OSError."""
        leftover = temporary_of(self.place)
        if leftover.exists():  # unlink() of a missing file also fails on a read-only file system
            leftover.unlink()

    def _put(self, temporary: Path, replacing: bytes | None) -> bool:
        if replacing is None:
            return _create(temporary, self.place)
        if self.content() != replacing:
            return False
        temporary.replace(self.place)
        return True


def project_path(path: str) -> str:
    """The path in one form. Raises UsageError for one that is absolute, empty, in a reserved folder, or leads out."""
    parts = path.replace("\\", "/").split("/")
    leads_out = not path or path.startswith(("/", "~")) or ".." in parts or "\0" in path or parts[-1] in ("", ".")
    if leads_out or reserved_folder(path):
        raise UsageError(
            f"{path!r} is no path for a file of the project.",
            advice="Give a path relative to the project root, without `..`, and not in `.git` or an environment.",
        )
    return PurePosixPath(*[part for part in parts if part not in ("", ".")]).as_posix()


def digest_of_file(content: bytes) -> str:
    """sha256 in hex."""
    return hashlib.sha256(content).hexdigest()


def _create(temporary: Path, place: Path) -> bool:
    """Give the written file its name unless the name is taken: a hard link fails where a rename would overwrite."""
    try:
        place.hardlink_to(temporary)
    except FileExistsError:
        return False
    except OSError:
        if place.exists() or place.is_symlink():
            return False
        temporary.replace(place)  # a file system without hard links
    return True


def _changed_by_a_person(content: bytes) -> str | None:
    state = is_untouched(content.decode("utf-8", "replace"))
    if state is None:
        return "a file of that name is there that testwright has not written"
    return None if state else "it was changed by hand since testwright wrote it"
