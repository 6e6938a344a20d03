"""Tells where a checkout stands: its repository's folder, the project's folder in it, and the branch it stands for."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

from .comparison import folder_in_repository
from .git import Git


@dataclass(frozen=True, slots=True)
class Origin:
    """Where a checkout stands.

    Attributes:
        top: the repository's folder.
        folder: the project's folder in the repository, POSIX; "" for its root.
        branch: the branch of the remote that HEAD stands for; "" where none does.
        commit: HEAD.
    """

    top: Path
    folder: str
    branch: str
    commit: str


def origin_of(root: Path) -> Origin:
    """Read it from the checkout; nothing is fetched. Blocks.

    A branch stands for its upstream, or for the branch of its own name. A detached HEAD stands for a branch of `origin`
    whose newest commit it is, else for one that has its commit; the remote's default branch goes before others.

    Raises:
        EnvironmentFault: there is no git.
        HistoryError: the folder lies in no repository, or git cannot read it.
    """
    git = Git.at(root)
    folder = folder_in_repository(git).rstrip("/")
    commit = git.line("rev-parse", "--verify", "--quiet", "HEAD^{commit}") or ""
    top = git.line("rev-parse", "--show-toplevel")
    return Origin(Path(top) if top else git.folder, folder, _branch(git) if commit else "", commit)


def _branch(git: Git) -> str:
    name = git.line("rev-parse", "--abbrev-ref", "HEAD") or ""
    if name not in ("", "HEAD"):
        upstream = git.line("rev-parse", "--abbrev-ref", "--symbolic-full-name", "HEAD@{upstream}") or ""
        return upstream.partition("/")[2] or name
    default = (git.line("rev-parse", "--abbrev-ref", "origin/HEAD") or "").partition("/")[2]
    for where in ("--points-at", "--contains"):
        out = git.run("for-each-ref", "--format=%(refname:lstrip=3)", where, "HEAD", "refs/remotes/origin").out
        names = [line for line in os.fsdecode(out).splitlines() if line not in ("", "HEAD")]
        if names:
            return default if default in names else names[0]
    return ""
