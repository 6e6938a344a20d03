"""Makes a pull request of test files, or brings the one that is there up to date.

The branch, its commit and the pull request are looked for before they are made, so a call that was cut off anywhere can
be made again. A branch is only ever moved forward, but for one of a closed pull request of ours; what a person has
changed there is left alone; and no path outside of the tests' folder is written.
"""

from __future__ import annotations

import base64
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ...core.errors import GitHubConflict, GitHubNotFound
from ...utils.generated_header import is_as_written
from .api import GitHubApi
from .branch_commits import TRAILER, BranchCommits, is_ours
from .git_objects import FolderFiles, blob_id
from .pull_request import (
    CreatePullRequest,
    NewFile,
    Outcome,
    PullRequestResult,
    begin_marker,
    has_marker,
    marked_body,
)

_MOST_OPEN = 1000
_REPO = "/repos/{owner}/{name}"


async def create_pull_request(api: GitHubApi, repository: str, wanted: CreatePullRequest) -> PullRequestResult:
    """Make the pull request, or bring it up to date.

    Args:
        repository: `owner/name`.

    Raises:
        GitHubFailure: see `GitHubApi`; a later call goes on where this one ended.
    """
    owner, _, name = repository.partition("/")
    return await _Making(api, {"owner": owner, "name": name}, wanted).result()


@dataclass(frozen=True, slots=True)
class _Start:
    """What the new commit stands on.

    Attributes:
        parent: commit id.
        tip: the branch's commit; "" where there is no branch.
        is_stale: the branch belongs to a closed pull request of ours, and begins anew.
    """

    parent: str
    tip: str
    is_stale: bool = False


