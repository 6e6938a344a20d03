"""git's objects and refs in memory: blobs, trees and commits in git's own form, under git's own ids."""

from __future__ import annotations

import hashlib
import os
import subprocess
import zlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

_FOLDER = "40000"
_WHO = "A <a@example.com> 1764200000 +0000"


@dataclass
class GitStore:
    """Objects and refs of one repository.

    Attributes:
        objects: id → kind and data.
        refs: full name → id of a commit.
    """

    objects: dict[str, tuple[str, bytes]] = field(default_factory=dict)
    refs: dict[str, str] = field(default_factory=dict)

    def add_blob(self, data: bytes) -> str:
        """Keep a file's content, and give its id."""
        return self._put("blob", data)

    def blob(self, sha: str) -> bytes | None:
        """A file's content."""
        kind, data = self.objects.get(sha, ("", b""))
        return data if kind == "blob" else None

    def tree(self, sha: str, *, recursive: bool) -> list[dict[str, Any]] | None:
        """A tree's entries as GitHub lists them; None where there is no such tree."""
        tree = self._tree_of(sha)
        return None if tree is None else list(self._listed(tree, "", recursive))

    def _listed(self, tree: str, below: str, recursive: bool) -> Iterator[dict[str, Any]]:
        for name, mode, sha in self._entries(tree):
            kind, data = self.objects[sha]
            row = {"path": f"{below}{name}", "mode": mode.zfill(6), "type": kind, "sha": sha}
            yield {**row, "size": len(data)} if kind == "blob" else row
            if recursive and kind == "tree":
                yield from self._listed(sha, f"{below}{name}/", recursive)

    def tree_with(self, base: str, entries: list[dict[str, Any]]) -> str:
        """A tree with some entries added to or replaced in another; "" begins with none."""
        tree = self._tree_of(base) if base else None
        rows = self._listed(tree, "", True) if tree else ()
        files = {row["path"]: (row["mode"], row["sha"]) for row in rows if row["type"] == "blob"}
        for row in entries:
            # A file takes the place of a folder, and a folder that of a file.
            files = {path: known for path, known in files.items() if not _in_the_way(path, row["path"])}
            files[row["path"]] = (row["mode"], row["sha"])
        return self._folder(files)

    def _folder(self, files: Mapping[str, tuple[str, str]]) -> str:
        rows: dict[str, tuple[str, str]] = {}
        below: dict[str, dict[str, tuple[str, str]]] = {}
        for path, known in files.items():
            first, slash, rest = path.partition("/")
            if slash:
                below.setdefault(first, {})[rest] = known
            else:
                rows[first] = known
        rows |= {name: (_FOLDER, self._folder(inner)) for name, inner in below.items()}
        # git sorts a folder as if its name ended in a slash.
        order = sorted(rows, key=lambda name: f"{name}/" if rows[name][0] == _FOLDER else name)
        return self._put("tree", b"".join(f"{rows[n][0]} {n}\0".encode() + bytes.fromhex(rows[n][1]) for n in order))

    def commit_tree(self, tree: str, parents: list[str], message: str) -> str:
        """A commit of a tree."""
        lines = [f"tree {tree}", *(f"parent {one}" for one in parents), f"author {_WHO}", f"committer {_WHO}", ""]
        return self._put("commit", "\n".join([*lines, message]).encode())

    def commit_files(self, files: Mapping[str, str | bytes], message: str, branch: str = "main") -> str:
        """A commit of files on top of a branch, which then has it."""
        parent = self.resolve(branch)
        rows = [
            {"path": path, "mode": "100644", "sha": self.add_blob(text.encode() if isinstance(text, str) else text)}
            for path, text in files.items()
        ]
        commit = self.commit_tree(self.tree_with(parent or "", rows), [parent] if parent else [], message)
        self.refs[f"refs/heads/{branch}"] = commit
        return commit

    def commit(self, sha: str) -> tuple[str, list[str], str]:
        """Tree, parents and message of a commit."""
        head, _, message = self.objects[sha][1].decode().partition("\n\n")
        rows = [line.split(" ", 1) for line in head.split("\n")]
        return rows[0][1], [value for name, value in rows if name == "parent"], message

    def is_commit(self, sha: str) -> bool:
        """Whether there is such a commit."""
        return self.objects.get(sha, ("", b""))[0] == "commit"

    def is_ancestor(self, old: str, new: str) -> bool:
        """Whether a branch would move forward from one commit to the other."""
        return old in self._history(new)

    def commits_between(self, base: str, head: str) -> list[str]:
        """The commits that one commit has and another does not, the oldest first."""
        known = self._history(base)
        return [one for one in reversed(self._history(head)) if one not in known]

    def _history(self, sha: str) -> list[str]:
        found: list[str] = []
        waiting = [sha]
        while waiting:
            here = waiting.pop(0)
            if here not in found:
                found.append(here)
                waiting += self.commit(here)[1]
        return found

    def resolve(self, name: str) -> str | None:
        """The commit that a branch, a full name of a ref, or an id names."""
        found = self.refs.get(name) or self.refs.get(f"refs/heads/{name}") or self.refs.get(f"refs/tags/{name}")
        return found or (name if self.is_commit(name) else None)

    def heads(self) -> dict[str, str]:
        """Branches with their commits."""
        return {name.removeprefix("refs/heads/"): sha for name, sha in self.refs.items() if "/heads/" in name}

    def files(self, ref: str) -> dict[str, str]:
        """The texts of a commit, by path."""
        rows = self.tree(self.resolve(ref) or "", recursive=True) or []
        return {row["path"]: self.objects[row["sha"]][1].decode() for row in rows if row["type"] == "blob"}

    def log(self, ref: str) -> list[str]:
        """The subjects of a ref's commits, newest first."""
        return [self.commit(sha)[2].split("\n")[0] for sha in self._history(self.resolve(ref) or "")]

    def export(self, folder: Path) -> None:
        """Write everything as a repository of git's own."""
        environment = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
        environment |= {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1"}
        command = ["git", "init", "-q", "--bare", "-b", "main", str(folder)]
        subprocess.run(command, check=True, env=environment, timeout=60)
        for sha, (kind, data) in self.objects.items():
            place = folder / "objects" / sha[:2] / sha[2:]
            place.parent.mkdir(exist_ok=True)
            place.write_bytes(zlib.compress(_framed(kind, data)))
        for name, sha in self.refs.items():
            place = folder / name
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_text(f"{sha}\n")

    def _put(self, kind: str, data: bytes) -> str:
        sha = hashlib.sha1(_framed(kind, data), usedforsecurity=False).hexdigest()
        self.objects[sha] = (kind, data)
        return sha

    def _tree_of(self, sha: str) -> str | None:
        kind = self.objects.get(sha, ("", b""))[0]
        return sha if kind == "tree" else self.commit(sha)[0] if kind == "commit" else None

    def _entries(self, tree: str) -> Iterator[tuple[str, str, str]]:
        data = self.objects[tree][1]
        while data:
            head, _, rest = data.partition(b"\0")
            mode, _, name = head.decode().partition(" ")
            yield name, mode, rest[:20].hex()
            data = rest[20:]


def _framed(kind: str, data: bytes) -> bytes:
    return f"{kind} {len(data)}\0".encode() + data


def _in_the_way(there: str, new: str) -> bool:
    return there.startswith(f"{new}/") or new.startswith(f"{there}/")
