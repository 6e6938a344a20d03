"""Reads the local checkout as a repository: name, checked-out ref, filtered tree, blob ids.

No git program is started: a repository's own configuration may name programs that git would run. Only plain files
below `.git` are read, and the working tree is what is listed and read, uncommitted changes included.
"""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field
from pathlib import Path, PurePosixPath

from ..core.errors import ToolFailure
from ..sandbox.snapshot import JUNK
from ..utils.confined_paths import inside
from ..utils.untrusted_files import MIB, open_regular, read_bytes
from ..utils.untrusted_folders import reason_to_skip
from .ignore_rules import IgnoreRule, decision_on, read_rules

MAX_FILES = 50_000
"""Maximum number of files that one tree lists; the answer notes when more are left out."""

NO_GIT_REF = "worktree"
"""The ref of a folder that is no git checkout."""

_SECRETS = re.compile(
    r"^(?:\.env\..+|id_(?:rsa|dsa|ecdsa|ed25519)|.*\.(?:pem|key|p12|pfx|jks|keystore)|\.npmrc|credentials)$",
    re.IGNORECASE,
)
_EXAMPLES = re.compile(r"^\.env\.(?:example|sample|template|dist)$", re.IGNORECASE)
_REMOTE = re.compile(r'^\s*\[remote "([^"]+)"\]\s*$')
_URL = re.compile(r"^\s*url\s*=\s*(\S+)\s*$")
_SHA = re.compile(r"^[0-9a-f]{40}$")


@dataclass(frozen=True, slots=True)
class TreeEntry:
    """One file of the tree.

    Attributes:
        path: POSIX path relative to the checkout.
        size: bytes.
        sha: git's blob id of its content, 40 hex digits.
    """

    path: str
    size: int
    sha: str

    def to_dict(self) -> dict[str, str | int]:
        """The entry as JSON."""
        return asdict(self)


@dataclass(frozen=True, slots=True)
class Head:
    """The checked-out branch ("" when detached) and commit ("" before the first, or without git)."""

    branch: str = ""
    commit: str = ""

    @property
    def ref(self) -> str:
        """The branch, else the commit, else `worktree`."""
        return self.branch or self.commit or NO_GIT_REF


