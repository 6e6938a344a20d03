"""Reads trees of a repository on GitHub, and knows the ids of its blobs."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Any

from ...core.errors import GitHubConflict
from .api import GitHubApi

_PLAIN = ("100644", "100755")


def blob_id(contents: str) -> str:
    """The id that git gives a text, as 40 hex digits."""
    data = contents.encode("utf-8")
    return hashlib.sha1(b"blob %d\0" % len(data) + data, usedforsecurity=False).hexdigest()


@dataclass(frozen=True, slots=True)
class TreeItem:
    """An entry of a tree: its git mode, kind (`blob`, `tree`, `commit` for a submodule), id, and size in bytes."""

    mode: str
    kind: str
    sha: str
    size: int

    @classmethod
    def of(cls, item: Mapping[str, Any]) -> TreeItem:
        """An entry of GitHub's answer."""
        return cls(str(item["mode"]), str(item["type"]), str(item["sha"]), int(item.get("size") or 0))

    @property
    def is_plain(self) -> bool:
        """Whether it is a plain file: no folder, link or submodule."""
        return self.kind == "blob" and self.mode in _PLAIN


@dataclass(frozen=True, slots=True)
class FolderFiles:
    """What a commit has in one folder.

    Attributes:
        tree: the id of the commit's whole tree.
        folder: POSIX path.
        items: by path in the repository.
    """

    tree: str
    folder: str
    items: Mapping[str, TreeItem]

    @classmethod
    async def read(cls, api: GitHubApi, repo: Mapping[str, str], commit: str, folder: str) -> FolderFiles:
        """Go down to a folder and list it: the whole tree of a large repository is neither needed nor given.

        Raises:
            GitHubConflict: a file, a link or a submodule stands where a folder should be, or there are too many files.
            GitHubFailure: see `GitHubApi`.
        """
        root = str((await api.get("/repos/{owner}/{name}/git/commits/{sha}", **repo, sha=commit))["tree"]["sha"])
        path = "/repos/{owner}/{name}/git/trees/{sha}"
        here = root
        for part in PurePosixPath(folder).parts:
            listed = await api.get(path, **repo, sha=here)
            found = next((TreeItem.of(item) for item in listed["tree"] if item["path"] == part), None)
            if found is None:
                return cls(root, folder, {})
            if found.kind != "tree":
                raise GitHubConflict(
                    f"{part} in {folder} is no folder on GitHub, but a file, a link or a submodule.",
                    advice="Give the tests another folder with --tests-dir.",
                )
            here = found.sha
        listed = await api.get(f"{path}{{?recursive}}", **repo, sha=here, recursive="1")
        if listed["truncated"]:
            raise GitHubConflict(f"{folder} has more files than GitHub lists.", advice="Use a folder for tests alone.")
        return cls(root, folder, {f"{folder}/{item['path']}": TreeItem.of(item) for item in listed["tree"]})

    def entry(self, path: str) -> TreeItem | None:
        """What is at a path; None where nothing is, and where a part of it is no folder there is that part."""
        for place in (path, *(parent.as_posix() for parent in PurePosixPath(path).parents)):
            found = self.items.get(place)
            if found is not None and (place == path or found.kind != "tree"):
                return found
        return None
