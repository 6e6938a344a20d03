"""Defines the sandbox's requests and results as plain data, and the protocol that each kind of sandbox implements.

Paths are the host's: a folder is seen inside under the same path as outside, so that no path needs translating.
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal, Protocol

SandboxKind = Literal["bubblewrap", "weak"]
Network = Literal["none", "loopback"]
Ending = Literal["exited", "signalled", "wall_clock", "output_limit"]


@dataclass(frozen=True, slots=True)
class Limits:
    """What one program may use.

    Attributes:
        wall_seconds: real time before the whole process tree is killed.
        cpu_seconds: processor time of each process; None for twice the wall clock.
        memory_mib: address space of each process; all together may hold twice as much.
        address_space: whether each process's address space is bounded; browsers reserve more than machines have, and
            only what all together hold is bounded then.
        processes: processes and threads alive at once.
        file_mib: the largest file a process may write.
        disk_mib: what all files in its folders may hold that were written since the folders were made.
        output_mib: bytes of stdout and stderr kept; more ends the program.
    """

    wall_seconds: float = 60.0
    cpu_seconds: int | None = None
    memory_mib: int = 2048
    address_space: bool = True
    processes: int = 128
    file_mib: int = 256
    disk_mib: int = 1024
    output_mib: int = 32


@dataclass(frozen=True, slots=True)
class Program:
    """One program to run.

    Attributes:
        argv: absolute path of the executable, then its arguments.
        cwd: existing folder, below one of `readable` or `writable`.
        environment: the whole environment: nothing is inherited.
        readable: folders and files the program sees read-only, besides the system's own and the interpreter's.
        writable: folders it may write.
        stdin: bytes given on standard input (`run` only).
        opens_site: whether it drives a browser, which may reach the site that the user has named by its address.
        written_since: when the writable folders were ready, in seconds since the epoch: files that changed later
            count as written; None for the start of the program.
    """

    argv: tuple[str, ...]
    cwd: Path
    environment: Mapping[str, str] = field(default_factory=dict)
    readable: tuple[Path, ...] = ()
    writable: tuple[Path, ...] = ()
    network: Network = "none"
    limits: Limits = field(default_factory=Limits)
    stdin: bytes = b""
    written_since: float | None = None
    opens_site: bool = False


@dataclass(frozen=True, slots=True)
class Completed:
    """How a program ended.

    Attributes:
        exit_code: negative for a signal, as in `subprocess`.
        reason: what ended it, in words, when a limit did ("used more than …"), else empty.
    """

    exit_code: int
    stdout: bytes
    stderr: bytes
    seconds: float
    ending: Ending
    reason: str = ""


class Session(Protocol):
    """A running program that is spoken to line by line."""

    async def send(self, line: bytes) -> None:
        """Write one line (the newline is added). Raises SandboxFailure when the program is gone."""
        ...

    async def receive(self, timeout: float) -> bytes | None:  # noqa: ASYNC109 - the limit is part of the promise
        """The next line of standard output without its newline, or None at its end.

        Raises TimeoutError after `timeout` seconds.
        """
        ...

    async def ended(self) -> Completed:
        """Wait for the end; `stdout` is what `receive` has not taken."""
        ...


class Sandbox(Protocol):
    """Runs programs apart from the user's machine. Both kinds leave no process behind, also when cancelled."""

    @property
    def kind(self) -> SandboxKind: ...

    async def run(self, program: Program) -> Completed:
        """Run to the end. Raises SandboxFailure when the sandbox itself breaks."""
        ...

    def session(self, program: Program) -> AbstractAsyncContextManager[Session]:
        """Start a program to speak with; leaving the context kills it with all its children."""
        ...
