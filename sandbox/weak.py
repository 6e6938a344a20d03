"""The weak sandbox: for machines without namespaces, used only if the user selects it.

The keeper's limits hold as in the strong one. What a program may touch is checked by an audit hook in the Python
interpreter it starts: that binds neither C code nor programs of another kind, which is why only Python is run.
"""

from __future__ import annotations

import json
import os
import re
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from pathlib import Path

from ..core.errors import SandboxFailure, SandboxUnavailable
from ..utils.user_folders import home_folder
from .executable import program_folders
from .line_session import line_session
from .protocol import Completed, Program, SandboxKind, Session
from .running import KeptProgram, run_to_end
from .syscall_filter import filter_for
from .worker_files import START, WORKER_FOLDER

_FILTERS = Path("/proc/sys/kernel/seccomp/actions_avail")
_PYTHON = re.compile(r"(python|pypy)[\d.]*t?")


@dataclass(frozen=True, slots=True)
class WeakSandbox:
    """Runs Python programs under an audit hook, rlimits and a keeper. Made by `open_weak`.

    Attributes:
        filter: the system calls that programs may use, as seccomp takes it; empty where there is none.
    """

    filter: bytes = b""

    @property
    def kind(self) -> SandboxKind:
        """`weak`."""
        return "weak"

    async def run(self, program: Program) -> Completed:
        """Run to the end. Raises SandboxFailure when the program is not Python or cannot be started."""
        return await run_to_end(self._launch(program), program.stdin)

    def session(self, program: Program) -> AbstractAsyncContextManager[Session]:
        """Start a program to speak with."""
        return line_session(self._launch(program), program.argv[0])

    def _launch(self, program: Program) -> KeptProgram:
        executable = Path(program.argv[0])
        if not executable.is_absolute() or not executable.exists():
            raise SandboxFailure(f"{executable} is not the absolute path of a program")
        if not _PYTHON.fullmatch(executable.name):
            raise SandboxFailure(
                f"the weak sandbox runs Python only, not {executable.name}", advice="Install bubblewrap for the rest."
            )
        for folder in (*program.readable, *program.writable):
            if not folder.exists():
                raise SandboxFailure(f"{folder} was to be shown to a sandboxed program but does not exist")
        readable = (*program_folders(program), *program.readable, WORKER_FOLDER)
        guard = {
            "writable": [os.path.realpath(folder) for folder in program.writable],
            "readable": [os.path.realpath(folder) for folder in readable],
            "hidden": [os.path.realpath(home_folder())],
            "network": program.network,
        }
        return KeptProgram(
            argv=(str(executable), str(START), json.dumps({"guard": guard}), *program.argv[1:]),
            cwd=program.cwd,
            environment=program.environment,
            limits=program.limits,
            folders=program.writable,
            written_since=program.written_since,
            filter=self.filter,
        )


def open_weak() -> WeakSandbox:
    """The weak sandbox. Raises SandboxUnavailable where there is no fork (Windows)."""
    if not hasattr(os, "fork"):
        raise SandboxUnavailable("no sandbox works on this system", advice="Use Linux, or WSL on Windows.")
    return WeakSandbox(filter_for() if _FILTERS.exists() else b"")
