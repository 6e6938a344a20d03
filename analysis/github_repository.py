"""Reads a repository on GitHub as the tree of a checkout is read: the same files, without a clone.

A ref is resolved once; what is listed and read afterwards is of that commit, also when the branch moves meanwhile.
"""

from __future__ import annotations

import asyncio
import base64
from dataclasses import dataclass
from pathlib import PurePosixPath

from ..core.errors import GitHubConflict, GitHubNotFound, ToolFailure
from ..utils.confined_paths import MAX_FILE_BYTES
from ..vcs.github.api import GitHubApi
from ..vcs.github.git_objects import TreeItem
from ..vcs.github.names import RepositoryName
from .repository import MAX_FILES, TreeEntry, is_left_out

_REPO = "/repos/{owner}/{name}"


@dataclass(frozen=True, slots=True)
class GitHubTree:
    """A commit's files.

    Attributes:
        full_name: `owner/name`, as GitHub spells it.
        ref: the branch, tag or commit that was asked for.
        commit: the full commit id.
        entries: by path, sorted; no links, submodules, junk, or files that usually hold secrets.
        truncated: there are more files than GitHub or we list.
    """

    full_name: str
    ref: str
    commit: str
    entries: dict[str, TreeEntry]
    truncated: bool

    def below(self, folder: str) -> list[TreeEntry]:
        """The files of a folder. Raises ToolFailure where there is none."""
        place = PurePosixPath(folder)
        found = [entry for path, entry in self.entries.items() if PurePosixPath(path).is_relative_to(place)]
        if not found and place.parts:
            raise ToolFailure(f"the repository has no folder {folder!r}")
        return found


class GitHubRepository:
    """One repository.

    Args:
        api: an open connection.
        name: the repository; its ref is meant where a call names none.
    """

    def __init__(self, api: GitHubApi, name: RepositoryName) -> None:
        owner, _, own = name.full_name.partition("/")
        self._api = api
        self._name = name
        self._repo = {"owner": owner, "name": own}
        self._trees: dict[str, GitHubTree] = {}
        self._lock = asyncio.Lock()

    async def tree(self, ref: str | None) -> GitHubTree:
        """The tree of a ref: a branch, a tag, a commit; None, "" and HEAD are the one the repository was named with.

        Raises:
            ToolFailure: there is no such ref.
            GitHubFailure: see `GitHubApi`.
        """
        wanted = self._name.ref if ref in (None, "", "HEAD") else str(ref)
        async with self._lock:
            if wanted not in self._trees:
                tree = await self._read(wanted)
                # The answer names ref and commit: both are asked for later, and mean the same commit.
                self._trees |= {wanted: tree, tree.ref: tree, tree.commit: tree}
            return self._trees[wanted]

    async def read(self, path: str, ref: str | None) -> tuple[GitHubTree, TreeEntry, str]:
        """Tree, entry and text of a file.

        Raises:
            ToolFailure: the tree has no such file, it has more than 4 MiB, or is no text in UTF-8.
            GitHubFailure: see `GitHubApi`.
        """
        tree = await self.tree(ref)
        entry = tree.entries.get(path)
        if entry is None:
            raise ToolFailure(f"the repository's tree has no file {path!r}", advice="repo.tree lists what can be read")
        if entry.size > MAX_FILE_BYTES:
            raise ToolFailure(f"{path!r} has {entry.size} bytes; at most {MAX_FILE_BYTES} are read")
        if not entry.size:
            return tree, entry, ""  # many an `__init__.py`: nothing to ask for
        blob = await self._api.get(f"{_REPO}/git/blobs/{{sha}}", **self._repo, sha=entry.sha)
        data = base64.b64decode(blob["content"])
        try:
            text = data.decode("utf-8-sig")
        except UnicodeDecodeError:
            raise ToolFailure(f"{path!r} is not text in UTF-8") from None
        if "\0" in text:
            raise ToolFailure(f"{path!r} is a binary file")
        return tree, entry, text

    def blob_of(self, path: str, ref: str | None) -> str | None:
        """The id of a file's content, where the tree is known already; asks GitHub nothing."""
        wanted = self._name.ref if ref in (None, "", "HEAD") else str(ref)
        entry = self._trees[wanted].entries.get(path) if wanted in self._trees else None
        return entry.sha if entry is not None else None

    async def _read(self, wanted: str) -> GitHubTree:
        about = await self._api.get(_REPO, **self._repo)
        ref = wanted or str(about["default_branch"])
        try:
            commit = await self._api.get(f"{_REPO}/commits/{{ref}}", **self._repo, ref=ref)
        except (GitHubNotFound, GitHubConflict) as error:
            raise ToolFailure(
                f"{about['full_name']} has no branch, tag or commit {ref!r}", advice=error.message
            ) from error
        path = f"{_REPO}/git/trees/{{sha}}{{?recursive}}"
        listed = await self._api.get(path, **self._repo, sha=str(commit["commit"]["tree"]["sha"]), recursive="1")
        items = {str(item["path"]): TreeItem.of(item) for item in listed["tree"]}
        kept = sorted(path for path, item in items.items() if item.is_plain and not is_left_out(path))
        return GitHubTree(
            full_name=str(about["full_name"]),
            ref=ref,
            commit=str(commit["sha"]),
            entries={path: TreeEntry(path, items[path].size, items[path].sha) for path in kept[:MAX_FILES]},
            truncated=bool(listed["truncated"]) or len(kept) > MAX_FILES,
        )
