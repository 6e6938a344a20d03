"""Runs a program under its keeper and guarantees that nothing of it is left.

Starting is one synchronous call: a cancellation comes either before there is a process or after we hold it. Ending
closes the control pipe, upon which the keeper kills the whole tree, and waits, whatever is cancelled meanwhile, until
the keeper is gone: then nothing of the program is left. Should our own process die, the kernel closes the pipe.
"""

from __future__ import annotations

import asyncio
import marshal
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from ..core.errors import SandboxFailure
from .deadline import within_deadline
from .pipes import PipeReader, PipeWriter
from .protocol import Completed, Ending, Limits

# Imported and not run as a script, which Python would compile anew for each program.
_FOLDER = str(Path(__file__).parent)
_KEEPER = f"import sys; sys.path.insert(0, {_FOLDER!r}); import keeper; del sys.path[0]; keeper.main()"
_REASONS = {
    "wall_clock": "ran longer than {limits.wall_seconds:g} s",
    "processes": "had more than {limits.processes} processes and threads",
    "memory": "used more than twice {limits.memory_mib} MiB of memory in all",
    "quota": "wrote more than {limits.disk_mib} MiB, or files and folders without end",
    "disk": "was about to fill the disk",
}


@dataclass(frozen=True, slots=True)
class KeptProgram:
    """What a keeper is to start.

    Attributes:
        data: blobs the program may read as descriptors: `@data:0@` in `argv` becomes the number of the first's
            descriptor, `@data:N@` between null bytes in the first that of another.
        folders: their file systems must not run full.
        shell_codes: whether an exit code above 128 stands for a signal, as in a shell.
        written_since: as in `Program`.
        filter: the system calls it may use from its start, as seccomp takes it; empty for all.
    """

    argv: tuple[str, ...]
    cwd: Path
    environment: Mapping[str, str]
    limits: Limits
    data: tuple[bytes, ...] = ()
    folders: tuple[Path, ...] = ()
    shell_codes: bool = False
    filter: bytes = b""
    written_since: float | None = None

    def config(self) -> bytes:
        """The keeper's configuration."""
        limits = self.limits
        cpu = limits.cpu_seconds if limits.cpu_seconds is not None else 2 * limits.wall_seconds
        return marshal.dumps(
            {
                "argv": list(self.argv),
                "cwd": str(self.cwd),
                "environment": dict(self.environment),
                "data": list(self.data),
                "filter": self.filter,
                "written_since": self.written_since,
                "folders": [str(folder) for folder in self.folders],
                "limits": {
                    "wall_seconds": float(limits.wall_seconds),
                    "cpu_seconds": max(1, round(cpu)),
                    "memory_mib": limits.memory_mib,
                    "address_space": limits.address_space,
                    "processes": limits.processes,
                    "file_mib": limits.file_mib,
                    "disk_mib": limits.disk_mib,
                },
            }
        )