@dataclass(slots=True)
class Checkout:
    """A project's folder, read as a repository.

    Args:
        root: the project's root; a `.git` above it is not looked for.
    """

    root: Path
    _ignores: dict[str, tuple[IgnoreRule, ...]] = field(default_factory=dict)

    def full_name(self) -> str:
        """`owner/name` of the remote (`origin`, else the first), else `local/<folder>`."""
        url = self.remote_url()
        parts = [part for part in re.split(r"[/:\\]", url.removesuffix("/").removesuffix(".git")) if part]
        if len(parts) >= 2:
            return f"{parts[-2].rpartition('@')[2]}/{parts[-1]}"
        return f"local/{self.root.resolve().name or 'project'}"

    def remote_url(self) -> str:
        """The address of the remote `origin`, else of the first; "" without one. It may hold a password."""
        urls = self._remotes()
        return urls.get("origin") or next(iter(urls.values()), "")

    def head(self) -> Head:
        """Reads what is checked out."""
        git = self._git()
        text = _first_line(git / "HEAD") if git else ""
        if git is None or not text.startswith("ref: "):
            return Head(commit=text if _SHA.match(text) else "")
        name = text.removeprefix("ref: ").strip()
        return Head(name.removeprefix("refs/heads/"), self._commit_of(git, name))

    def ref(self, wanted: str | None) -> Head:
        """Returns the head if it is what was requested.

        Args:
            wanted: a branch, a full commit id or HEAD; None for whatever is checked out.

        Raises:
            ToolFailure: something else is checked out.
        """
        head = self.head()
        if wanted in (None, "", "HEAD", head.ref) or wanted == head.commit:
            return head
        raise ToolFailure(
            f"{wanted!r} is not checked out in {self.root.name}; {head.ref!r} is",
            advice=f"Check {wanted!r} out first, or ask for {head.ref!r}.",
            details={"wanted": wanted, "ref": head.ref, "commit": head.commit},
        )

    def stamps(self, folder: str = ".") -> Iterator[tuple[str, os.stat_result]]:
        """Yields the files of the tree below a folder with their stat results, sorted, without ignored files, junk,
        links and files that usually hold secrets. Raises ToolFailure for a folder outside or missing.
        """
        start = self.root if folder in ("", ".") else inside(self.root, folder)
        if not start.is_dir():
            raise ToolFailure(f"the repository has no folder {folder!r}")
        yield from self._below(start)

    def entry(self, path: str) -> TreeEntry:
        """Hashes one file. Raises OSError when it cannot be read."""
        with open_regular(self.root, path) as file:
            size = os.fstat(file.fileno()).st_size
            digest = hashlib.sha1(b"blob %d\0" % size, usedforsecurity=False)
            while chunk := file.read(1 << 20):
                digest.update(chunk)
        return TreeEntry(path, size, digest.hexdigest())

    def readable(self, path: str) -> Path:
        """The path of a file of the tree. Raises ToolFailure for any other."""
        place = inside(self.root, path)
        parts = PurePosixPath(path).parts
        ignored = any(
            self._left_out(self.root.joinpath(*parts[:end]), end < len(parts)) for end in range(1, len(parts) + 1)
        )
        if ignored or not place.is_file():
            raise ToolFailure(f"the repository's tree has no file {path!r}", advice="repo.tree lists what can be read")
        return place

    def _below(self, folder: Path) -> Iterator[tuple[str, os.stat_result]]:
        pending = [folder]
        while pending:
            here = pending.pop()
            try:
                entries = sorted(os.scandir(here), key=lambda item: item.name)
            except OSError:
                continue
            folders: list[Path] = []
            for entry in entries:
                place = Path(entry.path)
                if reason_to_skip(place.relative_to(self.root).as_posix()):
                    continue
                is_folder = entry.is_dir(follow_symlinks=False)
                if entry.is_symlink() or self._left_out(place, is_folder):
                    continue
                if is_folder:
                    folders.append(place)
                elif entry.is_file(follow_symlinks=False):
                    yield place.relative_to(self.root).as_posix(), entry.stat(follow_symlinks=False)
            pending += reversed(folders)

    def _left_out(self, place: Path, is_folder: bool) -> bool:
        name = place.name
        if name in JUNK or _is_secret(name):
            return True
        # A virtual environment, whatever it is called.
        if is_folder and (place / "pyvenv.cfg").is_file():
            return True
        return self._ignored(place.relative_to(self.root).as_posix(), is_folder)

    def _ignored(self, path: str, is_folder: bool) -> bool:
        """Whether git would ignore a path: the innermost .gitignore with a matching pattern decides."""
        # `PurePosixPath.parents` runs from the innermost folder to the root, which is git's order of precedence.
        for base in [parent.as_posix() for parent in PurePosixPath(path).parents]:
            below = path if base == "." else path[len(base) + 1 :]
            if base not in self._ignores:
                self._ignores[base] = read_rules(_lines(self.root / base / ".gitignore"))
            ignored = decision_on(below, is_folder, self._ignores[base])
            if ignored is not None:
                return ignored
        return False

    def _git(self) -> Path | None:
        """The folder of git's own files: `.git`, or where a worktree's or submodule's `.git` file points."""
        place = self.root / ".git"
        if place.is_dir():
            return place
        pointer = _first_line(place)
        if not pointer.startswith("gitdir: "):
            return None
        folder = (self.root / pointer.removeprefix("gitdir: ").strip()).resolve()
        return folder if folder.is_dir() else None

    def _common(self, git: Path) -> Path:
        pointer = _first_line(git / "commondir")
        return (git / pointer).resolve() if pointer else git

    def _commit_of(self, git: Path, name: str) -> str:
        for place in (git / name, self._common(git) / name):
            if _SHA.match(found := _first_line(place)):
                return found
        for line in _lines(self._common(git) / "packed-refs"):
            sha, _, packed = line.partition(" ")
            if packed == name and _SHA.match(sha):
                return sha
        return ""

    def _remotes(self) -> dict[str, str]:
        git = self._git()
        found: dict[str, str] = {}
        section: str = ""
        for line in _lines(self._common(git) / "config") if git else ():
            if line.lstrip().startswith("["):
                remote = _REMOTE.match(line)
                section = remote.group(1) if remote else ""
            elif section and (url := _URL.match(line)):
                found.setdefault(section, url.group(1))
        return found


def is_left_out(path: str) -> bool:
    """Whether a tree leaves out a file for its path alone: junk, a name that usually holds secrets, too deep a place.

    Args:
        path: POSIX, relative to the repository.
    """
    parts = PurePosixPath(path).parts
    return bool(reason_to_skip(path)) or any(part in JUNK or _is_secret(part) for part in parts)


def _is_secret(name: str) -> bool:
    return _SECRETS.match(name) is not None and not _EXAMPLES.match(name)


def _lines(place: Path) -> list[str]:
    try:
        return read_bytes(place.parent, place.name, most=MIB).decode("utf-8", "replace").splitlines()
    except OSError:
        return []


def _first_line(place: Path) -> str:
    return next(iter(_lines(place)), "").strip()
