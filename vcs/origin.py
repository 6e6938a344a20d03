"""Tells where a checkout stands: its repository's folder, the project's folder in it, and the branch it stands for."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

from .comparison import folder_in_repository
from .git import Git

_HEADS, _ORIGIN = "refs/heads/", "refs/remotes/origin/"


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

    A branch stands for its upstream on a remote, or for the branch of its own name. A detached HEAD stands for the
    branch of `origin` whose newest commit it is, of several for the remote's default branch, and else for none: a tag
    or an older commit may be of any branch.

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
    # Full names: a tag may have a branch's short one.
    here = git.line("rev-parse", "--symbolic-full-name", "HEAD") or ""
    if here.startswith(_HEADS):
        form = "--format=%(upstream:remotename) %(upstream:remoteref)"
        remote, _, upstream = (git.line("for-each-ref", form, here) or "").partition(" ")
        # The upstream of a branch may be another one of this clone, which no remote has.
        is_remote = remote not in ("", ".") and upstream.startswith(_HEADS)
        return (upstream if is_remote else here).removeprefix(_HEADS)
    default = git.line("rev-parse", "--symbolic-full-name", f"{_ORIGIN}HEAD") or ""
    out = git.run("for-each-ref", "--format=%(refname)", "--points-at", "HEAD", _ORIGIN).out
    names = [line for line in os.fsdecode(out).splitlines() if line not in ("", f"{_ORIGIN}HEAD")]
    if default in names:
        return default.removeprefix(_ORIGIN)
    return names[0].removeprefix(_ORIGIN) if len(names) == 1 else ""