class RunningProgram:
    """One program between start and end. Made by `started` only."""

    def __init__(self, launch: KeptProgram) -> None:
        self._launch = launch
        self._ending: Ending | None = None
        self._begun = time.monotonic()
        self._control, self._process, ends = _spawn_keeper(launch)
        self.stdin = PipeWriter(ends[0])
        self.stdout = PipeReader(ends[1], self._weigh)
        self.stderr = PipeReader(ends[2], self._weigh)
        self._status = PipeReader(ends[3], lambda stream: None)
        self._completed: Completed | None = None

    def _weigh(self, stream: PipeReader) -> None:
        """End the program when it has said too much; what it says beyond that is thrown away."""
        allowed = self._launch.limits.output_mib * 1024 * 1024
        excess = len(self.stdout.data) + len(self.stderr.data) - allowed
        if excess > 0:
            del stream.data[max(0, len(stream.data) - excess) :]
            self._ending = self._ending or "output_limit"
            self.kill()

    def kill(self) -> None:
        """Have the keeper end the whole tree; returns at once."""
        if self._control >= 0:
            os.close(self._control)
            self._control = -1

    async def wait(self) -> Completed:
        """Wait for the end of the whole tree. Raises SandboxFailure when the program could not be started."""
        await self._status.ended()
        await self.stdout.ended()
        await self.stderr.ended()
        self.kill()
        if self._completed is None:
            self._process.wait()
            self._completed = self._conclude()
        return self._completed

    def _conclude(self) -> Completed:
        try:
            status = marshal.loads(bytes(self._status.data))
        except (EOFError, ValueError, TypeError) as fault:
            code = self._process.returncode
            raise SandboxFailure(
                f"the process that keeps {self._launch.argv[0]} ended without a word (exit code {code})",
                advice="Something outside killed it, perhaps for want of memory; try again with fewer jobs.",
            ) from fault
        if status["error"]:
            raise SandboxFailure(
                f"{self._launch.argv[0]} could not be started: {status['error']}",
                advice="Check that the program exists and that its working folder can be entered.",
            )
        code = self._exit_code(status["code"])
        ending: Ending = "signalled" if code < 0 else "exited"
        if status["stopped"]:
            code = -int(signal.SIGKILL)
            ending = "wall_clock" if status["stopped"] == "wall_clock" else self._ending or "signalled"
        reason = _REASONS.get(status["stopped"], "").format(limits=self._launch.limits)
        if ending == "output_limit":
            reason = f"wrote more than {self._launch.limits.output_mib} MiB of output"
        stdout, stderr = bytes(self.stdout.data), bytes(self.stderr.data)
        return Completed(code, stdout, stderr, time.monotonic() - self._begun, ending, reason)

    def _exit_code(self, code: int) -> int:
        if self._launch.shell_codes and code > 128 and code - 128 in set(signal.Signals):
            return 128 - code
        return code

    async def clear(self) -> None:
        """Kill the tree and wait until it is gone, through any cancellation; one that came is raised afterwards."""
        self.stdin.close()
        self.kill()
        interruption: asyncio.CancelledError | None = None
        while not (self._status.closed and self.stdout.closed and self.stderr.closed):
            try:
                await self._status.ended()
                await self.stdout.ended()
                await self.stderr.ended()
            except asyncio.CancelledError as cancelled:
                interruption = cancelled
        self._process.wait()
        if interruption is not None:
            raise interruption


def _spawn_keeper(launch: KeptProgram) -> tuple[int, subprocess.Popen[bytes], tuple[int, int, int, int]]:
    """The control pipe's end, the keeper, and our ends of stdin, stdout, stderr and the status pipe."""
    pipes: list[tuple[int, int]] = []
    try:
        with tempfile.TemporaryFile() as config:
            config.write(launch.config())
            config.seek(0)
            pipes.extend(os.pipe() for _ in range(5))
            stdin, stdout, stderr, status, control = pipes
            theirs = (config.fileno(), control[0], status[1])
            process = subprocess.Popen(
                [sys.executable, "-I", "-S", "-c", _KEEPER, *(str(one) for one in theirs)],
                stdin=stdin[0],
                stdout=stdout[1],
                stderr=stderr[1],
                pass_fds=theirs,
                env=loader_environment(),
                cwd="/",
                start_new_session=True,
            )
    except OSError as fault:
        for ends in pipes:
            for end in ends:
                os.close(end)
        raise SandboxFailure(
            f"no process could be started to keep {launch.argv[0]}: {fault}",
            advice="Check free memory, open files and the process limit of this user.",
        ) from fault
    for end in (stdin[0], stdout[1], stderr[1], status[1], control[0]):
        os.close(end)
    return control[1], process, (stdin[1], stdout[0], stderr[0], status[0])


def loader_environment() -> dict[str, str]:
    """What our own interpreter may need of the environment to start at all."""
    return {name: os.environ[name] for name in ("LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH") if name in os.environ}


@asynccontextmanager
async def started(launch: KeptProgram) -> AsyncGenerator[RunningProgram]:
    """A running program; leaving the context, for whatever reason, ends its whole tree first."""
    running = RunningProgram(launch)
    try:
        yield running
    finally:
        await running.clear()


async def run_to_end(launch: KeptProgram, stdin: bytes) -> Completed:
    """Start, feed, wait: no longer than until the deadline of the work that needs it."""
    limits = launch.limits
    launch = replace(launch, limits=replace(limits, wall_seconds=within_deadline(limits.wall_seconds)))
    async with started(launch) as running:
        feeding = asyncio.create_task(_feed(running, stdin))
        try:
            return await running.wait()
        finally:
            feeding.cancel()


async def _feed(running: RunningProgram, stdin: bytes) -> None:
    try:
        await running.stdin.write(stdin)
    except BrokenPipeError:
        pass  # the program need not read its input
    finally:
        running.stdin.close()
