"""Reads the commits that a branch on GitHub has beside its base, and tells ours from a person's."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from .api import GitHubApi

TRAILER = "Testwright-Pull-Request"
"""The line of a commit's message that says which pull request of ours it is for."""


@dataclass(frozen=True, slots=True)
class BranchCommits:
    """The commits of a branch that its base does not have.

    Attributes:
        ours: ids, the newest first.
        has_others: whether somebody else has written one; also where there are more than GitHub lists (250).
    """

    ours: tuple[str, ...]
    has_others: bool

    @classmethod
    async def read(cls, api: GitHubApi, repo: Mapping[str, str], base: str, tip: str) -> BranchCommits:
        """Compare two commits. Raises GitHubFailure, see `GitHubApi`."""
        path = "/repos/{owner}/{name}/compare/{base}...{tip}"
        found = await api.get(path, **repo, base=base, tip=tip)
        ours = [str(one["sha"]) for one in found["commits"] if is_ours(str(one["commit"]["message"]))]
        return cls(tuple(reversed(ours)), len(ours) < int(found["total_commits"]))


def is_ours(message: str, key: str = "") -> bool:
    """Whether a commit is of testwright; with a key, of that pull request."""
    values = [line.partition(": ")[2] for line in message.splitlines() if line.startswith(f"{TRAILER}: ")]
    return key in values if key else bool(values)
