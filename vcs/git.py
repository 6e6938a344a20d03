"""Runs git with fixed arguments and without a shell. All calls block: use `asyncio.to_thread`.

A repository's own configuration may name programs: hooks, filters, a monitor of files, drivers, transports. Nothing of
it is executed: only commands that neither pass files of the work tree through filters nor fetch are run, and what these
might start is switched off.
"""

from __future__ import annotations

import os
import resource
import shutil
import signal
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from ..core.errors import EnvironmentFault, HistoryError
from ..utils.untrusted_files import MAX_SOURCE_BYTES, MIB
from .git_files import unreadable_git_file

_SECONDS = 60
_MOST_OUTPUT = 256 * MIB
_MOST_MEMORY = 2048 * MIB
_COMMANDS = frozenset(
    {"rev-parse", "rev-list", "merge-base", "diff-index", "ls-files", "cat-file", "diff-tree", "for-each-ref"}
)
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
        """Finds git for a folder.

        Raises:
            EnvironmentFault: git is not installed.
            HistoryError: git would read a pipe or a device there, and wait for it.
        """
        program = shutil.which("git")
        if program is None:
            raise EnvironmentFault(
                "git is not installed, so what has changed cannot be found out.",
                advice="Install git (`apt install git`), or run without --changed-since.",
            )
        special = unreadable_git_file(folder.resolve())
        if special is not None:
            raise HistoryError(
                f"{special} is a pipe or a device, which git would wait for.",
                advice="Remove it, or run without --changed-since.",
                details={"reason": "failed"},
            )
        return cls(folder.resolve(), program)

    def run(self, *words: str, given: bytes = b"") -> GitResult:
        """Runs a git command and returns its result, also when it fails.

        Raises:
            EnvironmentFault: it cannot be started, or takes too long.
            HistoryError: it prints more than 256 MiB.
        """
        assert words[0] in _COMMANDS, words[0]
        environment = {name: value for name, value in os.environ.items() if name not in _ELSEWHERE}
        environment |= {"GIT_OPTIONAL_LOCKS": "0", "GIT_TERMINAL_PROMPT": "0", "LC_ALL": "C", **_NO_FETCHING}
        command = [self.program, *_NO_PROGRAMS, "-C", str(self.folder), *words]
        try:
            code, out, complaint = _run_bounded(command, environment, given)
        except (OSError, subprocess.TimeoutExpired) as fault:
            raise EnvironmentFault(f"git {words[0]} could not be run in {self.folder}: {fault}") from fault
        if code == -signal.SIGXFSZ:
            raise HistoryError(
                f"git {words[0]} prints more than {_MOST_OUTPUT // MIB} MiB in {self.folder}.",
                advice="Name a commit that is nearer, or run without --changed-since.",
                details={"reason": "failed"},
            )
        return GitResult(code, out, complaint.decode(errors="replace").strip())

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
        """Reads objects by id, but none larger than a source may be. Raises HistoryError where one is missing."""
        if not ids:
            return {}
        object_ids = [name for name, size in self._sizes(sorted(set(ids))) if size <= MAX_SOURCE_BYTES]
        out = self.output("cat-file", "--batch", given="".join(f"{object_id}\n" for object_id in object_ids).encode())
        return dict(_batched(out, object_ids, self.folder))

    def _sizes(self, object_ids: list[str]) -> Iterator[tuple[str, int]]:
        """A small object may unpack to gigabytes."""
        given = "".join(f"{object_id}\n" for object_id in object_ids).encode()
        lines = self.output("cat-file", "--batch-check", given=given).split(b"\n")
        for object_id, line in zip(object_ids, lines, strict=False):
            yield object_id, _size_in(line, object_id, self.folder)


def _batched(out: bytes, object_ids: list[str], folder: Path) -> Iterator[tuple[str, bytes]]:
    place = 0
    for object_id in object_ids:
        end = out.index(b"\n", place)
        size = _size_in(out[place:end], object_id, folder)
        yield object_id, out[end + 1 : end + 1 + size]
        place = end + size + 2


def _size_in(line: bytes, object_id: str, folder: Path) -> int:
    """The size of an object in a line `<id> <type> <size>`. Raises HistoryError for a missing one."""
    head = line.split()
    if len(head) != 3:
        raise HistoryError(
            f"The object {object_id} is missing in the repository of {folder}.",
            advice="Fetch the whole history: `git fetch --unshallow`; in actions/checkout `fetch-depth: 0`.",
            details={"reason": "failed"},
        )
    return int(head[2])


def _run_bounded(command: list[str], environment: dict[str, str], given: bytes) -> tuple[int, bytes, bytes]:
    """Exit code, output and errors of a program whose time, memory and output are bounded.

    A repository can be small and name more trees and bytes than there is room for.

    Raises:
        OSError: it cannot be started.
        subprocess.TimeoutExpired: it has not ended in time; it is killed.
    """
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as errors:
        process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=out, stderr=errors, env=environment)
        try:
            _limit(process.pid)
            process.communicate(given, timeout=_SECONDS)
        finally:
            if process.poll() is None:
                process.kill()
                process.wait()
        out.seek(0)
        errors.seek(0)
        return process.returncode, out.read(), errors.read(MIB)


def _limit(pid: int) -> None:
    if not hasattr(resource, "prlimit"):  # Linux only
        return
    for what, most in ((resource.RLIMIT_FSIZE, _MOST_OUTPUT), (resource.RLIMIT_DATA, _MOST_MEMORY)):
        with suppress(ProcessLookupError):
            resource.prlimit(pid, what, (most, most))


def _first_line(text: str) -> str:
    return text.splitlines()[0].removeprefix("fatal: ").rstrip(".") if text else ""
