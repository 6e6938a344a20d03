"""The operations of GitHub's REST API on one repository, by method and path."""

from __future__ import annotations

import base64
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from testwright.tests.support.github.answers import Answer, Refused, fitting
from testwright.tests.support.github.git_store import GitStore


@dataclass
class Repository:
    """One repository and its operations, each with the names in its path, a query and a body.

    Attributes:
        url: the API's address.
        store: objects and refs.
        details: `full_name`, `private`, `archived`, and `moved` for one that has another name now.
        pulls: pull requests, the oldest first.
        truncated: whether trees are said to be cut.
    """

    url: str
    store: GitStore
    details: dict[str, Any]
    pulls: list[dict[str, Any]]
    truncated: bool = False

    @property
    def full_name(self) -> str:
        """`owner/name`."""
        return str(self.details["full_name"])

    def shown(self) -> dict[str, Any]:
        owner, name = self.full_name.split("/")
        return {
            **{"full_name": self.full_name, "name": name, "default_branch": "main", "owner": {"login": owner}},
            **{"private": self.details["private"], "archived": self.details["archived"]},
        }

    def get(self, *, query: Any, body: Any) -> Answer:
        return fitting("full-repository", self.shown())

    def ref(self, branch: str, *, query: Any, body: Any) -> Answer:
        sha = self.store.resolve(f"refs/heads/{branch}")
        if sha is None:
            raise Refused(404, "Not Found")
        return self._ref_answer(branch, sha, 200)

    def _ref_answer(self, branch: str, sha: str, status: int) -> Answer:
        return fitting("git-ref", {"ref": f"refs/heads/{branch}", "object": {"type": "commit", "sha": sha}}, status)

    def create_ref(self, *, query: Any, body: dict[str, Any]) -> Answer:
        branch = str(body["ref"]).removeprefix("refs/heads/")
        if self.store.resolve(str(body["ref"])) is not None:
            raise Refused(422, "Reference already exists")
        if not self.store.is_commit(str(body["sha"])):
            raise Refused(422, "Object does not exist")
        self.store.refs[str(body["ref"])] = str(body["sha"])
        return self._ref_answer(branch, str(body["sha"]), 201)

    def move_ref(self, branch: str, *, query: Any, body: dict[str, Any]) -> Answer:
        tip = self.store.resolve(f"refs/heads/{branch}")
        if tip is None:
            raise Refused(422, "Reference does not exist")
        if not body.get("force") and not self.store.is_ancestor(tip, str(body["sha"])):
            raise Refused(422, "Update is not a fast forward")
        self.store.refs[f"refs/heads/{branch}"] = str(body["sha"])
        return self._ref_answer(branch, str(body["sha"]), 200)

    def commit(self, sha: str, *, query: Any, body: Any) -> Answer:
        if not self.store.is_commit(sha):
            raise Refused(404, "Not Found")
        return self._commit_answer(sha, 200)

    def _commit_answer(self, sha: str, status: int) -> Answer:
        tree, parents, message = self.store.commit(sha)
        shown = {"sha": sha, "tree": {"sha": tree}, "message": message, "parents": [{"sha": one} for one in parents]}
        return fitting("git-commit", shown, status)

    def create_commit(self, *, query: Any, body: dict[str, Any]) -> Answer:
        sha = self.store.commit_tree(str(body["tree"]), list(body["parents"]), str(body["message"]))
        return self._commit_answer(sha, 201)

    def commit_of_ref(self, ref: str, *, query: Any, body: Any) -> Answer:
        sha = self.store.resolve(f"refs/heads/{ref}") or self.store.resolve(ref)
        if sha is None:
            raise Refused(422, f"No commit found for SHA: {ref}")
        tree, _, message = self.store.commit(sha)
        return fitting("commit", {"sha": sha, "commit": {"tree": {"sha": tree}, "message": message}})

    def compare(self, base: str, head: str, *, query: Any, body: Any) -> Answer:
        commits = self.store.commits_between(base, head)
        shown = [
            {"sha": sha, "commit": {"tree": {"sha": self.store.commit(sha)[0]}, "message": self.store.commit(sha)[2]}}
            for sha in commits
        ]
        about = {"status": "ahead", "ahead_by": len(shown), "behind_by": 0, "total_commits": len(shown)}
        return fitting("commit-comparison", {**about, "commits": shown[-250:]})

    def heads_at(self, sha: str, *, query: Any, body: Any) -> Answer:
        heads = [name for name, tip in self.store.heads().items() if tip == sha]
        return fitting("branch-short", [{"name": name, "commit": {"sha": sha}} for name in heads])

    def tree(self, sha: str, *, query: dict[str, list[str]], body: Any) -> Answer:
        rows = self.store.tree(sha, recursive="recursive" in query)
        if rows is None:
            raise Refused(404, "Not Found")
        return fitting("git-tree", {"sha": sha, "truncated": self.truncated, "tree": rows})

    def create_tree(self, *, query: Any, body: dict[str, Any]) -> Answer:
        sha = self.store.tree_with(str(body["base_tree"]), list(body["tree"]))
        rows = self.store.tree(sha, recursive=False)
        return fitting("git-tree", {"sha": sha, "truncated": False, "tree": rows}, 201)

    def blob(self, sha: str, *, query: Any, body: Any) -> Answer:
        data = self.store.blob(sha)
        if data is None:
            raise Refused(404, "Not Found")
        content = base64.encodebytes(data).decode()
        return fitting("blob", {"sha": sha, "size": len(data), "encoding": "base64", "content": content})

    def create_blob(self, *, query: Any, body: dict[str, Any]) -> Answer:
        return fitting("short-blob", {"sha": self.store.add_blob(str(body["content"]).encode())}, 201)

    def list_pulls(self, *, query: dict[str, list[str]], body: Any) -> Answer:
        state, head, base = (query.get(name, [""])[0] for name in ("state", "head", "base"))
        size, page = int(query.get("per_page", ["30"])[0]), int(query.get("page", ["1"])[0])
        found = [
            pull
            for pull in reversed(self.pulls)
            if state in ("all", pull["state"])
            and head in ("", f"{pull['head']['repo']['owner']['login']}:{pull['head']['ref']}")
            and base in ("", pull["base"]["ref"])
        ]
        answer = fitting(
            "pull-request-simple", [self._current(pull) for pull in found[(page - 1) * size : page * size]]
        )
        if len(found) > page * size:
            asked = "&".join(f"{name}={values[0]}" for name, values in query.items() if name != "page")
            place = f"{self.url}/repos/{self.full_name}/pulls?{asked}&page={page + 1}"
            answer.headers["link"] = f'<{place}>; rel="next"'
        return answer

    def _current(self, pull: dict[str, Any]) -> dict[str, Any]:
        tip = self.store.resolve(f"refs/heads/{pull['head']['ref']}") or pull["head"]["sha"]
        return {**pull, "head": {**pull["head"], "sha": tip}}

    def create_pull(self, *, query: Any, body: dict[str, Any]) -> Answer:
        head, base = str(body["head"]), str(body["base"])
        tips = [self.store.resolve(f"refs/heads/{branch}") for branch in (head, base)]
        if None in tips:
            raise Refused(422, "Validation Failed", errors=[{"resource": "PullRequest", "code": "invalid"}])
        if any(pull["state"] == "open" and pull["head"]["ref"] == head for pull in self.pulls):
            raise Refused(422, "Validation Failed", errors=[{"message": f"A pull request already exists for {head}."}])
        if tips[0] == tips[1]:
            raise Refused(422, "Validation Failed", errors=[{"message": f"No commits between {base} and {head}"}])
        return fitting("pull-request", self.open_pull(head, base, str(body["title"]), str(body.get("body") or "")), 201)

    def open_pull(self, head: str, base: str, title: str, text: str) -> dict[str, Any]:
        number = len(self.pulls) + 1
        pull = {
            **{"number": number, "state": "open", "title": title, "body": text},
            "html_url": f"https://github.example/{self.full_name}/pull/{number}",
            "head": {"ref": head, "sha": self.store.resolve(f"refs/heads/{head}") or "0" * 40, "repo": self.shown()},
            "base": {"ref": base, "sha": self.store.resolve(f"refs/heads/{base}") or "0" * 40, "repo": self.shown()},
        }
        self.pulls.append(pull)
        return pull

    def change_pull(self, number: str, *, query: Any, body: dict[str, Any]) -> Answer:
        pull = next((one for one in self.pulls if one["number"] == int(number)), None)
        if pull is None:
            raise Refused(404, "Not Found")
        pull.update({name: body[name] for name in ("title", "body", "state") if name in body})
        return fitting("pull-request", self._current(pull))


_SHA = r"([0-9a-f]{40})"
ROUTES: list[tuple[str, str, Callable[..., Answer]]] = [
    ("GET", "", Repository.get),
    ("GET", r"/git/ref/heads/([^/]+)", Repository.ref),
    ("POST", "/git/refs", Repository.create_ref),
    ("PATCH", r"/git/refs/heads/([^/]+)", Repository.move_ref),
    ("GET", rf"/git/commits/{_SHA}", Repository.commit),
    ("POST", "/git/commits", Repository.create_commit),
    ("GET", rf"/compare/{_SHA}\.\.\.{_SHA}", Repository.compare),
    ("GET", rf"/commits/{_SHA}/branches-where-head", Repository.heads_at),
    ("GET", r"/commits/([^/]+)", Repository.commit_of_ref),
    ("GET", rf"/git/trees/{_SHA}", Repository.tree),
    ("POST", "/git/trees", Repository.create_tree),
    ("GET", rf"/git/blobs/{_SHA}", Repository.blob),
    ("POST", "/git/blobs", Repository.create_blob),
    ("GET", "/pulls", Repository.list_pulls),
    ("POST", "/pulls", Repository.create_pull),
    ("PATCH", r"/pulls/(\d+)", Repository.change_pull),
]