class _Making:
    def __init__(self, api: GitHubApi, repo: Mapping[str, str], wanted: CreatePullRequest) -> None:
        self._api = api
        self._repo = dict(repo)
        self._wanted = wanted

    async def result(self) -> PullRequestResult:
        wanted = self._wanted
        base = await self._tip(wanted.base_branch)
        if not base:
            raise GitHubNotFound(
                f"{self._full_name} has no branch {wanted.base_branch!r}.",
                advice="Push it first, or give the branch that the tests are for with --base.",
            )
        mine = await self._pull_requests_of(wanted.head_branch)
        found = next((pull for pull in mine if pull["state"] == "open"), None) or await self._marked()
        branch = str(found["head"]["ref"]) if found else wanted.head_branch
        start = await self._start(branch, base, found, has_closed=bool(mine))
        files = await FolderFiles.read(self._api, self._repo, start.parent, wanted.tests_folder)
        missing = {file.path for file in wanted.files if files.entry(file.path) is None}
        goes_on = start.parent == start.tip != base
        removed = await self._removed(missing, base, start.tip) if missing and goes_on else frozenset()
        changed, left_alone = await self._compared(files, removed)
        if not changed and found is None and start.parent == base:
            return PullRequestResult("nothing_new", wanted.base_branch, branch, left_alone=left_alone)
        commit = start.parent
        if changed:
            commit = await self._commit(start.parent, files, changed)
        if commit != start.tip:
            await self._move(branch, commit, start)
        pull, outcome = await self._published(found, branch)
        if changed and outcome == "unchanged":
            outcome = "updated"
        written = tuple(file.path for file in changed)
        return PullRequestResult(
            *(outcome, wanted.base_branch, branch, int(pull["number"]), str(pull["html_url"])),
            commit=commit,
            written=written,
            left_alone=left_alone,
        )

    @property
    def _full_name(self) -> str:
        return f"{self._repo['owner']}/{self._repo['name']}"

    async def _tip(self, branch: str) -> str:
        """The id of a branch's newest commit; "" where there is no such branch, GitHubNotFound without a repository."""
        try:
            found = await self._api.get(f"{_REPO}/git/ref/heads/{{branch}}", **self._repo, branch=branch)
        except GitHubNotFound:
            await self._api.get(_REPO, **self._repo)
            return ""
        except GitHubConflict as error:
            raise GitHubConflict(
                f"{self._full_name} has no commits yet.", advice="Push the code first.", details=error.details
            ) from error
        return str(found["object"]["sha"])

    async def _pull_requests_of(self, branch: str) -> list[dict[str, Any]]:
        """Pull requests from a branch of this repository, the newest first."""
        query = {"state": "all", "head": f"{self._repo['owner']}:{branch}", "per_page": "100"}
        path = f"{_REPO}/pulls{{?state,head,per_page}}"
        found = [pull async for pull in self._api.pages(path, most=100, **self._repo, **query)]
        return [pull for pull in found if self._is_here(pull) and pull["base"]["ref"] == self._wanted.base_branch]

    async def _marked(self) -> dict[str, Any] | None:
        """An open pull request with our key, from whatever branch of this repository: a person may have renamed it."""
        query = {"state": "open", "base": self._wanted.base_branch, "per_page": "100"}
        path = f"{_REPO}/pulls{{?state,base,per_page}}"
        async for pull in self._api.pages(path, most=_MOST_OPEN, **self._repo, **query):
            if begin_marker(self._wanted.key) in (pull["body"] or "") and self._is_here(pull):
                return pull
        return None

    def _is_here(self, pull: Mapping[str, Any]) -> bool:
        """Whether the branch is of this repository: anybody may write our marker into one of a fork."""
        home = (pull["head"].get("repo") or {}).get("full_name") or ""
        return home.lower() == self._full_name.lower()

    async def _start(self, branch: str, base: str, found: Mapping[str, Any] | None, *, has_closed: bool) -> _Start:
        tip = await self._tip(branch)
        if not tip:
            return _Start(base, "")
        if found is not None:
            # An open pull request on a branch of that name may be a person's, about something else.
            if not has_marker(str(found["body"] or "")) and not (await self._commits(base, tip)).ours:
                raise self._not_ours(branch, f"its pull request {found['html_url']} is not of testwright")
            return _Start(tip, tip)
        head = await self._api.get(f"{_REPO}/git/commits/{{sha}}", **self._repo, sha=tip)
        if not is_ours(str(head["message"]), self._wanted.key):
            raise self._not_ours(branch, "its newest commit is not of testwright")
        if not has_closed:
            # An earlier call was cut off before it made a pull request, and this one goes on.
            return _Start(tip, tip)
        # It begins anew, and nothing of a person's may be lost by that.
        if (await self._commits(base, tip)).has_others:
            raise self._not_ours(branch, "not all of its commits are of testwright")
        return _Start(base, tip, is_stale=True)

    def _not_ours(self, branch: str, why: str) -> GitHubConflict:
        return GitHubConflict(
            f"{self._full_name} has a branch {branch!r} already, and {why}.",
            advice="Give the branch for the tests another name with --head, or remove that branch.",
        )

    async def _commits(self, base: str, tip: str) -> BranchCommits:
        return await BranchCommits.read(self._api, self._repo, base, tip)

    async def _removed(self, missing: set[str], base: str, tip: str) -> frozenset[str]:
        """Paths that commits of ours had: we remove nothing, so a person has."""
        removed: set[str] = set()
        for commit in (await self._commits(base, tip)).ours:
            files = await FolderFiles.read(self._api, self._repo, commit, self._wanted.tests_folder)
            removed |= {path for path in missing if files.entry(path) is not None}
            if removed == missing:
                break
        return frozenset(removed)

    async def _compared(self, files: FolderFiles, removed: frozenset[str]) -> tuple[list[NewFile], tuple[str, ...]]:
        """The files that differ from what is there, and the paths of those that a person has changed or removed."""
        changed: list[NewFile] = []
        left_alone: list[str] = []
        for file in self._wanted.files:
            there = files.entry(file.path)
            if file.path in removed:
                left_alone.append(file.path)
            elif there is None:
                changed.append(file)
            elif not there.is_plain:
                left_alone.append(file.path)
            elif there.sha != blob_id(file.contents):
                blob = await self._api.get(f"{_REPO}/git/blobs/{{sha}}", **self._repo, sha=there.sha)
                text = base64.b64decode(blob["content"]).decode("utf-8", "replace")
                if is_as_written(text):
                    changed.append(file)
                else:
                    left_alone.append(file.path)
        return changed, tuple(left_alone)

    async def _commit(self, parent: str, files: FolderFiles, changed: list[NewFile]) -> str:
        entries: list[dict[str, str]] = []
        for file in changed:
            blob = await self._api.post(
                f"{_REPO}/git/blobs", {"content": file.contents, "encoding": "utf-8"}, **self._repo
            )
            there = files.entry(file.path)
            mode = there.mode if there is not None else "100644"
            entries.append({"path": file.path, "mode": mode, "type": "blob", "sha": str(blob["sha"])})
        made = await self._api.post(f"{_REPO}/git/trees", {"base_tree": files.tree, "tree": entries}, **self._repo)
        message = f"{self._wanted.title}\n\n{TRAILER}: {self._wanted.key}\n"
        commit = await self._api.post(
            f"{_REPO}/git/commits", {"message": message, "tree": made["sha"], "parents": [parent]}, **self._repo
        )
        return str(commit["sha"])

    async def _move(self, branch: str, commit: str, start: _Start) -> None:
        """Let the branch have the commit."""
        moved = GitHubConflict(
            f"The branch {branch!r} of {self._full_name} has moved meanwhile.", advice="Run the same command again."
        )
        if start.tip:
            try:
                await self._api.patch(
                    f"{_REPO}/git/refs/heads/{{branch}}",
                    {"sha": commit, "force": start.is_stale},
                    **self._repo,
                    branch=branch,
                )
            except GitHubConflict as error:
                raise moved from error
            return
        try:
            await self._api.post(f"{_REPO}/git/refs", {"ref": f"refs/heads/{branch}", "sha": commit}, **self._repo)
        except GitHubConflict as error:
            tip = await self._tip(branch)
            if not tip:
                raise GitHubConflict(
                    f"GitHub takes no branch {branch!r}: {error.message}", advice="Give another --head."
                ) from error
            # Our own request, whose answer was lost, may have made it.
            if tip != commit:
                raise moved from error

    async def _published(self, found: Mapping[str, Any] | None, branch: str) -> tuple[Mapping[str, Any], Outcome]:
        """The pull request, created or with the new title and body."""
        wanted = self._wanted
        if found is None:
            new = {
                **{"title": wanted.title, "head": branch, "base": wanted.base_branch},
                "body": marked_body("", wanted.body, wanted.key),
            }
            try:
                return await self._api.post(f"{_REPO}/pulls", new, **self._repo), "created"
            except GitHubConflict:
                # Our own request, whose answer was lost, may have made it.
                there = await self._pull_requests_of(branch)
                found = next((pull for pull in there if pull["state"] == "open"), None)
                if found is None:
                    raise
        old = str(found["body"] or "")
        body = marked_body(old, wanted.body, wanted.key)
        title = found["title"] if wanted.keep_title else wanted.title
        if (body, title) == (old.replace("\r\n", "\n"), found["title"]):
            return found, "unchanged"
        path = f"{_REPO}/pulls/{{number}}"
        changed = await self._api.patch(path, {"title": title, "body": body}, **self._repo, number=str(found["number"]))
        return changed, "updated"
