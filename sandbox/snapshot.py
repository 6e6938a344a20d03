"""Copies the project once; every workspace is made from that copy.

Everything here blocks: call it through `asyncio.to_thread`.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import stat
from collections.abc import Container, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from ..core.errors import ProjectError, StorageError
from ..utils.untrusted_folders import reason_to_skip

JUNK = frozenset(
    {
        *(".git", ".hg", ".svn", ".bzr", ".jj", ".testwright", ".idea", ".vscode", ".vs"),
        *("__pycache__", ".pytest_cache", ".mypy_cache", ".ruff_cache", ".hypothesis", ".pytype", ".cache", ".eggs"),
        *(".tox", ".nox", ".venv", "node_modules", ".ipynb_checkpoints", "htmlcov", ".coverage", ".DS_Store"),
        *(".env", ".envrc", ".netrc", ".pypirc", ".git-credentials", ".aws", ".ssh", ".gnupg"),
    }
)
"""Names never copied: version control, caches, environments, and files that hold secrets by custom."""

MAX_FILES = 200_000
MAX_BYTES = 2 * 1024**3


@dataclass(frozen=True, slots=True)
class Snapshot:
    """A copied project.

    Attributes:
        path: the copy.
        digest: sha256, in hex, over names, kinds, execute bits and contents; equal trees have equal digests.
        files: what was copied, POSIX paths relative to the root, sorted; links included, folders not.
        left_out: what was not, with the reason, sorted; junk is not mentioned.
    """

    path: Path
    digest: str
    files: tuple[str, ...]
    left_out: tuple[tuple[str, str], ...] = ()


@dataclass(slots=True)
class _Copying:
    """The state of one walk."""

    root: Path
    into: Path
    excluded: frozenset[Path]
    max_files: int
    max_bytes: int
    lines: list[bytes] = field(default_factory=list)
    files: list[str] = field(default_factory=list)
    left_out: list[tuple[str, str]] = field(default_factory=list)
    sizes: dict[str, int] = field(default_factory=dict)
    copied_bytes: int = 0

    def note(self, relative: str, kind: bytes, content: bytes) -> None:
        """Record one copied entry."""
        self.files.append(relative)
        self.lines.append(b"%s\0%s\0%s\n" % (os.fsencode(relative), kind, content))
        if len(self.files) > self.max_files:
            raise self.too_large(f"more than {self.max_files:,} files")

    def weigh(self, relative: str, size: int) -> None:
        """Count bytes before they are copied."""
        self.copied_bytes += size
        top = relative.split("/", 1)[0]
        self.sizes[top] = self.sizes.get(top, 0) + size
        if self.copied_bytes > self.max_bytes:
            raise self.too_large(f"more than {self.max_bytes // 1024**2:,} MiB")

    def too_large(self, what: str) -> ProjectError:
        """The error that says which entries weigh most."""
        largest = sorted(self.sizes.items(), key=lambda item: (-item[1], item[0]))[:3]
        names = ", ".join(f"{name} ({size // 1024**2:,} MiB)" for name, size in largest)
        return ProjectError(
            f"{self.root} is too large to copy: it holds {what}",
            advice=f"Point --root at the package itself, or move data out of it. Largest so far: {names or 'none'}.",
        )


def take_snapshot(
    root: Path, into: Path, *, exclude: Sequence[Path] = (), max_files: int = MAX_FILES, max_bytes: int = MAX_BYTES
) -> Snapshot:
    """Copy the project at `root` into the folder `into`, which is made.

    Links stay links where they point inside the project (relative afterwards); links that lead out, sockets, pipes,
    devices and what lies too deep are left out. The project is only read; copies can be written whatever the
    originals' modes are.

    Args:
        exclude: folders inside the project that are not part of it (our own state); `into` is left out anyway.

    Raises:
        ProjectError: `root` is no readable folder, or the project is larger than allowed.
        StorageError: the copy cannot be written.
    """
    real_root = root.resolve()
    if not real_root.is_dir():
        raise ProjectError(f"{root} is not a folder", advice="Name the project's folder with --root.")
    excluded = frozenset(folder.resolve() for folder in (into, *exclude))
    copying = _Copying(real_root, into, excluded, max_files, max_bytes)
    try:
        into.mkdir(parents=True, exist_ok=True)
        _copy_folder(copying, "")
    except OSError as fault:
        raise StorageError(
            f"the copy of {root} in {into} could not be made: {fault}",
            advice="Check free space and permissions there, or choose another place with --state-dir.",
        ) from fault
    digest = hashlib.sha256(b"".join(sorted(copying.lines))).hexdigest()
    return Snapshot(into, digest, tuple(sorted(copying.files)), tuple(sorted(copying.left_out)))


def _copy_folder(copying: _Copying, relative: str) -> None:
    """Copy one folder; iterative over sub-folders, so that depth costs no stack."""
    waiting = [relative]
    while waiting:
        folder = waiting.pop()
        for entry in _entries(copying, folder):
            name = f"{folder}/{entry.name}" if folder else entry.name
            if reason := reason_to_skip(name):
                copying.left_out.append((name, reason))
                continue
            if is_junk(entry, copying.excluded):
                continue
            if entry.is_symlink():
                _copy_link(copying, name)
            elif entry.is_dir(follow_symlinks=False):
                (copying.into / name).mkdir(exist_ok=True)
                waiting.append(name)
            elif entry.is_file(follow_symlinks=False):
                _copy_file(copying, name)
            else:
                copying.left_out.append((name, "not a regular file"))


def _entries(copying: _Copying, folder: str) -> Iterator[os.DirEntry[str]]:
    try:
        with os.scandir(copying.root / folder) as found:
            entries = sorted(found, key=lambda entry: os.fsencode(entry.name))
    except OSError as fault:
        if not folder:
            raise ProjectError(f"{copying.root} cannot be read: {fault.strerror}") from fault
        copying.left_out.append((folder, f"unreadable: {fault.strerror}"))
        return iter(())
    return iter(entries)


def is_junk(entry: os.DirEntry[str], excluded: Container[Path]) -> bool:
    """Whether an entry of the project is none of its content: a cache, an environment, an excluded folder."""
    if entry.name in JUNK or entry.name.endswith((".pyc", ".pyo")):
        return True
    if not entry.is_dir(follow_symlinks=False):
        return False
    path = Path(entry.path)
    return path in excluded or (path / "pyvenv.cfg").is_file() or (path / "conda-meta").is_dir()


def _copy_link(copying: _Copying, name: str) -> None:
    link = copying.root / name
    try:
        target = Path(os.path.normpath(link.parent / link.readlink()))
        inside = target.is_relative_to(copying.root) and link.resolve().is_relative_to(copying.root)
    except (OSError, RuntimeError):
        inside = False  # a loop
        target = link
    if not inside:
        copying.left_out.append((name, "a link that leads out of the project"))
        return
    pointer = os.path.relpath(target, link.parent)
    (copying.into / name).symlink_to(pointer)
    copying.note(name, b"link", os.fsencode(pointer))


def _copy_file(copying: _Copying, name: str) -> None:
    try:
        source = os.open(copying.root / name, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    except OSError as fault:
        copying.left_out.append((name, f"unreadable: {fault.strerror}"))
        return
    with open(source, "rb") as reading:  # noqa: PTH123 - a descriptor
        facts = os.fstat(source)
        if not stat.S_ISREG(facts.st_mode):
            copying.left_out.append((name, "not a regular file"))
            return
        copying.weigh(name, facts.st_size)
        target = copying.into / name
        digest = hashlib.sha256()
        with target.open("wb") as writing:
            while piece := reading.read(1 << 20):
                digest.update(piece)
                writing.write(piece)
        executable = facts.st_mode & 0o111
        target.chmod(0o644 | executable)
        os.utime(target, ns=(facts.st_mtime_ns, facts.st_mtime_ns))
    copying.note(name, b"program" if executable else b"file", digest.digest())


def copy_tree(source: Path, into: Path) -> None:
    """A writable copy of a snapshot. File systems that can share blocks until one side writes do so.

    Raises:
        StorageError: it cannot be written.
    """
    try:
        shutil.copytree(source, into, symlinks=True, copy_function=_clone)
    except OSError as fault:
        raise StorageError(
            f"no workspace could be made in {into.parent}: {fault}",
            advice="Check free space there, or choose another place with --state-dir.",
        ) from fault


def _clone(source: str, target: str) -> str:
    """Copy one file within the kernel, sharing blocks where the file system can; hard links would not be safe."""
    with open(source, "rb") as reading, open(target, "wb") as writing:  # noqa: PTH123 - shutil's callback has strings
        facts = os.fstat(reading.fileno())
        rest = facts.st_size
        try:
            while rest > 0:
                done = os.copy_file_range(reading.fileno(), writing.fileno(), rest)
                if done == 0:
                    break
                rest -= done
        except (OSError, AttributeError):
            reading.seek(0)
            writing.seek(0)
            writing.truncate()
            shutil.copyfileobj(reading, writing)
        os.fchmod(writing.fileno(), stat.S_IMODE(facts.st_mode))
    os.utime(target, ns=(facts.st_mtime_ns, facts.st_mtime_ns))
    return target
