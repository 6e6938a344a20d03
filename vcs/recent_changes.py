"""Counts the latest commits that changed each file of a project."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from ..core.errors import TestwrightError
from .git import Git

COMMITS = 100
"""How many commits are read: by number and not by date, so that the same history gives the same counts on any day."""


@dataclass(frozen=True, slots=True)
class RecentChanges:
    """The latest commits of a project's branch, merges left out.

    Attributes:
        commits: how many were read, at most 100; 0 where there is no history.
        by_path: POSIX path relative to the project's root → how many of them changed it.
    """

    commits: int = 0
    by_path: Mapping[str, int] = field(default_factory=dict[str, int])


def recent_changes(root: Path) -> RecentChanges:
    """Read the latest commits below a project's root. Blocks.

    Without git, outside of a repository, and where git cannot read it, there are none: the counts only order work.
    """
    if not any(os.path.lexists(folder / ".git") for folder in (root, *root.parents)):
        return RecentChanges()
    try:
        git = Git.at(root)
        if git.line("rev-parse", "--verify", "--quiet", "HEAD^{commit}") is None:
            return RecentChanges()
        commits = git.output("rev-list", f"--max-count={COMMITS}", "--no-merges", "HEAD", "--", ".")
        listed = git.output(
            *("diff-tree", "--stdin", "--root", "-r", "-z", "--name-only", "--no-commit-id", "--relative"),
            given=commits,
        )
    except TestwrightError:
        return RecentChanges()
    # A path stands once for each commit that changed it.
    return RecentChanges(commits.count(b"\n"), Counter(os.fsdecode(path) for path in listed.split(b"\0") if path))
