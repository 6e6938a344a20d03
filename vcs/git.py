"""Runs git with fixed arguments and without a shell. All calls block: use `asyncio.to_thread`.

A repository's own configuration may name programs: hooks, filters, a monitor of files, drivers, transports. Nothing of
it is executed: only commands that neither pass files of the work tree through filters nor fetch are run, and what these
might start is switched off.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from ..core.errors import EnvironmentFault, HistoryError

_SECONDS = 120
_COMMANDS = frozenset({"rev-parse", "merge-base", "diff-index", "ls-files", "cat-file"})
"""What may be run: each reads objects, references, the index, or names of files."""
_NO_PROGRAMS = ("-c", "core.fsmonitor=false", "-c", "core.hooksPath=/dev/null", "-c", "core.pager=cat")
_NO_FETCHING = {"GIT_NO_LAZY_FETCH": "1", "GIT_ALLOW_PROTOCOL": "none"}
"""Objects that a partial clone lacks would be fetched, by a program of the configuration's choice."""
_ELSEWHERE = (
    "GIT_DIR",
    "GIT_WORK_TREE",
    "GIT_INDEX_FILE",
    "GIT_COMMON_DIR",
    "GIT_PREFIX",
    "GIT_NAMESPACE",
    "GIT_OBJECT_DIRECTORY",
    "GIT_ALTERNATE_OBJECT_DIRECTORIES",
    "GIT_EXTERNAL_DIFF",
)
"""Environment variables of a hook or another repository that would make git use the wrong one."""


@dataclass(frozen=True, slots=True)
class GitResult:
    """Exit code and output of a git command; `complaint` is its standard error."""

    code: int
    out: bytes
    complaint: str


@dataclass(frozen=True, slots=True)
class Git:
    """Runs git in one folder.

    Attributes:
        folder: the absolute path git runs in.
        program: the executable.
    """

    folder: Path
    program: str

    @classmethod
    def at(cls, folder: Path) -> Git:
        """Finds git for a folder. Raises EnvironmentFault when git is not installed."""
        program = shutil.which("git")
        if program is None:
            raise EnvironmentFault(
                "git is not installed, so what has changed cannot be found out.",
                advice="Install git (`apt install git`), or run without --changed-since.",
            )
        return cls(folder.resolve(), program)

    def run(self, *words: str, given: bytes = b"") -> GitResult:
        """Runs a git command and returns its result, also when it fails.

        Raises:
            EnvironmentFault: it cannot be started, or takes too long.
        """
        assert words[0] in _COMMANDS, words[0]
        environment = {name: value for name, value in os.environ.items() if name not in _ELSEWHERE}
        environment |= {"GIT_OPTIONAL_LOCKS": "0", "GIT_TERMINAL_PROMPT": "0", "LC_ALL": "C", **_NO_FETCHING}
        command = [self.program, *_NO_PROGRAMS, "-C", str(self.folder), *words]
        try:
            done = subprocess.run(
                command, input=given, capture_output=True, timeout=_SECONDS, env=environment, check=False
            )
        except (OSError, subprocess.TimeoutExpired) as fault:
            raise EnvironmentFault(f"git {words[0]} could not be run in {self.folder}: {fault}") from fault
        return GitResult(done.returncode, done.stdout, done.stderr.decode(errors="replace").strip())

    def output(self, *words: str, given: bytes = b"") -> bytes:
        """Runs a command that has to succeed and returns its output. Raises HistoryError with git's message."""
        answer = self.run(*words, given=given)
        if answer.code:
            raise HistoryError(
                f"git {words[0]} failed in {self.folder}: {_first_line(answer.complaint) or answer.code}.",
                advice="See that `git status` works there.",
                details={"reason": "failed"},
            )
        return answer.out

    def line(self, *words: str) -> str | None:
        """The single line a command prints; None when it fails."""
        answer = self.run(*words)
        return None if answer.code else os.fsdecode(answer.out).rstrip("\n")

    def blobs(self, ids: list[str]) -> dict[str, bytes]:
        """Reads objects by id. Raises HistoryError when one is missing."""
        if not ids:
            return {}
        object_ids = sorted(set(ids))
        out = self.output("cat-file", "--batch", given="".join(f"{object_id}\n" for object_id in object_ids).encode())
        return dict(_batched(out, object_ids, self.folder))


def _batched(out: bytes, object_ids: list[str], folder: Path) -> Iterator[tuple[str, bytes]]:
    place = 0
    for object_id in object_ids:
        end = out.index(b"\n", place)
        head = out[place:end].split()
        if len(head) != 3:
            raise HistoryError(
                f"The object {object_id} is missing in the repository of {folder}.",
                advice="Fetch the whole history: `git fetch --unshallow`; in actions/checkout `fetch-depth: 0`.",
                details={"reason": "failed"},
            )
        size = int(head[2])
        yield object_id, out[end + 1 : end + 1 + size]
        place = end + size + 2


def _first_line(text: str) -> str:
    return text.splitlines()[0].removeprefix("fatal: ").rstrip(".") if text else ""
