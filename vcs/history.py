"""Reads which commits changed a file, and which of its functions each of them changed."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from .changed_code import changed_symbols
from .git import Git

_MOST_BODY = 1000


@dataclass(frozen=True, slots=True)
class FileCommit:
    """A commit that changed a file.

    Attributes:
        id: the first ten digits.
        at: seconds since the epoch.
        symbols: qualified names of the functions and classes that it changed; None for the whole file.
    """

    id: str
    at: int
    subject: str
    body: str
    symbols: tuple[str, ...] | None


def file_history(root: Path, path: str, limit: int) -> tuple[FileCommit, ...]:
    """The last commits that changed a Python file, newest first; none outside of a repository. Blocks.

    Args:
        path: POSIX path relative to the root. Renames are not followed.

    Raises:
        EnvironmentFault: there is no git.
        HistoryError: git cannot read the repository.
    """
    git = Git.at(root)
    if git.line("rev-parse", "--verify", "--quiet", "HEAD^{commit}") is None:
        return ()
    form = "--format=%H%x00%ct%x00%s%x00%b%x01"
    out = git.output("rev-list", f"--max-count={limit}", "--no-merges", form, "HEAD", "--", f":(literal){path}")
    entries = [entry.split("\0") for entry in os.fsdecode(out).split("\x01") if entry.count("\0") == 3]
    # git puts a line of its own before each entry.
    commits = [(head.rpartition("\n")[2], *rest) for head, *rest in entries]
    contents = dict(_contents(git, [commit[0] for commit in commits], path))
    found: list[FileCommit] = []
    for name, at, subject, body in commits:
        before, after = contents.get(f"{name}^"), contents.get(name)
        symbols = changed_symbols(before, after).symbols if after is not None else ()
        found.append(FileCommit(name[:10], int(at), subject, body.strip()[:_MOST_BODY], symbols))
    return tuple(found)


def _contents(git: Git, commits: list[str], path: str) -> Iterator[tuple[str, bytes]]:
    """The file's content in each commit and, by its name with `^`, before it."""
    if not commits or "\n" in path:
        return
    names = [name for commit in commits for name in (f"{commit}^", commit)]
    given = "".join(f"{name}:./{path}\n" for name in names).encode("utf-8", "surrogateescape")
    lines = git.output("cat-file", "--batch-check=%(objectname) %(objecttype)", given=given).decode().splitlines()
    blobs = {
        name: line.split()[0] for name, line in zip(names, lines, strict=False) if line.endswith(" blob")
    }  # a commit that began the file has nothing before it
    texts = git.blobs(list(blobs.values()))
    for name, blob in blobs.items():
        if blob in texts:
            yield name, texts[blob]
