"""Lists the Python files that differ from a commit: committed, staged, unstaged and untracked.

git compares commits with its index only. Files of the work tree are read and compared here: git would pass them through
the programs that the repository's configuration names as filters.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from ..core.errors import HistoryError
from ..utils.untrusted_files import UntrustedFileError, read_source_bytes
from .git import Git

_REGULAR = "100"  # the mode of a plain file begins so; links are 120000, submodules 160000
_SHA1_DIGITS = 40
_DIFF = ("diff-index", "--cached", "--raw", "-z", "-M", "--no-abbrev", "--no-ext-diff", "--no-textconv", "--no-color")


@dataclass(frozen=True, slots=True)
class FileChange:
    """One Python file that differs.

    Attributes:
        path: POSIX, relative to the project's root.
        before: its source at the base; None for a new file.
        after: its source as it is in the working tree.
        renamed_from: its path in the repository at the base, where that was another.
    """

    path: str
    before: bytes | None
    after: bytes
    renamed_from: str | None = None


@dataclass(frozen=True, slots=True)
class WorkTreeComparison:
    """The working tree compared with a commit.

    Attributes:
        ref: as requested.
        base: the commit compared with: where HEAD and `ref` part.
        changes: sorted by path; files that are gone are not among them.
    """

    ref: str
    base: str
    changes: tuple[FileChange, ...]


def compare(root: Path, ref: str) -> WorkTreeComparison:
    """Compares the working tree of the project at `root` with the merge base of HEAD and `ref`.

    Args:
        root: the project's folder, the repository's or one inside it.
        ref: a branch, a tag or a commit.

    Raises:
        EnvironmentFault: there is no git.
        HistoryError: no repository, no commit, no such ref, or too little history; the advice explains what to do.
    """
    git = Git.at(root)
    below = folder_in_repository(git)
    base = merge_base(git, ref)
    changed = list(_changed(git, base, below))
    known = {change.path for change in changed}
    changed += [change for change in _edited(git) if change.path not in known]
    untracked = os.fsdecode(git.output("ls-files", "--others", "--exclude-standard", "-z", "--", "*.py")).split("\0")
    changed += [_ChangedFile(path, None, None) for path in untracked if path and path not in known]
    sources = git.blobs([change.blob for change in changed if change.blob])
    found = []
    for item in changed:
        after = _read(git.folder, item.path)
        before = sources.get(item.blob) if item.blob else None
        if after is not None and (after != before or item.renamed_from):
            found.append(FileChange(item.path, before, after, item.renamed_from))
    return WorkTreeComparison(ref, base, tuple(sorted(found, key=lambda item: item.path)))


def merge_base(git: Git, ref: str) -> str:
    """The merge base of HEAD and `ref`. Raises HistoryError, see `compare`."""
    if git.line("rev-parse", "--verify", "--quiet", "--end-of-options", "HEAD^{commit}") is None:
        raise _history("no_commits", f"The repository of {git.folder} has no commit yet.", "Commit something first.")
    commit = git.line("rev-parse", "--verify", "--quiet", "--end-of-options", f"{ref}^{{commit}}")
    shallow = git.line("rev-parse", "--is-shallow-repository") == "true"
    if commit is None:
        message = f"git knows no commit {ref!r} in {git.folder}"
        if shallow:
            raise _history("shallow", f"{message}, and this clone is shallow.", _DEEPER)
        raise _history(
            "unknown_ref", f"{message}.", "Name a branch, tag or commit that `git log` shows; fetch it first."
        )
    found = git.line("merge-base", commit, "HEAD")
    if found is not None:
        return found.splitlines()[0]
    message = f"HEAD and {ref} have no commit in common"
    if shallow:
        raise _history("shallow", f"{message} in this clone, which is shallow.", _DEEPER)
    raise _history("unrelated", f"{message}.", "Name a commit of the same history.")


_DEEPER = "Fetch the history: `fetch-depth: 0` at actions/checkout, `git fetch --unshallow` elsewhere."


def _history(reason: str, message: str, advice: str) -> HistoryError:
    return HistoryError(message, advice=advice, details={"reason": reason})


def folder_in_repository(git: Git) -> str:
    """The project's folder relative to the repository's, "" or ending in a slash. Raises HistoryError."""
    answer = git.run("rev-parse", "--show-prefix")
    if not answer.code:
        return os.fsdecode(answer.out).rstrip("\n")
    if "dubious ownership" in answer.complaint:
        raise _history(
            "ownership",
            f"git refuses the repository of {git.folder}: it belongs to another user.",
            f"Say that it is yours: `git config --global --add safe.directory {git.folder}` (or its repository).",
        )
    raise _history(
        "no_repository",
        f"{git.folder} lies in no git repository.",
        "Run inside a checkout, or without --changed-since.",
    )


@dataclass(frozen=True, slots=True)
class _ChangedFile:
    """A changed file: its path below the project's root, and its blob id at the base."""

    path: str
    blob: str | None
    renamed_from: str | None


def _changed(git: Git, base: str, below: str) -> Iterator[_ChangedFile]:
    """Yields files whose state in the index differs from the base, each once, but none moved out of the project."""
    parts = iter(os.fsdecode(git.output(*_DIFF, base, "--")).split("\0"))
    seen: set[str] = set()
    for head in parts:
        if not head:
            continue
        old_mode, new_mode, old, _, status = head.removeprefix(":").split()
        path = next(parts)
        before, renamed = path, None
        # Renames and copies have two paths: the old one, then the new one.
        if status[0] in "RC":
            before, path = path, next(parts)
            renamed = before
        inside = path.startswith(below) and PurePosixPath(path).suffix == ".py" and new_mode.startswith(_REGULAR)
        if not inside or status[0] == "D" or path in seen:
            continue
        seen.add(path)
        was_python = old_mode.startswith(_REGULAR) and PurePosixPath(before).suffix == ".py"
        yield _ChangedFile(path.removeprefix(below), old if was_python else None, renamed)


def _edited(git: Git) -> Iterator[_ChangedFile]:
    """Yields the Python files of the work tree that differ from the index; a file in conflict has no state there."""
    states: dict[str, str | None] = {}
    for entry in os.fsdecode(git.output("ls-files", "--stage", "-z", "--", "*.py")).split("\0"):
        facts, _, path = entry.partition("\t")
        mode, blob, stage = facts.split() if facts else ("", "", "")
        if mode.startswith(_REGULAR):
            states[path] = blob if stage == "0" else None
    for path, blob in states.items():
        content = _read(git.folder, path)
        if content is not None and not (blob and _is_same(content, blob)):
            yield _ChangedFile(path, blob, None)


def _is_same(content: bytes, blob: str) -> bool:
    """Whether a file's content is that of a blob; line ends of Windows make no difference."""
    return blob in (_blob_id(text, blob) for text in (content, content.replace(b"\r\n", b"\n")))


def _blob_id(content: bytes, like: str) -> str:
    """The id that git gives to content, in the form of another id."""
    algorithm = "sha1" if len(like) == _SHA1_DIGITS else "sha256"
    return hashlib.new(algorithm, b"blob %d\0" % len(content) + content, usedforsecurity=False).hexdigest()


def _read(root: Path, path: str) -> bytes | None:
    """Reads a file of the project; None if it is gone, a link, or not a regular file."""
    if (root / path).is_symlink():
        return None
    try:
        return read_source_bytes(root, path)
    except (FileNotFoundError, NotADirectoryError, UntrustedFileError):
        return None
